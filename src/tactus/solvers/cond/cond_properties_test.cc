// The propositions of paper 001, on problems with a deformable and a rigid body.
#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "tactus/core/random.h"
#include "tactus/solvers/cond/cond_engine.h"
#include "tactus/solvers/cond/cond_testing.h"

namespace tactus {
namespace {

ContactProblem MakeProblem() { return MakeTestMat({.nodes = 100, .boxes = 1}); }

CondSystem Prepare(const ContactProblem& p, const CondSettings& settings = {}) {
  CondSystem system;
  EXPECT_TRUE(system.Prepare(p, settings, false));
  CalcCondWeights(settings, &system);
  CalcCondGamma(p, &system);
  return system;
}

// Proposition 1: with virtual nodes A stays symmetric positive definite.
TEST(CondProperties, TheNodalizedMatrixIsPositiveDefinite) {
  const ContactProblem p = MakeProblem();
  const CondSystem s = Prepare(p);
  const CondPart& part = s.parts_.at(0);
  ASSERT_GT(part.end - part.begin, 3);
  const int copies = 3 * (part.end - part.begin);
  MatrixX A = MatrixX::Zero(6 + copies, 6 + copies);
  A.topLeftCorner<6, 6>() = p.mass().dense_block(part.subsystem);
  for (int c = part.begin; c < part.end; ++c) {
    const CondCopy& copy = s.copies_[c];
    MatrixX J = MatrixX::Zero(3, 6);
    const double* value = s.copy_values_.data() + copy.values;
    for (int r = 0; r < 3; ++r) {
      for (int q = copy.columns_begin; q < copy.columns_end; ++q) J(r, s.copy_columns_[q]) = *value++;
    }
    const int at = 6 + copy.place;
    A.topLeftCorner<6, 6>() += copy.k * J.transpose() * J;
    A.block(0, at, 6, 3) = -copy.k * J.transpose();
    A.block(at, 0, 3, 6) = -copy.k * J;
    A.block(at, at, 3, 3) = copy.k * Matrix3::Identity();
  }
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixX>(A).eigenvalues()[0], 0);
  // And what the engine inverts is its upper left block.
  const Matrix6 inverse = Eigen::Map<const Matrix6>(s.inverses_.data() + part.inverse);
  EXPECT_LT((inverse * A.topLeftCorner<6, 6>() - Matrix6::Identity()).norm(), 1e-9);
}

// Proposition 3: J W J^T is diagonal, gamma_i the identity.
TEST(CondProperties, ContactsAreDecoupled) {
  const ContactProblem p = MakeTestMat({.nodes = 100});
  const CondSystem s = Prepare(p);
  MatrixX J(p.size(), p.num_dofs());
  VectorX column;
  for (int d = 0; d < p.num_dofs(); ++d) {
    p.MultiplyJ(VectorX::Unit(p.num_dofs(), d), &column);
    J.col(d) = column;
  }
  MatrixX gamma = J * Eigen::Map<const VectorX>(s.w_.data(), p.num_dofs()).asDiagonal() * J.transpose();
  ASSERT_TRUE(s.shared_.empty());
  for (int i = 0; i < p.num_contacts(); ++i) gamma.block<3, 3>(3 * i, 3 * i) -= s.gamma_nodes_[i] * Matrix3::Identity();
  EXPECT_LT(gamma.cwiseAbs().maxCoeff(), 1e-12 * s.gamma_nodes_[0]);
}

// One plain iteration from v, cold.
VectorX Map(const ContactProblem& p, const CondSettings& settings, const VectorX& v) {
  CondEngine engine;
  EXPECT_TRUE(engine.Prepare(p, settings, false, 1));
  engine.Start(VectorX::Zero(p.size()), v);
  engine.Iterate(1);
  VectorX out(p.num_dofs());
  engine.CopyVelocity(&out);
  return out;
}

double LargestFactor(const ContactProblem& p, const CondSettings& settings, const VectorX& weight) {
  Random random(5);
  const auto vector = [&] {
    VectorX x(p.num_dofs());
    for (double& value : x) value = random.Normal();
    return x;
  };
  double largest = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const VectorX a = vector(), b = a + std::pow(10.0, -trial / 10.0) * vector();
    const VectorX after = Map(p, settings, a) - Map(p, settings, b), before = a - b;
    const auto norm2 = [&](const VectorX& x) { return x.dot(weight.cwiseProduct(x)); };
    largest = std::max(largest, std::sqrt(norm2(after) / norm2(before)));
  }
  return largest;
}

