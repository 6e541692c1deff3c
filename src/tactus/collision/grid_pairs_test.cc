// Concave meshes as grid fields, on each other and on shapes.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tactus/collision/collision_testing.h"
#include "tactus/geometry/fields/grid.h"

namespace tactus {
namespace {

TestShape MakeGridShape(const TriangleMesh& mesh, double cell) {
  TestShape out;
  out.shape.type = ShapeType::Field;
  out.shape.field = MakeGridField(mesh, {.cell = cell, .cached = false}, "test");
  out.prepared = CollisionShape::Make(out.shape, "test");
  return out;
}

// From 0 to 1 in x and y, 0.3 wide, 0.4 high.
TriangleMesh MakeHookMesh() {
  TriangleMesh mesh;
  for (const double z : {0.0, 0.4}) {
    for (const Vector2& p :
         {Vector2(0, 0), Vector2(1, 0), Vector2(1, 0.3), Vector2(0.3, 0.3), Vector2(0.3, 1), Vector2(0, 1)}) {
      mesh.vertices.emplace_back(p[0], p[1], z);
    }
  }
  for (int i = 1; i < 5; ++i) {
    mesh.triangles.push_back({0, i + 1, i});
    mesh.triangles.push_back({6, 6 + i, 7 + i});
  }
  for (int i = 0; i < 6; ++i) {
    const int j = (i + 1) % 6;
    mesh.triangles.push_back({i, j, j + 6});
    mesh.triangles.push_back({i, j + 6, i + 6});
  }
  return mesh;
}

TEST(GridPairs, ConcaveMeshesCollideAsFieldsOnly) {
  const TestShape mesh = MakeTestSurface(MakeHookMesh()), field = MakeGridShape(MakeHookMesh(), 0.02);
  EXPECT_FALSE(CanCollide(mesh.prepared->kind(), mesh.prepared->kind()));
  EXPECT_TRUE(CanCollide(field.prepared->kind(), field.prepared->kind()));
  EXPECT_TRUE(CanCollide(field.prepared->kind(), mesh.prepared->kind()));
}

// Two L's in each other, one turned by half a turn: each stands with its arm's end on the other's dent.
TEST(GridPairs, HooksInEachOther) {
  const double cell = 0.02;
  const TestShape hook = MakeGridShape(MakeHookMesh(), cell);
  CollisionScratch scratch;
  ContactManifold manifold;
  const Matrix3 turn = ExpRotation(Vector3(0, 0, M_PI)).toRotationMatrix();
  for (const double gap : {-1e-3, 0.0, 2e-3}) {
    CollideShapes(*hook.prepared, Pose(turn, Vector3(0.9, 1.3 + gap, 0.013)), *hook.prepared, Pose(), 5e-3, &scratch,
                  &manifold);
    int lower = 0, upper = 0;
    for (const ContactPoint& c : manifold.points) {
      EXPECT_GE(c.gap, gap - 1e-9);
      if (!(c.normal[1] > 1 - 1e-9) || std::abs(c.gap - gap) > 1e-9) continue;
      lower += std::abs(c.point[1] - 0.3) < 2e-3 ? 1 : 0;
      upper += std::abs(c.point[1] - 1) < 2e-3 ? 1 : 0;
    }
    EXPECT_GE(lower, 4);
    EXPECT_GE(upper, 4);
  }
}

// On its flat faces a grid field is exact, for whatever is put there.
TEST(GridPairs, ShapesOnFlatFaces) {
  const TestShape block = MakeGridShape(MakeBoxMesh({0.5, 0.4, 0.2}), 0.04);
  CollisionScratch scratch;
  ContactManifold manifold;
  for (const ShapeType type : {ShapeType::Sphere, ShapeType::Capsule, ShapeType::Box, ShapeType::Cylinder}) {
    SCOPED_TRACE(ToString(type));
    const TestShape shape = MakeTestShape(type, {0.1, 0.1, 0.1});
    const double height = type == ShapeType::Capsule ? 0.2 : 0.1;
    for (const double gap : {-1e-4, 0.0, 1e-3}) {
      CollideShapes(*shape.prepared, Pose(Vector3(0.05, 0.03, 0.2 + height + gap)), *block.prepared, Pose(), 2e-3,
                    &scratch, &manifold);
      ASSERT_FALSE(manifold.empty());
      EXPECT_NEAR(Deepest(manifold)->gap, gap, 1e-9);
      EXPECT_NEAR(Deepest(manifold)->normal[2], 1, 1e-9);
    }
  }
}

// Against the same mesh as a convex shape.
TEST(GridPairs, GapsAreThoseOfTheMesh) {
  const double cell = 0.03;
  const TestShape twin = MakeTestShape(ShapeType::Box, {0.5, 0.4, 0.2});
  const TestShape block = MakeGridShape(MakeBoxMesh(twin.shape.size), cell);
  CollisionScratch scratch;
  ContactManifold manifold, reference;
  Random random(1);
  int touching = 0;
  double worst = 0;
  for (int i = 0; i < 1000; ++i) {
    const TestShape other = MakeRandomShape(i % 2 == 0 ? ShapeType::Box : ShapeType::Mesh, &random);
    const Pose X = MakeRandomPose(random.Uniform(0.3, 1.5), &random);
    CollideShapes(*other.prepared, X, *block.prepared, Pose(), 0.02, &scratch, &manifold);
    CollideShapes(*other.prepared, X, *twin.prepared, Pose(), 0.02, &scratch, &reference);
    if (reference.empty() || Deepest(reference)->gap < -0.01) continue;
    ++touching;
    ASSERT_FALSE(manifold.empty());
    const double error = std::abs(Deepest(manifold)->gap - Deepest(reference)->gap);
    // Depths are measured otherwise: by a point, not by the way out.
    EXPECT_LE(error, 0.35 * cell);
    if (Deepest(reference)->gap > 0) worst = std::max(worst, error);
  }
  EXPECT_GT(touching, 10);
  EXPECT_LE(worst, 1e-8);
  RecordProperty("worst_gap_error", std::to_string(worst));
}

}  // namespace
}  // namespace tactus
