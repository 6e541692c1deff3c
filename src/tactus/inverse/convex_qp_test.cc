#include "tactus/inverse/convex_qp.h"

#include <limits>

#include <gtest/gtest.h>

#include "tactus/core/random.h"

namespace tactus {
namespace {

ConvexQp MakeRandom(int n, int p, int m, std::uint64_t seed) {
  Random random(seed);
  const auto fill = [&random](MatrixX M) {
    for (Eigen::Index k = 0; k < M.size(); ++k) M.data()[k] = random.Normal();
    return M;
  };
  const MatrixX X = fill(MatrixX(n / 2, n));  // singular on purpose
  const VectorX inside = fill(MatrixX(n, 1));
  ConvexQp qp;
  qp.H = X.transpose() * X;
  qp.q = X.transpose() * fill(MatrixX(n / 2, 1));
  qp.E = fill(MatrixX(p, n));
  qp.e = qp.E * inside;
  qp.G = fill(MatrixX(m, n));
  qp.h = qp.G * inside;
  for (int i = 0; i < m; ++i) qp.h[i] += random.Uniform();
  return qp;
}

TEST(ConvexQp, MeetsTheKktConditions) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const ConvexQp qp = MakeRandom(8, 2, 20, seed);
    const ConvexQpResult r = SolveConvexQp(qp);
    ASSERT_EQ(r.status, ConvexQpStatus::Solved) << seed;
    const VectorX slack = qp.h - qp.G * r.x;
    EXPECT_LE((qp.E * r.x - qp.e).norm(), 1e-8);
    EXPECT_GE(slack.minCoeff(), -1e-8);
    EXPECT_GE(r.z.minCoeff(), 0);
    EXPECT_LE(slack.cwiseProduct(r.z).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LE((qp.H * r.x + qp.q + qp.E.transpose() * r.y + qp.G.transpose() * r.z).norm(), 1e-7);
  }
}

TEST(ConvexQp, ToleratesDependentEqualitiesAndInfiniteBounds) {
  ConvexQp qp = MakeRandom(8, 4, 10, 3);
  qp.E.row(3) = 2 * qp.E.row(1);
  qp.e[3] = 2 * qp.e[1];
  qp.h[0] = std::numeric_limits<double>::infinity();
  const ConvexQpResult r = SolveConvexQp(qp);
  ASSERT_EQ(r.status, ConvexQpStatus::Solved);
  EXPECT_LE((qp.E * r.x - qp.e).norm(), 1e-7);
  EXPECT_EQ(r.z[0], 0);
}

TEST(ConvexQp, SaysWhatIsInfeasible) {
  int infeasible = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    ConvexQp qp = MakeRandom(6, 1, 8, seed);
    qp.G.row(1) = -qp.G.row(0);
    qp.h[1] = -qp.h[0] - 0.5;  // g x <= h_0 and g x >= h_0 + 0.5
    const ConvexQpResult r = SolveConvexQp(qp);
    EXPECT_NE(r.status, ConvexQpStatus::Solved);
    infeasible += r.status == ConvexQpStatus::Infeasible;
  }
  EXPECT_GE(infeasible, 45);
}

// 0 <= h holds whatever x is, or never.
TEST(ConvexQp, RowsOfZerosHoldOrDoNot) {
  ConvexQp qp = MakeRandom(6, 0, 8, 1);
  const ConvexQpResult without = SolveConvexQp(qp);
  ASSERT_EQ(without.status, ConvexQpStatus::Solved);
  qp.G.conservativeResize(9, 6);
  qp.h.conservativeResize(9);
  qp.G.row(8).setZero();
  qp.h[8] = 0.5;
  EXPECT_EQ(SolveConvexQp(qp).x, without.x);
  qp.h[8] = -0.5;
  EXPECT_EQ(SolveConvexQp(qp).status, ConvexQpStatus::Infeasible);
}

TEST(ConvexQp, WithoutConstraintsIsALinearSystem) {
  ConvexQp qp = MakeRandom(4, 0, 0, 1);
  qp.H.diagonal().array() += 1;
  const ConvexQpResult r = SolveConvexQp(qp);
  ASSERT_EQ(r.status, ConvexQpStatus::Solved);
  EXPECT_LE((qp.H * r.x + qp.q).norm(), 1e-9);
}

}  // namespace
}  // namespace tactus
