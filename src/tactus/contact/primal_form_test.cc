#include "tactus/contact/primal_form.h"

#include <gtest/gtest.h>
#include <Eigen/QR>

#include "tactus/contact/ncp_residual.h"

namespace tactus {
namespace {

// A pair with three contacts and a row of every kind, W of rank 8 in 14 rows, q not in its range.
ContactProblem MakePair() {
  const MatrixX L = MatrixX::Random(14, 8);
  const std::vector<RowLaw> laws = {RowLaw::Inequality(), RowLaw::Equality(), RowLaw::Soft(0.7, 0.2),
                                    RowLaw::BoundedSoft(5, -1, -0.1, 0.2), RowLaw::DryFriction(0.05)};
  return ContactProblem::FromDelassus(SparseMatrix(MatrixX(L * L.transpose()).sparseView()), VectorX::Random(14),
                                      {Friction(0.5), Friction(0.2), Friction(0)}, laws);
}

TEST(MakePrimal, KeepsSigmaAndEveryLaw) {
  for (int k = 0; k < 10; ++k) {
    const ContactProblem pair = MakePair(), primal = MakePrimal(pair);
    EXPECT_EQ(primal.num_dofs(), 8);
    const VectorX lambda = VectorX::Random(pair.size());
    VectorX expected, sigma;
    pair.CalcSigma(lambda, &expected);
    primal.CalcSigma(lambda, &sigma);
    EXPECT_LT((sigma - expected).norm(), 1e-12 * expected.norm());
    const NcpResidual a = CalcNcpResidual(pair, lambda), b = CalcNcpResidual(primal, lambda);
    EXPECT_NEAR(a.paper, b.paper, 1e-11);
    EXPECT_NEAR(a.natural_rho, b.natural_rho, 1e-11);
  }
}

TEST(MakePrimal, TruncatesWhatIsNotPositive) {
  // Eigenvalues 1 (rank 4) and -1e-9 (the rest): sigma is kept up to the negative part.
  MatrixX Q = Eigen::HouseholderQR<MatrixX>(MatrixX::Random(9, 9)).householderQ();
  VectorX eigenvalues = VectorX::Constant(9, -1e-9);
  eigenvalues.head<4>().setOnes();
  const MatrixX W = Q * eigenvalues.asDiagonal() * Q.transpose();
  const ContactProblem pair = ContactProblem::FromDelassus(W.sparseView(), VectorX::Random(9), {0.5, 0.5, 0.5});
  const ContactProblem primal = MakePrimal(pair);
  const VectorX lambda = VectorX::Random(9);
  VectorX expected, sigma;
  pair.CalcSigma(lambda, &expected);
  primal.CalcSigma(lambda, &sigma);
  EXPECT_LT((sigma - expected).norm(), 1e-7);
}

TEST(MakePrimal, AllowsNoCompliance) {
  SparseMatrix W(3, 3);
  const ContactProblem primal = MakePrimal(ContactProblem::FromDelassus(W, Vector3(1, 2, 3), {0.5}));
  EXPECT_EQ(primal.num_dofs(), 0);
  VectorX sigma;
  primal.CalcSigma(Vector3(1, 1, 1), &sigma);
  EXPECT_EQ(sigma, Vector3(1, 2, 3));
}

TEST(MakePrimal, RefusesProblemsWithDynamics) {
  const ContactProblem problem =
      ContactProblem::FromMatrices(MatrixX(Matrix3::Identity()), VectorX(Vector3::Zero()), MatrixX(Matrix3::Identity()),
                                   VectorX(Vector3::Zero()), {Friction(0.5)});
  EXPECT_THROW(MakePrimal(problem), InputError);
}

}  // namespace
}  // namespace tactus
