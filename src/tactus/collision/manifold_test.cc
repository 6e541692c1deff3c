// Manifolds of known configurations: how many points, where, which normals; and features that stay.
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/collision/collision_testing.h"

namespace tactus {
namespace {

constexpr double kMargin = 1e-3;

class Manifold : public ::testing::Test {
 protected:
  const ContactManifold& Collide(const TestShape& a, const Pose& X_WA, const TestShape& b, const Pose& X_WB) {
    CollideShapes(*a.prepared, X_WA, *b.prepared, X_WB, margin_, &scratch_, &manifold_);
    return manifold_;
  }

  static void ExpectAll(const ContactManifold& manifold, const Vector3& normal, double gap) {
    for (const ContactPoint& contact : manifold.points) {
      EXPECT_LT((contact.normal - normal).norm(), 1e-9);
      EXPECT_NEAR(contact.gap, gap, 1e-9);
    }
  }

  static std::set<std::uint64_t> Features(const ContactManifold& manifold) {
    std::set<std::uint64_t> features;
    for (const ContactPoint& contact : manifold.points) features.insert(contact.feature);
    return features;
  }

  static double Area(const ContactManifold& manifold) {  // of the hull in x and y
    Aabb box;
    for (const ContactPoint& contact : manifold.points) box.Extend(contact.point);
    return (box.high[0] - box.low[0]) * (box.high[1] - box.low[1]);
  }

