#include "tactus/solvers/newton_common/augmented_lagrangian.h"

#include <algorithm>
#include <cmath>

#include "tactus/contact/primal_form.h"

namespace tactus {

void AugmentedLagrangianSettings::Validate(const std::string& solver) const {
  const auto require = [&](bool ok, const char* field, double value, const char* expected) {
    Require(ok, solver + " settings", std::string(field) + " is " + std::to_string(value), expected);
  };
  require(std::isfinite(beta) && beta > 0, "beta", beta, "a number > 0");
  require(std::isfinite(kappa) && kappa > 1, "kappa", kappa, "a number > 1");
  require(zeta > 0 && zeta < 1, "zeta", zeta, "a number in (0, 1)");
  require(std::isfinite(beta_max) && beta_max >= beta, "beta_max", beta_max, "a number >= beta");
  require(max_iterations >= 1, "max_iterations", max_iterations, "a number >= 1");
  require(first_inner_steps >= 1, "first_inner_steps", first_inner_steps, "a number >= 1");
  require(inner_steps >= 1, "inner_steps", inner_steps, "a number >= 1");
  require(inner_tolerance > 0 && inner_tolerance < 1, "inner_tolerance", inner_tolerance, "a number in (0, 1)");
  require(stall_window >= 1, "stall_window", stall_window, "a number >= 1");
}

Termination AugmentedLagrangianSolver::DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                               SolveReport* report) {
  const SolveSettings& solve = monitor->settings();
  const int max_iterations = solve.max_iterations > 0 ? solve.max_iterations : settings_.max_iterations;
  Prepare(problem, *lambda);
  best_score_ = window_score_ = CalcScore(problem, solve.accept_natural, *lambda);

  Termination end = Termination::MaxIterations;
  for (int l = 1; l <= max_iterations; ++l) {
    if (monitor->ShouldStop(&end)) break;
    const InnerOutcome inner = SolveSurrogate(l == 1 ? settings_.first_inner_steps : settings_.inner_steps);
    report->iterations = l;
    report->newton_steps += inner.steps;
    report->inner_failures += inner.solved ? 0 : 1;
    if (inner.broke_down || !point_.lambda.allFinite()) {
      report->message = "the linear system of a Newton step could not be solved";
      end = Termination::NumericalError;
      break;
    }
    UpdateMultiplier();
    const double score = CalcScore(problem, solve.accept_natural, surrogate_.previous);
    monitor->Record(l, report->newton_steps, surrogate_.previous);
    const bool stalled = KeepBest(l, score);
    if (score <= solve.tolerance) {
      end = Termination::Converged;
      break;
    }
    if (stalled) {
      report->message = "no progress in the last " + std::to_string(settings_.stall_window) + " iterations";
      end = Termination::Stalled;
      break;
    }
    UpdatePenalty();
  }
  *lambda = best_lambda_;
  return end;
}

bool AugmentedLagrangianSolver::CalcNewtonDirection(VectorX* direction) {
  surrogate_.CalcImpulse(point_.y, &point_.lambda, &blocks_);
  system_.Assemble(surrogate_.problem(), blocks_);  // eq. 25
  const bool factorized = cone_ == ConeOperator::Proximal ? system_.FactorizeCholesky() : system_.FactorizeLu();
  if (!factorized) return false;
  *direction = -point_.r;
  system_.SolveInPlace(direction);  // eq. 26
  return direction->allFinite();
}

// Starts from v = A^{-1}(b + J^T lambda). A cold start has no slip to freeze: p = 0.
void AugmentedLagrangianSolver::Prepare(const ContactProblem& problem, const VectorX& lambda) {
  primal_.reset();
  if (!problem.has_dynamics()) primal_.emplace(MakePrimal(problem));
  const ContactProblem& p = primal_ ? *primal_ : problem;
  slack_.setZero(problem.size());
  CalcSigma(problem, slack_);
  CalcEffectiveMass(problem, &rho_, &effective_mass_);
  score_.Prepare(problem, rho_, sigma_);
  surrogate_.Reset(p, cone_);
  system_.Reset(p);
  norm_.Reset(p, settings_.energy_norm);
  SetPenalty(settings_.beta);

  surrogate_.previous = lambda;
  p.CalcVelocity(lambda, &point_.v);
  if (!lambda.isZero(0)) {
    p.MultiplyJ(point_.v, &slack_);
    CalcFrozenTerm(p, slack_, &surrogate_.frozen);
  }
  gap_ = kInfinity;
  best_lambda_ = lambda;
  window_start_ = 0;
}

// As ContactProblem::CalcSigma, in memory that stays.
void AugmentedLagrangianSolver::CalcSigma(const ContactProblem& problem, const VectorX& lambda) {
  if (!problem.has_dynamics()) {
    problem.CalcSigma(lambda, &sigma_);
    return;
  }
  problem.CalcVelocity(lambda, &v_lambda_);
  problem.MultiplyJ(v_lambda_, &sigma_);
  sigma_ += problem.e();
}

// natural_rho as the judge sees it: on the problem as given, in lambda-form. For foreign files the largest of its three
// forms.
double AugmentedLagrangianSolver::CalcScore(const ContactProblem& problem, bool accept_natural, const VectorX& lambda) {
  CalcSigma(problem, lambda);
  const double score = score_.Calc(lambda, sigma_).natural_rho;
  if (!accept_natural) return score;
  return std::max({score, score_.CalcUniform(lambda, sigma_, score_.mean_rho(), false),
                   score_.CalcUniform(lambda, sigma_, 1, true)});
}

// z, then u <- u + beta (J v - z) = -lambda (eq. 13), and the De Saxce term of the next surrogate.
void AugmentedLagrangianSolver::UpdateMultiplier() {
  const ContactProblem& p = surrogate_.problem();
  surrogate_.CalcSlack(point_, &slack_);
  last_gap_ = gap_;
  gap_ = 0;
  for (int i = 0; i < p.num_constraints(); ++i) {  // rho-weighted, so that rows in different units compare
    gap_ += score_.rho()[i] * (point_.y - slack_).segment(p.offset(i), p.dim(i)).squaredNorm();
  }
  gap_ = std::sqrt(gap_);
  surrogate_.previous = point_.lambda;
  CalcFrozenTerm(p, slack_, &surrogate_.frozen);
}

// Eq. 28.
void AugmentedLagrangianSolver::UpdatePenalty() {
  if (gap_ > settings_.zeta * last_gap_) SetPenalty(std::min(settings_.kappa * penalty_, settings_.beta_max));
}

void AugmentedLagrangianSolver::SetPenalty(double beta) {
  penalty_ = beta;
  for (int i = 0; i < surrogate_.beta.size(); ++i)
    surrogate_.beta[i] = settings_.scale_beta ? beta * score_.rho()[i] : beta;
}

// Remembers the best iterate; true if the best has not halved within the window.
bool AugmentedLagrangianSolver::KeepBest(int iteration, double score) {
  if (score < best_score_) {
    best_score_ = score;
    best_lambda_ = surrogate_.previous;
  }
  if (best_score_ <= 0.5 * window_score_) {
    window_score_ = best_score_;
    window_start_ = iteration;
  }
  return iteration - window_start_ >= settings_.stall_window;
}

}  // namespace tactus
