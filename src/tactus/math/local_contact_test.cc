#include "tactus/math/local_contact.h"

#include <limits>
#include <numbers>
#include <random>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include "tactus/math/cones.h"

namespace tactus {
namespace {

// Violation of the exact law by the natural map, relative to the size of the answer and of q.
double LawError(const Matrix3& W, const Vector3& q, double mu, const Vector3& r) {
  const Vector3 sigma = W * r + q;
  const double rho = 3 / W.trace();
  const Vector3 x = r - rho * (sigma + Vector3(0, 0, mu * sigma.head<2>().norm()));
  Vector3 projected;
  ConeProjection(x.data(), mu, projected.data());
  return (r - projected).norm() / std::max(r.norm(), rho * q.norm());
}

Matrix3 RandomBlock(std::mt19937* random, int rank, double coupling_bias) {
  std::normal_distribution<double> normal;
  Eigen::Matrix<double, 3, Eigen::Dynamic> L(3, rank);
  for (int i = 0; i < L.size(); ++i) L.data()[i] = normal(*random);
  L.row(2) += coupling_bias * L.row(0);
  return L * L.transpose();
}

using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Vector3 SolveBlock(const Matrix3& W, const Vector3& q, double mu, ContactMode* mode = nullptr) {
  const RowMajor3 block = W;
  Vector3 r;
  const ContactMode found = SolveLocalContact(block.data(), q.data(), mu, r.data());
  if (mode) *mode = found;
  return r;
}

TEST(SingleContact, AnswersKnownCases) {
  const Matrix3 W = Vector3(2, 2, 0.5).asDiagonal();
  ContactMode mode;
  EXPECT_EQ(SolveBlock(W, Vector3(1, 2, 0.1), 0.5, &mode), Vector3::Zero());
  EXPECT_EQ(mode, ContactMode::Open);
  // Stick: r = -q/W, and |r_t| = 0.1 <= mu r_n = 1.
  EXPECT_LT((SolveBlock(W, Vector3(0.2, 0, -1), 0.5, &mode) - Vector3(-0.1, 0, 2)).norm(), 1e-15);
  EXPECT_EQ(mode, ContactMode::Stick);
  // Slip: r_n = 2, |r_t| = 1 against (3, 4).
  EXPECT_LT((SolveBlock(W, Vector3(3, 4, -1), 0.5, &mode) - Vector3(-0.6, -0.8, 2)).norm(), 1e-14);
  EXPECT_EQ(mode, ContactMode::Slip);
  // No friction.
  EXPECT_EQ(SolveBlock(W, Vector3(3, 4, -1), 0), Vector3(0, 0, 2));
}

TEST(SingleContact, ObeysTheLawOnRandomBlocks) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> exponent(-6, 6), friction(0, 3);
  int counts[3] = {0, 0, 0};
  for (int k = 0; k < 50000; ++k) {
    const double scale = std::pow(10, exponent(random));
    const Matrix3 W = scale * RandomBlock(&random, 3, k % 3 == 0 ? 2 : 0);
    const Vector3 q = std::pow(10, exponent(random)) * Vector3(normal(random), normal(random), normal(random) - 0.5);
    const double mu = friction(random);
    ContactMode mode;
    const Vector3 r = SolveBlock(W, q, mu, &mode);
    ++counts[static_cast<int>(mode)];
    const double condition = W.norm() * W.inverse().norm();
    ASSERT_LT(LawError(W, q, mu, r), 1e-13 * std::max(1.0, condition)) << "draw " << k << " mu " << mu << "\n"
                                                                       << W << "\n"
                                                                       << q;
    ASSERT_LE(r.head<2>().norm(), mu * r[2] * (1 + 1e-14));
  }
  for (const int count : counts) EXPECT_GT(count, 3000);
}

TEST(SingleContact, FindsWhatAScanOfSlipDirectionsFinds) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  int slips = 0;
  for (int k = 0; k < 300; ++k) {
    const Matrix3 W = RandomBlock(&random, 4, 0) + 0.1 * Matrix3::Identity();
    const Vector3 q(3 * normal(random), 3 * normal(random), -std::abs(normal(random)) - 0.1);
    const double mu = 0.3;
    ContactMode mode;
    const Vector3 r = SolveBlock(W, q, mu, &mode);
    if (mode != ContactMode::Slip) continue;
    ++slips;
    // Along each direction d of r_t the law fixes r; the right d makes sigma_t antiparallel to it.
    double best = std::numeric_limits<double>::infinity(), error_of_best = best;
    for (int a = 0; a < 20000; ++a) {
      const double angle = 2 * std::numbers::pi * a / 20000;
      const Vector3 d(mu * std::cos(angle), mu * std::sin(angle), 1);
      const double stiffness = W.row(2) * d;
      if (!(stiffness > 0)) continue;
      const Vector3 candidate = -q[2] / stiffness * d, sigma = W * candidate + q;
      const double along = (sigma[0] * d[0] + sigma[1] * d[1]) / mu, across = (sigma[1] * d[0] - sigma[0] * d[1]) / mu;
      if (along < 0 && std::abs(across) < best) {
        best = std::abs(across);
        error_of_best = (candidate - r).norm() / r.norm();
      }
    }
    EXPECT_LT(error_of_best, 2e-3) << "draw " << k;
  }
  EXPECT_GT(slips, 100);
}

TEST(SingleContact, TakesSingularBlocks) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  int judged = 0;
  for (int k = 0; k < 5000; ++k) {
    const Matrix3 W = RandomBlock(&random, 1 + k % 2, 0);
    const Vector3 q = (k % 4 < 2) ? Vector3(W * Vector3(normal(random), normal(random), normal(random)))
                                  : Vector3(normal(random), normal(random), -std::abs(normal(random)));
    const Vector3 r = SolveBlock(W, q, 0.5);
    ASSERT_TRUE(r.allFinite());
    // A singular block whose coupling exceeds W_nn/mu may have no answer at all (Painleve's paradox).
    if (0.5 * W.col(2).head<2>().norm() > 0.9 * W(2, 2)) continue;
    ++judged;
    ASSERT_LT(LawError(W, q, 0.5, r), 1e-9) << "draw " << k << "\n" << W << "\n" << q;
  }
  EXPECT_GT(judged, 1000);
}

TEST(SingleContact, StaysFiniteOnDegenerateInput) {
  for (const double tiny : {0.0, 1e-300, 1e-160, 1e-20}) {
    for (const double q_n : {-1.0, -1e-200, -1e-30, 0.0}) {
      const Matrix3 W = Vector3(1, tiny, 1).asDiagonal();
      EXPECT_TRUE(SolveBlock(W, Vector3(1, 1, q_n), 0.7).allFinite()) << tiny << " " << q_n;
      EXPECT_TRUE(SolveBlock(W, Vector3(1, 0, q_n), 0.7).allFinite()) << tiny << " " << q_n;
      EXPECT_TRUE(SolveBlock(W, Vector3(0, 0, q_n), 0.7).allFinite()) << tiny << " " << q_n;
    }
  }
  EXPECT_EQ(SolveBlock(Matrix3::Zero(), Vector3(1, 1, -1), 0.5), Vector3::Zero());
}

}  // namespace
}  // namespace tactus
