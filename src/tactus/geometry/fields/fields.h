// All fields there are, one file each. `edge` is the greatest length of the edges of the triangles that stand for the
// surface [m]; where the surface is curved they are as far from it as SignedDistanceField::surface_error says.
// InputError for sizes that are not positive or not finite.
#pragma once

#include <string>
#include <vector>

#include "tactus/geometry/dish_profile.h"
#include "tactus/geometry/field.h"
#include "tactus/math/spatial.h"

namespace tactus {

// primitives.cc: exact everywhere. Axes along z, the origin in the middle.
FieldPointer MakeSphereField(double radius, double edge);
FieldPointer MakeBoxField(const Vector3& half, double edge);
FieldPointer MakeCapsuleField(double radius, double half_length, double edge);
FieldPointer MakeCylinderField(double radius, double half_length, double edge);

// convex.cc: exact everywhere.
FieldPointer MakeEllipsoidField(const Vector3& axes, double edge);
/// Of a closed convex mesh (MakeConvexHull); each point costs a look at all faces. Its triangles are the surface.
FieldPointer MakeConvexField(const TriangleMesh& hull);

/// revolved.cc: all points within `padding` of the polyline `profile` in the (r, z) half plane, revolved about z:
/// bowls, bottles, tubes. Exact outside; inside a bound in the shadow of bends. InputError if the profile is nearer to
/// itself than its padding allows, or to the axis (only its first point may be on it).
FieldPointer MakeRevolvedField(const std::vector<Vector2>& profile, double padding, double edge);
/// Paper 000, appendix B.
FieldPointer MakeDishField(const DishProfile& dish, double edge);

/// ISO 68-1 basic profile: 60 degrees, H = P sqrt(3)/2, crests cut by H/8 and roots by H/4.
struct MetricThread {
  double diameter = 48e-3;  ///< d, of the bolt's crests [m]
  double pitch = 5e-3;      ///< P <= 0.3 d [m]
};
/// thread.cc: a rod along z with a right-handed thread, from -length/2 to length/2, with the middle of a ridge at
/// (d/2, 0, 0). A bound: near the thread low by a part of at most (P / (2 pi r))^2 / 2, far from it and near its ends
/// by more.
FieldPointer MakeBoltField(const MetricThread& thread, double length, double edge);

struct NutSize {
  double height = 38e-3;        ///< along z, the origin in the middle [m]
  double across_flats = 75e-3;  ///< of the hexagon with flats at +-y, or the diameter of the cylinder [m]
  bool hexagon = true;
  double clearance = 1e-4;  ///< from the bolt in the same pose, 0 to P/5 [m]
};
/// The nut that a bolt in the same pose is inside of, `clearance` from it all over.
FieldPointer MakeNutField(const MetricThread& thread, const NutSize& size, double edge);

// combined.cc: min and max of fields. A union is exact outside if both are, the others are bounds. Their triangles end
// where they enter the other solid, without being sewn together there.
FieldPointer MakeUnionField(FieldPointer a, FieldPointer b);
FieldPointer MakeIntersectionField(FieldPointer a, FieldPointer b);
/// a without b.
FieldPointer MakeDifferenceField(FieldPointer a, FieldPointer b);
/// Field b placed at X_AB. As exact as b.
FieldPointer MakePlacedField(const Pose& X_AB, FieldPointer b);

}  // namespace tactus