// Theorem 2: with the proximal operator the iteration contracts in the norm of W^{-1} wherever W A has no eigenvalue
// of 2 or more.
TEST(CondProperties, TheProximalIterationContracts) {
  for (const double mu : {0.3, 2.0}) {
    const ContactProblem p = MakeTestMat({.nodes = 100, .young = 1e6, .mu = mu});
    CondSettings settings;
    settings.law = CondOperator::Proximal;
    const CondSystem s = Prepare(p, settings);
    const VectorX inverse = Eigen::Map<const VectorX>(s.w_.data(), p.num_dofs()).cwiseInverse();
    EXPECT_LT(LargestFactor(p, settings, inverse), 1);
  }
}

// Theorem 1: with the strict operator it does for a small time step.
TEST(CondProperties, TheStrictIterationContractsForSmallSteps) {
  const auto factor = [](double dt) {
    const ContactProblem p = MakeTestMat({.nodes = 100, .young = 1e6, .mu = 0.5, .dt = dt});
    CondSettings settings;
    settings.stretch = false;
    VectorX inertia;
    p.mass().CalcInertia(&inertia);
    return LargestFactor(p, settings, inertia);
  };
  EXPECT_LT(factor(1e-5), 0.1);
  EXPECT_GT(factor(1e-2), factor(1e-5));
}

// The estimate behind the spectral safeguard.
// Rows by nodes hold A, whether its pattern is made of whole blocks or not.
TEST(CondProperties, RowsAreTheMatrix) {
  SparseMatrix A = MakeTestMat({.nodes = 60}).mass().sparse_block(0);
  for (const bool pruned : {false, true}) {
    if (pruned) {
      A.prune([](int r, int c, double value) { return r == c || std::abs(value) > 1e-4; });
      A.conservativeResize(A.rows() - 1, A.cols() - 1);  // the last node is not whole
    }
    ContactProblemBuilder builder;
    builder.AddSparse(A, VectorX::Zero(A.rows()));
    const CondSystem s = Prepare(builder.Build());
    MatrixX B = MatrixX::Zero(3 * s.num_nodes(), 3 * s.num_nodes());
    for (int r = 0; r < s.num_rows(); ++r) {
      for (int k = s.row_start_[r]; k < s.row_start_[r + 1]; ++k) {
        B.block<3, 3>(3 * r, 3 * s.columns_[k]) +=
            Eigen::Map<const Matrix3>(s.blocks_.data() + 9 * static_cast<std::size_t>(k));
      }
    }
    EXPECT_EQ((B.topLeftCorner(A.rows(), A.cols()) - MatrixX(A)).norm(), 0) << pruned;
  }
}

TEST(CondProperties, LargestEigenvalueIsFound) {
  for (const ContactProblem& p : {MakeTestMat({.nodes = 100, .young = 1e6}), MakeTestRod({.segments = 12})}) {
    CondSettings settings;
    settings.eliminate_chains = false;  // rods have weights then
    CondEngine engine;
    ASSERT_TRUE(engine.Prepare(p, settings, false, 1));
    const CondSystem s = Prepare(p, settings);
    const VectorX root = Eigen::Map<const VectorX>(s.w_.data(), p.num_dofs()).cwiseSqrt();
    const MatrixX A = root.asDiagonal() * MatrixX(p.mass().sparse_block(0)) * root.asDiagonal();
    const double exact = Eigen::SelfAdjointEigenSolver<MatrixX>(A).eigenvalues().maxCoeff();
    EXPECT_LE(engine.largest_eigenvalue(), exact * (1 + 1e-9));
    EXPECT_GT(engine.largest_eigenvalue(), 0.96 * exact);  // 1.9 / 0.96 < 2
  }
}

}  // namespace
}  // namespace tactus
