#include "tactus/geometry/mass_properties.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tactus/geometry/convex_hull.h"

namespace tactus {
namespace {

Shape Make(ShapeType type, double x, double y, double z) {
  Shape shape;
  shape.type = type;
  shape.size = Vector3(x, y, z);
  return shape;
}

// A fine mesh of a shape that turns about z, whose half profile is given by radius(z).
template <typename Radius>
TriangleMesh MakeTurned(double from, double to, Radius radius) {
  constexpr int kRings = 400, kSlices = 400;
  TriangleMesh mesh;
  for (int i = 0; i <= kRings; ++i) {
    // Rings denser at the ends.
    const double z = from + (to - from) * (1 - std::cos(std::numbers::pi * i / kRings)) / 2;
    for (int k = 0; k < kSlices; ++k) {
      const double angle = 2 * std::numbers::pi * k / kSlices;
      mesh.vertices.emplace_back(radius(z) * std::cos(angle), radius(z) * std::sin(angle), z);
    }
  }
  for (int i = 0; i < kRings; ++i) {
    for (int k = 0; k < kSlices; ++k) {
      const int a = i * kSlices + k, b = i * kSlices + (k + 1) % kSlices;
      mesh.triangles.push_back({a, b, b + kSlices});
      mesh.triangles.push_back({a, b + kSlices, a + kSlices});
    }
  }
  return mesh;
}

void ExpectNear(const MassProperties& a, const MassProperties& b, double tolerance) {
  EXPECT_NEAR(a.measure, b.measure, tolerance * b.measure);
  EXPECT_LT((a.com - b.com).norm(), tolerance);
  EXPECT_LT((a.central - b.central).norm(), tolerance * b.central.norm());
}

TEST(MassProperties, OfRoundShapesAgreeWithMeshes) {
  const double r = 0.3, h = 0.7;
  const TriangleMesh sphere = MakeTurned(-r, r, [&](double z) { return std::sqrt(std::max(0.0, r * r - z * z)); });
  ExpectNear(CalcMeshMass(sphere, MeshMass::Exact), *CalcSolid(Make(ShapeType::Sphere, r, 0, 0)), 3e-4);
  ExpectNear(CalcMeshMass(sphere, MeshMass::Legacy), *CalcSolid(Make(ShapeType::Sphere, r, 0, 0)), 3e-4);
  ExpectNear(CalcMeshMass(sphere, MeshMass::Shell), *CalcShell(Make(ShapeType::Sphere, r, 0, 0)), 3e-4);
  const TriangleMesh capsule = MakeTurned(-h - r, h + r, [&](double z) {
    const double over = std::max(0.0, std::abs(z) - h);
    return std::sqrt(std::max(0.0, r * r - over * over));
  });
  ExpectNear(CalcMeshMass(capsule, MeshMass::Exact), *CalcSolid(Make(ShapeType::Capsule, r, h, 0)), 3e-4);
  ExpectNear(CalcMeshMass(capsule, MeshMass::Shell), *CalcShell(Make(ShapeType::Capsule, r, h, 0)), 3e-4);
}

TEST(MassProperties, OfCylindersAddUp) {
  const double r = 0.3, h = 0.7;
  const MassProperties solid = *CalcSolid(Make(ShapeType::Cylinder, r, h, 0));
  EXPECT_DOUBLE_EQ(solid.central(2, 2), solid.measure * r * r / 2);
  EXPECT_DOUBLE_EQ(solid.central(0, 0), solid.measure * (3 * r * r + 4 * h * h) / 12);
  // The shell is how the solid grows.
  const double step = 1e-5;
  const MassProperties more = *CalcSolid(Make(ShapeType::Cylinder, r + step, h + step, 0));
  const MassProperties less = *CalcSolid(Make(ShapeType::Cylinder, r - step, h - step, 0));
  MassProperties growth;
  growth.measure = (more.measure - less.measure) / (2 * step);
  growth.central = (more.central - less.central) / (2 * step);
  ExpectNear(*CalcShell(Make(ShapeType::Cylinder, r, h, 0)), growth, 1e-8);
}

TEST(MassProperties, OfBoxesAgreeWithMeshesAndOfEllipsoidsWithSpheres) {
  const Vector3 half(0.1, 0.2, 0.4), centre(1, -2, 3);
  std::vector<Vector3> corners(8);
  for (int i = 0; i < 8; ++i) {
    corners[i] = centre + Vector3(i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]);
  }
  const TriangleMesh mesh = MakeConvexHull(corners, "test");
  const Shape box = Make(ShapeType::Box, half[0], half[1], half[2]);
  MassProperties solid = *CalcSolid(box), shell = *CalcShell(box);
  solid.com = shell.com = centre;
  ExpectNear(CalcMeshMass(mesh, MeshMass::Exact), solid, 1e-12);
  ExpectNear(CalcMeshMass(mesh, MeshMass::Legacy), solid, 1e-12);
  ExpectNear(CalcMeshMass(mesh, MeshMass::Shell), shell, 1e-12);
  EXPECT_FALSE(FindRepeatedEdge(mesh));
  TriangleMesh flipped = mesh;
  std::swap(flipped.triangles[0][0], flipped.triangles[0][1]);
  EXPECT_TRUE(FindRepeatedEdge(flipped));

  ExpectNear(*CalcSolid(Make(ShapeType::Ellipsoid, 0.3, 0.3, 0.3)), *CalcSolid(Make(ShapeType::Sphere, 0.3, 0, 0)),
             1e-12);
  EXPECT_FALSE(CalcSolid(Make(ShapeType::HalfSpace, 0, 0, 0)));
  EXPECT_FALSE(CalcShell(Make(ShapeType::Ellipsoid, 1, 1, 1)));
}

}  // namespace
}  // namespace tactus
