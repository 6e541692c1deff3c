#include "tactus/solvers/fadmm/fadmm_solver.h"

#include <algorithm>
#include <cmath>

#include "tactus/contact/constraint_law.h"

namespace tactus {

Termination FadmmSolver::DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                 SolveReport* report) {
  Prepare(problem, *lambda);
  return Loop(problem, settings_, monitor, lambda, report);
}

void FadmmSolver::Iterate(const ContactProblem& problem, int count, bool keep, VectorX* lambda) {
  for (int k = 1; k <= count; ++k) {
    SolveLinear(problem, *lambda);
    if (keep && k == count) z_before_ = z_;
    Project(problem, lambda);
  }
}

void FadmmSolver::Prepare(const ContactProblem& problem, const VectorX& lambda) {
  system_.Prepare(problem, SystemForm::Auto, /*for_sweeps=*/false, DiagonalOfW::Traces);
  score_.Prepare(problem, system_.rho(), system_.sigma_free());
  penalty_ = settings_.beta;
  offset_ = problem.e();
  for (int i = 0; i < problem.num_rows(); ++i) offset_[3 * problem.num_contacts() + i] = problem.row_offset(i);
  if (problem.has_dynamics()) {
    body_space_.Reset(problem);
  } else {
    SquarePattern pattern;
    pattern.n = problem.size();
    for (int c = 0; c < problem.size(); ++c) {  // W is symmetric: rows serve as columns
      for (SparseMatrix::InnerIterator it(problem.W(), c); it; ++it) pattern.rows.push_back(static_cast<int>(it.col()));
      pattern.start.push_back(static_cast<int>(pattern.rows.size()));
    }
    delassus_.SetPattern(std::move(pattern));
  }
  system_.CalcSigma(lambda, &sigma_);
  z_ = z_before_ = sigma_ - offset_;
}

bool FadmmSolver::Factorize(const ContactProblem& problem) {
  beta_.resize(problem.size());
  for (int i = 0; i < problem.num_constraints(); ++i) {
    beta_.segment(problem.offset(i), problem.dim(i)).setConstant(penalty_ * system_.rho()[i]);
  }
  if (problem.has_dynamics()) {
    blocks_.setZero(BlockSize(problem));
    for (int i = 0; i < problem.num_constraints(); ++i) {
      const int dim = problem.dim(i);
      for (int r = 0; r < dim; ++r) blocks_[BlockOffset(problem, i) + r * (dim + 1)] = penalty_ * system_.rho()[i];
    }
    body_space_.Assemble(problem, blocks_);
    return body_space_.FactorizeCholesky();
  }
  std::fill_n(delassus_.values(), delassus_.num_values(), 0.0);
  for (int r = 0; r < problem.size(); ++r) {
    for (SparseMatrix::InnerIterator it(problem.W(), r); it; ++it) {
      delassus_.values()[delassus_.slot(static_cast<int>(it.col()), r)] += it.value();
    }
    delassus_.values()[delassus_.slot(r, r)] += 1 / beta_[r];
  }
  return delassus_.FactorizeCholesky();
}

// y = J v with (A + J^T B J) v = b + J^T (B z + lambda)   (eq. 29, u = -lambda). For a Delassus pair the same through
// the impulse g = B (z - y) + lambda: (W + B^{-1}) g = z - y_free + B^{-1} lambda.
void FadmmSolver::SolveLinear(const ContactProblem& problem, const VectorX& lambda) {
  if (problem.has_dynamics()) {
    rhs_ = beta_.cwiseProduct(z_) + lambda;
    v_ = problem.b();
    problem.AddMultiplyJT(rhs_, &v_);
    body_space_.SolveInPlace(&v_);
    problem.MultiplyJ(v_, &y_);
  } else {
    rhs_ = z_ + offset_ - system_.sigma_free() + lambda.cwiseQuotient(beta_);
    delassus_.SolveInPlace(&rhs_);
    y_ = z_ - (rhs_ - lambda).cwiseQuotient(beta_);
  }
}

// lambda = T(lambda - beta (y + e)) with the over-relaxed y, then z = y + (lambda - lambda_before)/beta.
void FadmmSolver::Project(const ContactProblem& problem, VectorX* lambda) {
  const double alpha = settings_.relaxation;
  for (int i = 0; i < problem.num_contacts(); ++i) {
    double x[3], relaxed[3], next[3];
    for (int k = 0; k < 3; ++k) {
      const int r = 3 * i + k;
      relaxed[k] = alpha * y_[r] + (1 - alpha) * z_[r];
      x[k] = (*lambda)[r] - beta_[r] * (relaxed[k] + offset_[r]);
    }
    StrictProjection(x, problem.friction(i).mu1, next);
    for (int k = 0; k < 3; ++k) {
      const int r = 3 * i + k;
      z_[r] = relaxed[k] + (next[k] - (*lambda)[r]) / beta_[r];
      (*lambda)[r] = next[k];
    }
  }
  for (int i = 0; i < problem.num_rows(); ++i) {
    const int r = 3 * problem.num_contacts() + i;
    const double relaxed = alpha * y_[r] + (1 - alpha) * z_[r];
    const double next = ProjectRow(problem.law(i), (*lambda)[r] - beta_[r] * relaxed, beta_[r], offset_[r]);
    z_[r] = relaxed + (next - (*lambda)[r]) / beta_[r];
    (*lambda)[r] = next;
  }
}

AdmmBalance FadmmSolver::CalcBalance(const ContactProblem& problem, const VectorX& lambda) {
  AdmmBalance sums;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    for (int r = problem.offset(i); r < problem.offset(i) + problem.dim(i); ++r) {
      sums.Add(system_.rho()[i], beta_[r], y_[r], z_[r], z_before_[r], system_.sigma_free()[r], lambda[r]);
    }
  }
  return sums;
}

}  // namespace tactus
