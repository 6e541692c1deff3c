#include "tactus/inverse/qpcc_projection.h"

#include <gtest/gtest.h>

#include "tactus/inverse/qpcc_projection_check.h"

namespace tactus {
namespace {

TEST(QpccProjection, CostsNoMoreThanADenseGrid) {
  for (const QpccKind kind : {QpccKind::Lcp, QpccKind::Planar, QpccKind::Ncp}) {
    EXPECT_LE(CalcWorstExcess(kind, SlideProjection::Exact, 20000, 1), 1e-9) << ToString(kind);
  }
}

TEST(QpccProjection, AlternatingMissesTheBestSlide) {
  // The paper's scheme is an option, and worse: this also shows that the grid sees differences.
  EXPECT_GT(CalcWorstExcess(QpccKind::Ncp, SlideProjection::Alternating, 20000, 1), 1e-3);
}

TEST(QpccProjection, ObeysTheLaw) {
  Random random(7);
  for (int k = 0; k < 20000; ++k) {
    ProjectionDraw draw = MakeProjectionDraw(QpccKind::Ncp, &random);
    double l[3], s[3];
    Project(draw, SlideProjection::Exact, l, s);
    EXPECT_LE(std::hypot(l[0], l[1]), draw.mu * l[2] + 1e-13);
    EXPECT_GE(s[2], 0);
    EXPECT_EQ(s[2] * l[2], 0);
    const double work = l[0] * s[0] + l[1] * s[1] + draw.mu * l[2] * std::hypot(s[0], s[1]);
    EXPECT_NEAR(work, 0, 1e-12);
  }
}

TEST(QpccProjection, IsInvariantToScaling) {
  // One factor for impulses and one for velocities leaves the law alone, if the weights follow.
  Random random(3);
  for (int k = 0; k < 20000; ++k) {
    const ProjectionDraw draw = MakeProjectionDraw(QpccKind::Ncp, &random);
    const double a = std::exp(random.Uniform(-3, 3)), b = std::exp(random.Uniform(-3, 3));
    ProjectionDraw other = draw;
    for (int i = 0; i < 3; ++i) other.l[i] *= a, other.s[i] *= b;
    other.weights.eta /= a * a;
    other.weights.rho /= b * b;
    double l[3], s[3], l2[3], s2[3];
    Project(draw, SlideProjection::Exact, l, s);
    Project(other, SlideProjection::Exact, l2, s2);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(l2[i] / a, l[i], 1e-7) << "draw " << k;
      EXPECT_NEAR(s2[i] / b, s[i], 1e-7) << "draw " << k;
    }
  }
}

TEST(QpccProjection, LcpWeighsImpulseAgainstVelocity) {
  double l = 1, s = 1.5;
  EXPECT_EQ(ProjectOnLcp({4, 1}, ContactMode::Open, &l, &s), ContactMode::Stick);  // 4 > 2.25
  EXPECT_EQ(l, 1);
  EXPECT_EQ(s, 0);
  l = 1, s = 1.5;
  EXPECT_EQ(ProjectOnLcp({1, 1}, ContactMode::Stick, &l, &s), ContactMode::Open);
  EXPECT_EQ(l, 0);
  EXPECT_EQ(s, 1.5);
}

TEST(QpccProjection, KeepsThePreviousModeOnATie) {
  for (const ContactMode before : {ContactMode::Open, ContactMode::Stick}) {
    double l = 1, s = 1;
    EXPECT_EQ(ProjectOnLcp({1, 1}, before, &l, &s), before);
    double l3[3] = {0, 0, 1}, s3[3] = {0, 0, 1};
    EXPECT_EQ(ProjectOnNcp(0.5, {1, 1}, SlideProjection::Exact, before, l3, s3), before);
  }
}

TEST(QpccProjection, WorksWithoutFriction) {
  double l[3] = {0.3, -0.2, 1}, s[3] = {0.5, 0, -1};
  EXPECT_EQ(ProjectOnNcp(0, {1, 1}, SlideProjection::Exact, ContactMode::Open, l, s), ContactMode::Slip);
  EXPECT_EQ(l[0], 0);
  EXPECT_EQ(l[2], 1);
  EXPECT_EQ(s[0], 0.5);
  EXPECT_EQ(s[2], 0);
}

}  // namespace
}  // namespace tactus