  double margin_ = kMargin;
  CollisionScratch scratch_;
  ContactManifold manifold_;
  const TestShape plane_ = MakeTestShape(ShapeType::HalfSpace, Vector3::Zero());
  const TestShape box_ = MakeTestShape(ShapeType::Box, Vector3(0.5, 0.4, 0.3));
  const TestShape table_ = MakeTestShape(ShapeType::Box, Vector3(2, 2, 0.5));
  const Pose table_pose_{Vector3(0, 0, -0.5)};
  const Matrix3 lying_ = RotationFromZ(Vector3::UnitX());
};

TEST_F(Manifold, OnAPlaneAndOnATable) {
  const TestShape hull = MakeTestMesh(MakeBoxMesh(Vector3(0.5, 0.4, 0.3)).vertices);
  const TestShape cylinder = MakeTestShape(ShapeType::Cylinder, Vector3(0.3, 0.5, 0));
  const TestShape capsule = MakeTestShape(ShapeType::Capsule, Vector3(0.2, 0.5, 0));
  const TestShape sphere = MakeTestShape(ShapeType::Sphere, Vector3(0.3, 0, 0));
  const TestShape ellipsoid = MakeTestShape(ShapeType::Ellipsoid, Vector3(0.4, 0.5, 0.3));
  const TestShape table_hull = MakeTestMesh(MakeBoxMesh(Vector3(2, 2, 0.5)).vertices);
  struct Case {
    const char* name;
    const TestShape* shape;
    Matrix3 R;
    double height;
    int points;
    double area;
  };
  const Matrix3 upright = Matrix3::Identity();
  const Matrix3 turned = ExpRotation(Vector3(0, 0, 0.3)).toRotationMatrix();
  const std::vector<Case> cases = {
      {"box", &box_, upright, 0.3, 4, 0.8},
      {"box as a hull", &hull, upright, 0.3, 4, 0.8},
      {"turned box", &box_, turned, 0.3, 4, 0},
      {"standing cylinder", &cylinder, upright, 0.5, 8, 0.36},
      {"lying cylinder", &cylinder, lying_, 0.3, 2, 0},
      {"lying capsule", &capsule, lying_, 0.2, 2, 0},
      {"standing capsule", &capsule, upright, 0.7, 1, 0},
      {"sphere", &sphere, upright, 0.3, 1, 0},
      {"ellipsoid", &ellipsoid, upright, 0.3, 1, 0},
  };
  for (const Case& c : cases) {
    for (const double gap : {0.0, 5e-4, -5e-4, -0.01}) {
      const Pose X(c.R, Vector3(0.1, -0.2, c.height + gap));
      const std::pair<const TestShape*, Pose> floors[] = {
          {&plane_, Pose()}, {&table_, table_pose_}, {&table_hull, table_pose_}};
      for (const auto& [floor, X_floor] : floors) {
        SCOPED_TRACE(std::string(c.name) + " " + ToString(floor->shape.type) + " " + std::to_string(gap));
        const ContactManifold& manifold = Collide(*c.shape, X, *floor, X_floor);
        EXPECT_EQ(manifold.size(), c.points);
        ExpectAll(manifold, Vector3::UnitZ(), gap);
        for (const ContactPoint& contact : manifold.points) EXPECT_NEAR(contact.point[2], 0.5 * gap, 1e-9);
        if (c.area > 0) {
          EXPECT_NEAR(Area(manifold), c.area, 1e-9);
        }
      }
    }
    EXPECT_TRUE(Collide(*c.shape, Pose(c.R, Vector3(0, 0, c.height + 0.0011)), plane_, Pose()).empty());
    EXPECT_TRUE(Collide(*c.shape, Pose(c.R, Vector3(0, 0, c.height + 0.0011)), table_, table_pose_).empty());
  }
}

TEST_F(Manifold, BoxesCoverWhatTheirFacesHaveInCommon) {
  // Half on, half off.
  EXPECT_EQ(Collide(box_, Pose(Vector3(0.5, 0.4, 0.6)), box_, Pose()).size(), 4);
  EXPECT_NEAR(Area(manifold_), 0.2, 1e-12);
  ExpectAll(manifold_, Vector3::UnitZ(), 0);
  // Turned by 45 degrees, an octagon.
  const TestShape cube = MakeTestShape(ShapeType::Box, Vector3(0.5, 0.5, 0.5));
  const Matrix3 turned = ExpRotation(Vector3(0, 0, M_PI / 4)).toRotationMatrix();
  EXPECT_EQ(Collide(cube, Pose(turned, Vector3(0, 0, 1)), cube, Pose()).size(), 8);
  // On an edge, lengthwise and crosswise; on a corner.
  const Matrix3 on_edge = ExpRotation(Vector3(M_PI / 4, 0, 0)).toRotationMatrix();
  EXPECT_EQ(Collide(cube, Pose(on_edge, Vector3(0, 0, 0.5 + 0.5 * std::sqrt(2.0))), cube, Pose()).size(), 2);
  const Matrix3 crosswise = ExpRotation(Vector3(0, M_PI / 4, 0)).toRotationMatrix();
  EXPECT_EQ(
      Collide(cube, Pose(on_edge, Vector3(0, 0, std::sqrt(2.0) - 1e-5)), cube, Pose(crosswise, Vector3::Zero())).size(),
      1);
  ExpectAll(manifold_, Vector3::UnitZ(), -1e-5);
  const Matrix3 on_corner = RotationFromZ(Vector3(1, 1, 1).normalized()).transpose();
  EXPECT_EQ(Collide(cube, Pose(on_corner, Vector3(0.1, 0.2, 0.5 + 0.5 * std::sqrt(3.0))), cube, Pose()).size(), 1);
}

TEST_F(Manifold, CapsulesAlongEachOther) {
  const TestShape capsule = MakeTestShape(ShapeType::Capsule, Vector3(0.1, 0.5, 0));
  const Pose below(lying_, Vector3::Zero());
  EXPECT_EQ(Collide(capsule, Pose(lying_, Vector3(0.3, 0, 0.2)), capsule, below).size(), 2);
  ExpectAll(manifold_, Vector3::UnitZ(), 0);
  const Matrix3 across = RotationFromZ(Vector3::UnitY());
  EXPECT_EQ(Collide(capsule, Pose(across, Vector3(0.3, 0, 0.2)), capsule, below).size(), 1);
  ExpectAll(manifold_, Vector3::UnitZ(), 0);
  EXPECT_EQ(Collide(capsule, Pose(lying_, Vector3(1.2, 0, 0)), capsule, below).size(), 1);
  ExpectAll(manifold_, Vector3::UnitX(), 0);
}

// Round lines at an angle touch in one place, and their ends are a hair apart: (s angle)^2 / 2r at a distance s.
TEST_F(Manifold, LinesAtAnAngleHaveTheirEndsToo) {
  const TestShape capsule = MakeTestShape(ShapeType::Capsule, Vector3(0.1, 0.5, 0)),
                  cylinder = MakeTestShape(ShapeType::Cylinder, Vector3(0.1, 0.5, 0)),
                  cube = MakeTestShape(ShapeType::Box, Vector3(0.5, 0.5, 0.5));
  const double angle = 0.15, lateral = 0.5 * std::sin(angle);
  const Matrix3 turned = ExpRotation(Vector3(0, 0, angle)).toRotationMatrix() * lying_;
  const Matrix3 on_edge = ExpRotation(Vector3(M_PI / 4, 0, 0)).toRotationMatrix();
  const auto expect = [&](const TestShape& upper, const TestShape& lower, const Pose& X_lower, double reach) {
    Collide(upper, Pose(turned, Vector3(0, 0, reach)), lower, X_lower);
    int ends = 0;
    for (const ContactPoint& contact : manifold_.points) {
      if (std::abs(contact.point[0]) < 0.4) continue;
      ++ends;
      EXPECT_NEAR(contact.gap, std::hypot(reach, lateral) - reach, 2e-3);
      EXPECT_GT(contact.gap, 1e-3);
      // Towards where the upper one is, there.
      EXPECT_NEAR(std::abs(contact.normal[1]), lateral / std::hypot(reach, lateral), 1e-2);
      EXPECT_GT(contact.normal[1] * contact.point[0], 0);
    }
    EXPECT_EQ(ends, 2);
    EXPECT_NEAR(Deepest(manifold_)->gap, 0, 1e-9);
  };
  margin_ = 0.05;
  const Pose lying(lying_, Vector3::Zero());
  expect(capsule, capsule, lying, 0.2);
  expect(capsule, cylinder, lying, 0.2);
  expect(cylinder, capsule, lying, 0.2);
  expect(cylinder, cylinder, lying, 0.2);
  // The edge is on top, where z is 0.
  expect(capsule, cube, Pose(on_edge, Vector3(0, 0, -std::sqrt(0.5))), 0.1);
}

TEST_F(Manifold, SmallTiltsKeepAllPointsWithinTheMargin) {
  for (const double tilt : {1e-12, 1e-9, 1e-6, 1e-4}) {
    const Matrix3 R = ExpRotation(Vector3(tilt, 0.7 * tilt, 0)).toRotationMatrix();
    for (const double gap : {-1e-4, -1e-9, 0.0, 1e-12, 1e-9, 1e-5, 1e-4}) {
      SCOPED_TRACE(std::to_string(tilt) + " " + std::to_string(gap));
      EXPECT_EQ(Collide(box_, Pose(R, Vector3(0, 0, 0.3 + gap)), table_, table_pose_).size(), 4);
      for (const ContactPoint& contact : manifold_.points) {
        EXPECT_LT((contact.normal - Vector3::UnitZ()).norm(), 2 * tilt + 1e-9);
        EXPECT_NEAR(contact.gap, gap, tilt + 1e-9);
      }
      EXPECT_EQ(Collide(MakeTestMesh(MakeBoxMesh(Vector3(0.5, 0.4, 0.3)).vertices), Pose(R, Vector3(0, 0, 0.3 + gap)),
                        table_, table_pose_)
                    .size(),
                4);
    }
  }
}

TEST_F(Manifold, FeaturesStayWhileShapesMoveALittle) {
  const TestShape hull = MakeTestMesh(MakeBoxMesh(Vector3(0.5, 0.4, 0.3)).vertices);
  const TestShape cylinder = MakeTestShape(ShapeType::Cylinder, Vector3(0.3, 0.3, 0));
  Random random(5);
  for (const TestShape* shape : {&box_, &hull, &cylinder}) {
    for (const TestShape* floor : {&table_, &plane_}) {
      const Pose X_floor = floor == &table_ ? table_pose_ : Pose();
      Pose X(ExpRotation(Vector3(0, 0, 0.3)).toRotationMatrix(), Vector3(0, 0, 0.3));
      std::set<std::uint64_t> before;
      for (int step = 0; step < 200; ++step) {
        X.p += Vector3(1e-3, 5e-4, 0);
        X.p[2] = 0.3 + 1e-5 * random.Uniform(-1, 1);
        // The cylinder leans by its rim, which adds a point: it stays upright here.
        const Vector3 turn = shape == &cylinder ? Vector3(0, 0, 1e-3) : Vector3(1e-5 * MakeRandomDirection(&random));
        X.R = ExpRotation(turn).toRotationMatrix() * X.R;
        if (shape == &box_ || shape == &hull) {
          X.R = ExpRotation(X.R.col(2).cross(Vector3::UnitZ())).toRotationMatrix() * X.R;
        }
        const std::set<std::uint64_t> now = Features(Collide(*shape, X, *floor, X_floor));
        EXPECT_EQ(now.size(), manifold_.points.size());
        if (step > 0) {
          EXPECT_EQ(now, before) << step;
        }
        before = now;
      }
    }
  }
}

TEST_F(Manifold, SwappingTurnsNormalsAndFeatures) {
  const ContactManifold one = Collide(box_, Pose(Vector3(0, 0, 0.3)), plane_, Pose());
  const ContactManifold& other = Collide(plane_, Pose(), box_, Pose(Vector3(0, 0, 0.3)));
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.points.size(); ++i) {
    EXPECT_EQ(one.points[i].normal, -other.points[i].normal);
    EXPECT_EQ(one.points[i].feature >> 32, other.points[i].feature & 0xffffffffu);
  }
}

TEST_F(Manifold, SameInputSameBits) {
  Random random(9);
  CollisionScratch fresh;
  ContactManifold first, second;
  for (int i = 0; i < 200; ++i) {
    const TestShape a = MakeRandomShape(ShapeType::Mesh, &random), b = MakeRandomShape(ShapeType::Cylinder, &random);
    const Pose X_WA = MakeRandomPose(0.5, &random), X_WB = MakeRandomPose(0.5, &random);
    CollideShapes(*a.prepared, X_WA, *b.prepared, X_WB, 0.1, &scratch_, &first);
    CollisionScratch another;
    CollideShapes(*a.prepared, X_WA, *b.prepared, X_WB, 0.1, &another, &second);
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t k = 0; k < first.points.size(); ++k) {
      EXPECT_EQ(first.points[k].point, second.points[k].point);
      EXPECT_EQ(first.points[k].gap, second.points[k].gap);
      EXPECT_EQ(first.points[k].feature, second.points[k].feature);
    }
  }
}

}  // namespace
}  // namespace tactus
