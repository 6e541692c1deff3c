#include "tactus/solvers/fadmm/fadmm_solver.h"

#include <algorithm>
#include <cmath>

#include "tactus/contact/constraint_law.h"

namespace tactus {

void FadmmSettings::Validate() const {
  Require(std::isfinite(beta) && beta > 0, "fadmm beta", "is " + std::to_string(beta), "a number > 0");
  Require(relaxation >= 1 && relaxation < 2, "fadmm relaxation", "is " + std::to_string(relaxation),
          "a number in [1, 2)");
  Require(adapt_threshold > 1, "fadmm adapt_threshold", "is " + std::to_string(adapt_threshold), "a number > 1");
  Require(adapt_interval >= 1, "fadmm adapt_interval", "is " + std::to_string(adapt_interval), "a number >= 1");
  Require(max_adaptations >= 0, "fadmm max_adaptations", "is " + std::to_string(max_adaptations), "a number >= 0");
  Require(check_interval >= 1, "fadmm check_interval", "is " + std::to_string(check_interval), "a number >= 1");
  Require(default_max_iterations >= 1, "fadmm default_max_iterations", "is " + std::to_string(default_max_iterations),
          "a number >= 1");
}

Termination FadmmSolver::DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                 SolveReport* report) {
  Prepare(problem, *lambda);
  watch_.Start(&score_, monitor);
  Termination why = Termination::MaxIterations;
  bool factorized = Factorize(problem);
  int adaptations = 0, next_adaptation = settings_.adapt_interval;

  const int max_iterations =
      monitor->settings().max_iterations > 0 ? monitor->settings().max_iterations : settings_.default_max_iterations;
  for (int k = 0; factorized; ++k) {
    report->iterations = k;
    const bool stop = k == max_iterations || monitor->ShouldStop(&why);
    if (stop || k % settings_.check_interval == 0) {
      system_.CalcSigma(*lambda, &sigma_);
      if (watch_.Check(k, report->newton_steps, *lambda, sigma_, &why) || stop) break;
    }
    SolveLinear(problem, *lambda);
    Project(problem, lambda);
    if (settings_.adapt && k + 1 == next_adaptation && adaptations < settings_.max_adaptations) {
      if (Adapt(problem, *lambda)) {
        ++adaptations;
        factorized = Factorize(problem);
      }
      next_adaptation = k + 1 + settings_.adapt_interval * (adaptations + 1);
    }
  }
  if (!factorized) {
    report->message = "A + J^T B J is not positive definite, numerically";
    why = Termination::NumericalError;
  }
  watch_.Finish(lambda);
  return why;
}

void FadmmSolver::Prepare(const ContactProblem& problem, const VectorX& lambda) {
  system_.Prepare(problem, SystemForm::Auto, /*for_sweeps=*/false);
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
  z_ = sigma_ - offset_;
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
  z_before_ = z_;
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

// Balances |y - z| against |B (z - z_before)|, each relative to its own scale and weighted by rho. True if beta
// changed.
bool FadmmSolver::Adapt(const ContactProblem& problem, const VectorX& lambda) {
  double primal = 0, primal_scale = 0, dual = 0, dual_scale = 0;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const double rho = system_.rho()[i];
    for (int r = problem.offset(i); r < problem.offset(i) + problem.dim(i); ++r) {
      const double step = beta_[r] * (z_[r] - z_before_[r]), free = system_.sigma_free()[r];
      primal += rho * (y_[r] - z_[r]) * (y_[r] - z_[r]);
      primal_scale += rho * std::max({y_[r] * y_[r], z_[r] * z_[r], free * free});
      dual += step * step / rho;
      dual_scale += lambda[r] * lambda[r] / rho;
    }
  }
  if (!(primal > 0 && dual > 0 && primal_scale > 0 && dual_scale > 0)) return false;
  const double ratio = std::sqrt(primal / primal_scale) / std::sqrt(dual / dual_scale);
  if (ratio < settings_.adapt_threshold && ratio > 1 / settings_.adapt_threshold) return false;
  const double before = penalty_;
  penalty_ = std::clamp(penalty_ * std::clamp(std::sqrt(ratio), 0.1, 10.0), 1e-4, 1e5);
  return penalty_ != before;
}

}  // namespace tactus
