#include "tactus/solvers/first_order/local_laws.h"

#include <Eigen/Eigenvalues>

namespace tactus {

void LocalLaws::Prepare(const ContactProblem& problem, const ImpulseSystem& system, LocalRule rule, double majorant) {
  rule_ = rule;
  contacts_.resize(problem.num_contacts());
  rows_.resize(problem.num_rows());
  for (int i = 0; i < problem.num_contacts(); ++i) {
    double W[9];
    for (int k = 0; k < 9; ++k) W[k] = majorant * system.diagonal_block(i)[k];
    Contact& c = contacts_[i];
    c.local = SingleContact(W, problem.friction(i).mu1);
    const double upper[6] = {W[0], W[1], W[2], W[4], W[5], W[8]};
    std::copy(upper, upper + 6, c.W);
    const double largest =
        Eigen::SelfAdjointEigenSolver<Matrix3>(Eigen::Map<const Matrix3>(W), Eigen::EigenvaluesOnly).eigenvalues()[2];
    c.step = largest > 0 ? 1 / largest : 0;
  }
  for (int i = 0; i < problem.num_rows(); ++i) {
    const int constraint = problem.num_contacts() + i;
    rows_[i] = {problem.law(i), majorant * system.diagonal_block(constraint)[0], problem.row_offset(i)};
  }
}

}  // namespace tactus
