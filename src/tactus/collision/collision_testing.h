// Shapes, poses and an independent reference for tests of collision.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tactus/collision/collide.h"
#include "tactus/core/random.h"
#include "tactus/geometry/shape.h"

namespace tactus {

/// A shape as described and as prepared.
struct TestShape {
  Shape shape;
  std::shared_ptr<const CollisionShape> prepared;
};

TestShape MakeTestShape(ShapeType type, const Vector3& size);
TestShape MakeTestMesh(const std::vector<Vector3>& points);
TestShape MakeTestSurface(const TriangleMesh& mesh);
TestShape MakeTestHeightField(const HeightField& field);

/// Of size about 1; a mesh is the hull of 20 points.
TestShape MakeRandomShape(ShapeType type, Random* random);
Pose MakeRandomPose(double distance, Random* random);
Vector3 MakeRandomDirection(Random* random);

/// A plate of 2 x n x n triangles from -half to half in x and y at z = 0, looking up.
TriangleMesh MakePlate(int n, double half);
/// A closed box, 12 triangles.
TriangleMesh MakeBoxMesh(const Vector3& half);

/// max over x in the shape of d.x, in world coordinates about `origin`; from the definition of the shapes alone.
double ReferenceSupport(const Shape& shape, const Pose& X, const Vector3& d, const Vector3& origin);
/// g(n) = (least of a along n) - (greatest of b along n).
double ReferenceSeparation(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, const Vector3& n);
/// max of g over all unit vectors: directions all around, the best of them improved. A lower bound of the true gap.
double ReferenceGap(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB);
/// How far outside the shape p is, to first order near the surface: <= 0 inside.
double ReferenceOutside(const Shape& shape, const Pose& X, const Vector3& p);

/// The point of least gap; null if there is none.
const ContactPoint* Deepest(const ContactManifold& manifold);

}  // namespace tactus
