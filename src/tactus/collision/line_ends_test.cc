#include "tactus/collision/line_ends.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "tactus/collision/collision_testing.h"

namespace tactus {
namespace {

void ExpectOnBoth(const TestShape& a, const Pose& X_WA, const TestShape& b, const Pose& X_WB, const Vector3& point,
                  const Vector3& normal, double gap) {
  EXPECT_NEAR(normal.norm(), 1, 1e-12);
  EXPECT_NEAR(ReferenceOutside(a.shape, X_WA, point + 0.5 * gap * normal), 0, 1e-9);
  EXPECT_NEAR(ReferenceOutside(b.shape, X_WB, point - 0.5 * gap * normal), 0, 1e-9);
}

// b's rim is nearest to a's mantle, and b leans: a normal of a is none of b's mantle.
TEST(LineEnds, ARimThatLeansOnAMantle) {
  const Vector3 size(0.80417187711019711, 0.21497452744655227, 0);
  const TestShape cylinder = MakeTestShape(ShapeType::Cylinder, Vector3(0.13168349820169345, 0.14276808993410747, 0));
  const Pose X_WB(RotationFromZ(Vector3(-0.056204349649010152, -0.028496205893939197, -0.99801254367376657)),
                  Vector3(0.43190492619963478, -0.92901878252574999, -0.23938350464798022));
  for (const ShapeType type : {ShapeType::Capsule, ShapeType::Cylinder}) {
    SCOPED_TRACE(ToString(type));
    const TestShape large = MakeTestShape(type, size);
    CollisionScratch scratch;
    ContactManifold manifold;
    CollideShapes(*large.prepared, Pose(), *cylinder.prepared, X_WB, 0.3, &scratch, &manifold);
    EXPECT_EQ(manifold.size(), 2);
    for (const ContactPoint& c : manifold.points) {
      ExpectOnBoth(large, Pose(), cylinder, X_WB, c.point, c.normal, c.gap);
    }
  }
}

// Capsules across each other: where one ends, its half sphere does not look towards the other one.
TEST(LineEnds, CapsulesAcrossEachOther) {
  const TestShape capsule = MakeTestShape(ShapeType::Capsule, Vector3(0.1, 0.5, 0));
  const Pose X_WA(RotationFromZ(Vector3(std::cos(0.15), std::sin(0.15), 0)), Vector3(0, 0, 0.2));
  const Pose X_WB(RotationFromZ(Vector3::UnitX()), Vector3::Zero());
  CollisionScratch scratch;
  ContactManifold manifold;
  CollideShapes(*capsule.prepared, X_WA, *capsule.prepared, X_WB, 0.05, &scratch, &manifold);
  EXPECT_EQ(manifold.size(), 3);
  for (const ContactPoint& c : manifold.points) {
    ExpectOnBoth(capsule, X_WA, capsule, X_WB, c.point, c.normal, c.gap);
  }
}

// A mantle just beyond the edge of a face: no line of the face is below it, and the normal all but that of the face.
// It touches along the edge, and must be held at both ends.
TEST(LineEnds, AMantleBesideAFace) {
  const double radius = 0.02, half = 0.025;
  const Vector3 box_size(0.03, 0.02, 0.015);
  const TestShape box = MakeTestShape(ShapeType::Box, box_size);
  for (const ShapeType type : {ShapeType::Capsule, ShapeType::Cylinder}) {
    const TestShape round = MakeTestShape(type, Vector3(radius, half, 0));
    for (const double turn : {-0.1, -0.018, -0.002, 0.002, 0.018, 0.1}) {
      for (const double lean : {0.0, 0.005, 0.03, 0.06, 0.09, 0.12, 0.3}) {
        SCOPED_TRACE(std::string(ToString(type)) + " " + std::to_string(turn) + " " + std::to_string(lean));
        // Seen from above the axis is beyond the edge, at its nearer end so far that the normal leans.
        const Vector3 axis(std::cos(turn), std::sin(turn), 0);
        const Vector3 middle(0, box_size[1] + half * std::abs(axis[1]) + radius * std::sin(lean),
                             box_size[2] + radius * std::cos(lean));
        for (const bool swapped : {false, true}) {
          const Pose X_WR(RotationFromZ(axis), middle);
          CollisionScratch scratch;
          ContactManifold manifold;
          if (swapped) {
            CollideShapes(*round.prepared, X_WR, *box.prepared, Pose(), 1e-3, &scratch, &manifold);
          } else {
            CollideShapes(*box.prepared, Pose(), *round.prepared, X_WR, 1e-3, &scratch, &manifold);
          }
          double low = 1, high = -1;
          for (const ContactPoint& c : manifold.points) {
            low = std::min(low, c.point[0]);
            high = std::max(high, c.point[0]);
          }
          // The farther end may be beyond the margin.
          const double far = radius * std::sin(lean) + 2 * half * std::abs(axis[1]);
          const double height = radius * std::cos(lean);
          if (std::hypot(far, height) - radius > 1e-3) continue;
          EXPECT_LT(low, -0.98 * half);
          EXPECT_GT(high, 0.98 * half);
        }
      }
    }
  }
}

// At any small angle, apart or in each other, thick and thin.
TEST(LineEnds, PointsAreOnBothSurfaces) {
  Random random(3);
  int ends = 0;
  for (int i = 0; i < 20000; ++i) {
    SCOPED_TRACE(i);
    const auto make = [&](bool capsule) {
      const double radius = std::pow(10, random.Uniform(-2.5, -0.3)), half = random.Uniform(0.1, 1);
      return MakeTestShape(capsule ? ShapeType::Capsule : ShapeType::Cylinder, Vector3(radius, half, 0));
    };
    const TestShape a = make((i & 1) != 0), b = make((i & 2) != 0);
    const Vector3 z = MakeRandomDirection(&random);
    const Vector3 turn = random.Uniform(0, 0.5) * MakeRandomDirection(&random);
    const Vector3 side = z.cross(MakeRandomDirection(&random)).normalized();
    const Pose X_WA(RotationFromZ(z), random.Uniform(-0.5, 0.5) * z +
                                          random.Uniform(0.5, 1.2) * (a.shape.size[0] + b.shape.size[0]) * side);
    const Pose X_WB(RotationFromZ(ExpRotation(turn) * ((i & 4) != 0 ? z : Vector3(-z))), Vector3::Zero());
    const auto line = [](const TestShape& shape, const Pose& X) {
      return RoundLine{X.p, X.R.col(2), shape.shape.size[1], shape.shape.size[0],
                       shape.shape.type == ShapeType::Capsule};
    };
    LineEnd out[2];
    const int count = CalcLineEnds(line(a, X_WA), line(b, X_WB), side, 1e-3, out);
    ends += count;
    for (int k = 0; k < count; ++k) {
      ExpectOnBoth(a, X_WA, b, X_WB, out[k].point, out[k].normal, out[k].gap);
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(ends, 20000);
}

// An edge says where the point is, however deep it is in the mantle.
TEST(LineEnds, AnEdgeInAMantle) {
  const double angle = 0.1, radius = 0.2;
  const RoundLine edge{Vector3::Zero(), Vector3::UnitX(), 0.5, 0, false};
  const Vector3 along(std::cos(angle), std::sin(angle), 0);
  for (const double height : {0.21, 0.2, 0.19, 0.1}) {
    for (const double half : {0.3, 0.8}) {  // the mantle ends, the edge ends
      const RoundLine mantle{height * Vector3::UnitZ(), along, half, radius, false};
      LineEnd out[2];
      ASSERT_EQ(CalcLineEnds(mantle, edge, Vector3::UnitZ(), 1e-3, out), 2);
      for (const LineEnd& end : out) {
        EXPECT_EQ(end.a_ends, half < 0.5);
        const Vector3 on_edge = end.point - 0.5 * end.gap * end.normal;
        EXPECT_NEAR(on_edge.tail<2>().norm(), 0, 1e-12);
        EXPECT_NEAR(std::abs(on_edge[0]), half < 0.5 ? half / std::cos(angle) : 0.5, 1e-12);
        EXPECT_NEAR(end.gap, std::hypot(height, std::sin(angle) * on_edge[0]) - radius, 1e-12);
        EXPECT_NEAR(end.normal.dot(along), 0, 1e-12);
        EXPECT_GT(end.normal[2], 0.5);
      }
    }
  }
}

}  // namespace
}  // namespace tactus
