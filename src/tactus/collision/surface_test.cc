// Convex shapes on surfaces of triangles.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/collision/collision_testing.h"
#include "tactus/geometry/convex_hull.h"

namespace tactus {
namespace {

class Surface : public ::testing::Test {
 protected:
  const ContactManifold& Collide(const TestShape& a, const Pose& X_WA, const TestShape& b, const Pose& X_WB,
                                 double margin = 1e-3) {
    CollideShapes(*a.prepared, X_WA, *b.prepared, X_WB, margin, &scratch_, &manifold_);
    for (const ContactPoint& contact : manifold_.points) {
      EXPECT_TRUE(contact.point.allFinite() && std::isfinite(contact.gap));
      EXPECT_NEAR(contact.normal.norm(), 1, 1e-12);
      EXPECT_LE(contact.gap, margin);
    }
    return manifold_;
  }

  // On a flat surface nothing but the plane may be felt.
  void ExpectFlat(const Vector3& normal, double gap) {
    for (const ContactPoint& contact : manifold_.points) {
      EXPECT_LT((contact.normal - normal).norm(), 1e-9);
      EXPECT_NEAR(contact.gap, gap, 1e-9);
    }
  }

  CollisionScratch scratch_;
  ContactManifold manifold_;
  const TestShape plate_ = MakeTestSurface(MakePlate(10, 1));
  const TestShape box_ = MakeTestShape(ShapeType::Box, Vector3(0.25, 0.2, 0.15));
};

TEST_F(Surface, EdgesInsideAPlateAreNotFelt) {
  const TestShape sphere = MakeTestShape(ShapeType::Sphere, Vector3(0.1, 0, 0));
  const TestShape capsule = MakeTestShape(ShapeType::Capsule, Vector3(0.1, 0.2, 0));
  const TestShape cylinder = MakeTestShape(ShapeType::Cylinder, Vector3(0.1, 0.1, 0));
  const TestShape hull = MakeTestMesh(MakeBoxMesh(Vector3(0.25, 0.2, 0.15)).vertices);
  struct Case {
    const TestShape* shape;
    Matrix3 R;
    double height;
    int points;
  };
  const Matrix3 upright = Matrix3::Identity(), lying = RotationFromZ(Vector3::UnitX());
  const std::vector<Case> cases = {{&sphere, upright, 0.1, 1},   {&capsule, lying, 0.1, 2},
                                   {&box_, upright, 0.15, 4},    {&hull, upright, 0.15, 4},
                                   {&cylinder, upright, 0.1, 8}, {&cylinder, lying, 0.1, 2}};
  Random random(2);
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(ToString(c.shape->shape.type)) + " " + std::to_string(c.points));
    for (int i = 0; i < 300; ++i) {
      const double gap = i % 3 == 0 ? 0 : (i % 3 == 1 ? 5e-4 : -5e-3);
      // Some exactly over edges and vertices.
      Vector3 p(random.Uniform(-0.6, 0.6), random.Uniform(-0.6, 0.6), c.height + gap);
      if (i % 5 == 0) p[0] = 0.2;
      if (i % 10 == 0) p[1] = -0.4;
      const Matrix3 R = ExpRotation(Vector3(0, 0, i % 7 == 0 ? 0.0 : 0.1 * i)).toRotationMatrix() * c.R;
      Collide(*c.shape, Pose(R, p), plate_, Pose());
      EXPECT_EQ(manifold_.size(), c.points) << i;
      ExpectFlat(Vector3::UnitZ(), gap);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST_F(Surface, SheetsAreTouchedFromBothSides) {
  Collide(box_, Pose(Vector3(0.1, 0.2, -0.15 + 5e-4)), plate_, Pose());
  EXPECT_EQ(manifold_.size(), 4);
  ExpectFlat(-Vector3::UnitZ(), -5e-4);
}

TEST_F(Surface, SolidsPushOutwardsOnly) {
  const TestShape solid = MakeTestSurface(MakeBoxMesh(Vector3(1, 1, 1)));
  EXPECT_TRUE(solid.prepared->surface()->one_sided());
  EXPECT_FALSE(plate_.prepared->surface()->one_sided());
  Collide(box_, Pose(Vector3(0.1, 0.2, 1.15 - 1e-3)), solid, Pose());
  EXPECT_EQ(manifold_.size(), 4);
  ExpectFlat(Vector3::UnitZ(), -1e-3);
  // Over the rim of the top, half of it in the air.
  Collide(box_, Pose(Vector3(1, 0.2, 1.15 - 1e-3)), solid, Pose());
  EXPECT_EQ(manifold_.size(), 4);
  ExpectFlat(Vector3::UnitZ(), -1e-3);
  EXPECT_TRUE(Collide(box_, Pose(Vector3::Zero()), solid, Pose()).empty());  // in the middle of it
}

// A closed convex surface has the distances of its hull, as long as it is not entered.
TEST_F(Surface, AgreesWithConvexShapes) {
  Random random(6);
  int touching = 0;
  for (int i = 0; i < 2000; ++i) {
    const TestShape hull = MakeRandomShape(ShapeType::Mesh, &random);
    const TestShape surface = MakeTestSurface(MakeConvexHull(hull.shape.mesh->vertices, "hull"));
    constexpr ShapeType kTypes[] = {ShapeType::Sphere,   ShapeType::Capsule,   ShapeType::Box,
                                    ShapeType::Cylinder, ShapeType::Ellipsoid, ShapeType::Mesh};
    const TestShape other = MakeRandomShape(kTypes[i % 6], &random);
    const Pose X_WA = MakeRandomPose(random.Uniform(0.5, 2), &random), X_WB = MakeRandomPose(0.3, &random);
    ContactManifold convex;
    CollideShapes(*other.prepared, X_WA, *hull.prepared, X_WB, 0.2, &scratch_, &convex);
    const ContactPoint* expected = Deepest(convex);
    if (expected != nullptr && expected->gap < 0) continue;
    const ContactPoint* found = Deepest(Collide(other, X_WA, surface, X_WB, 0.2));
    ASSERT_EQ(found == nullptr, expected == nullptr) << i;
    if (found == nullptr) continue;
    ++touching;
    EXPECT_NEAR(found->gap, expected->gap, 1e-8) << i << " " << ToString(other.shape.type);
    if (expected->gap > 1e-3) {
      EXPECT_LT((found->normal - expected->normal).norm(), 1e-4) << i;
    }
  }
  EXPECT_GT(touching, 100);
}

TEST_F(Surface, ValleyTouchesOnBothSlopes) {
  TriangleMesh valley;  // along y, slopes of 45 degrees
  valley.vertices = {Vector3(-1, -1, 1), Vector3(0, -1, 0), Vector3(1, -1, 1),
                     Vector3(-1, 1, 1),  Vector3(0, 1, 0),  Vector3(1, 1, 1)};
  valley.triangles = {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}};
  const TestShape surface = MakeTestSurface(valley);
  const TestShape sphere = MakeTestShape(ShapeType::Sphere, Vector3(0.2, 0, 0));
  Collide(sphere, Pose(Vector3(0, 0.1, 0.2 * std::sqrt(2.0))), surface, Pose());
  ASSERT_EQ(manifold_.size(), 2);
  for (const ContactPoint& contact : manifold_.points) {
    EXPECT_NEAR(contact.gap, 0, 1e-12);
    EXPECT_NEAR(contact.normal[2], std::sqrt(0.5), 1e-12);
  }
  EXPECT_NEAR(manifold_.points[0].normal[0], -manifold_.points[1].normal[0], 1e-12);
}

TEST_F(Surface, HeightFieldsAreSolidBelow) {
  HeightField field{21, 21, 2, 2, {}};
  for (int r = 0; r < 21; ++r) {
    for (int c = 0; c < 21; ++c) field.heights.push_back(0.1 * (0.2 * c - 2));  // a slope along x
  }
  const TestShape slope = MakeTestHeightField(field);
  const Vector3 normal = Vector3(-0.1, 0, 1).normalized();
  const TestShape sphere = MakeTestShape(ShapeType::Sphere, Vector3(0.2, 0, 0));
  Random random(8);
  for (int i = 0; i < 200; ++i) {
    const double x = random.Uniform(-1.5, 1.5), y = random.Uniform(-1.5, 1.5), gap = random.Uniform(-0.05, 9e-4);
    Collide(sphere, Pose(Vector3(x, y, 0.1 * x) + (0.2 + gap) * normal), slope, Pose());
    EXPECT_EQ(manifold_.size(), 1);
    ExpectFlat(normal, gap);
  }
  const Matrix3 R = RotationFromZ(normal);
  Collide(box_, Pose(R, Vector3(0.15 * normal)), slope, Pose());
  EXPECT_EQ(manifold_.size(), 4);
  ExpectFlat(normal, 0);
}

TEST_F(Surface, ShapesMayBeFarFromTheirOrigin) {
  std::vector<Vector3> corners = MakeBoxMesh(Vector3(0.25, 0.2, 0.15)).vertices;
  for (Vector3& p : corners) p[2] += 5;
  const TestShape hull = MakeTestMesh(corners);  // its origin is 5 m below
  const TestShape solid = MakeTestSurface(MakeBoxMesh(Vector3(1, 1, 1)));
  const TestShape terrain = MakeTestHeightField({9, 9, 1, 1, std::vector<double>(81, 0.0)});
  for (const double gap : {5e-4, -5e-4, -5e-3}) {
    Collide(hull, Pose(Vector3(0.03, 0.04, 0.15 - 5 + gap)), plate_, Pose());
    EXPECT_EQ(manifold_.size(), 4);
    ExpectFlat(Vector3::UnitZ(), gap);
    Collide(hull, Pose(Vector3(0.03, 0.04, 0.15 - 5 + gap)), terrain, Pose());
    EXPECT_EQ(manifold_.size(), 4);
    ExpectFlat(Vector3::UnitZ(), gap);
    Collide(hull, Pose(Vector3(0.03, 0.04, 1.15 - 5 + gap)), solid, Pose());
    EXPECT_EQ(manifold_.size(), 4);
    ExpectFlat(Vector3::UnitZ(), gap);
  }
}

TEST_F(Surface, OnAHalfSpaceWithTheCornersOfItsHull) {
  const TestShape solid = MakeTestSurface(MakeBoxMesh(Vector3(1, 1, 1)));
  const TestShape plane = MakeTestShape(ShapeType::HalfSpace, Vector3::Zero());
  Collide(solid, Pose(Vector3(0, 0, 1)), plane, Pose());
  EXPECT_EQ(manifold_.size(), 4);
  ExpectFlat(Vector3::UnitZ(), 0);
}

TEST_F(Surface, FeaturesStayOnAPlate) {
  std::vector<std::uint64_t> before;
  for (int i = 0; i < 20; ++i) {
    Collide(box_, Pose(Vector3(0.013 + 1e-4 * i, 0.021, 0.15 - 1e-5 * i)), plate_, Pose());
    std::vector<std::uint64_t> now;
    for (const ContactPoint& contact : manifold_.points) now.push_back(contact.feature);
    if (i > 0) {
      EXPECT_EQ(now, before);
    }
    before = now;
  }
}

}  // namespace
}  // namespace tactus
