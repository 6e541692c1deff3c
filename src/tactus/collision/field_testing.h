// The least gap of two solids given as fields, found without collision's own search.
#pragma once

#include "tactus/collision/collision_testing.h"
#include "tactus/collision/field_probe.h"
#include "tactus/core/random.h"
#include "tactus/math/spatial.h"

namespace tactus {

/// A field as a shape.
TestShape MakeTestField(FieldPointer field);

/// A solid for tests: its field, exact where the solid is what matters, and triangles next to its surface.
struct ReferenceSolid {
  FieldPointer field;
  std::shared_ptr<const FieldProbe> probe;
};
/// `field`: with triangles of its own.
ReferenceSolid MakeReferenceSolid(FieldPointer field);
/// The solid inside of a closed mesh by MeshDistance, in triangles of at most `edge`.
ReferenceSolid MakeReferenceSolid(const TriangleMesh& mesh, double edge);

/// A point of one solid's surface and its value in the other.
struct ReferencePoint {
  double value = 0;
  Vector3 p = Vector3::Zero();  ///< in world coordinates
  bool on_a = false;
};

/// The lowest point found that is lower than `known`, or that. Samples are drawn from the triangles that may be lower
/// by the fields' bound |f(p) - f(q)| <= |p - q|, brought onto the true surface, and the best improved by a search
/// along the surface that needs no gradients.
ReferencePoint FindReferencePoint(const ReferenceSolid& a, const Pose& X_WA, const ReferenceSolid& b, const Pose& X_WB,
                                  double known, int samples, Random* random);

}  // namespace tactus
