#include "tactus/solvers/subadmm/subadmm_solver.h"

#include <algorithm>
#include <cmath>

#include "tactus/contact/constraint_law.h"
#include "tactus/contact/primal_form.h"

namespace tactus {

void SubadmmSettings::Validate() const {
  Require(std::isfinite(beta) && beta > 0, "subadmm beta", "is " + std::to_string(beta), "a number > 0");
  Require(relaxation >= 1 && relaxation < 2, "subadmm relaxation", "is " + std::to_string(relaxation),
          "a number in [1, 2)");
  Require(adapt_threshold > 1, "subadmm adapt_threshold", "is " + std::to_string(adapt_threshold), "a number > 1");
  Require(adapt_interval >= 1, "subadmm adapt_interval", "is " + std::to_string(adapt_interval), "a number >= 1");
  Require(max_adaptations >= 0, "subadmm max_adaptations", "is " + std::to_string(max_adaptations), "a number >= 0");
  Require(check_interval >= 1, "subadmm check_interval", "is " + std::to_string(check_interval), "a number >= 1");
  Require(default_max_iterations >= 1, "subadmm default_max_iterations", "is " + std::to_string(default_max_iterations),
          "a number >= 1");
}

std::string SubadmmSolver::name() const {
  switch (settings_.split) {
    case Split::Body: return "subadmm";
    case Split::Subsystem: return "no-body";
    case Split::None: return "no-sub";
  }
  return "?";
}

Termination SubadmmSolver::DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                   SolveReport* report) {
  if (problem.has_dynamics()) return SolveWithDynamics(problem, monitor, lambda, report);
  if (problem.size() > kLargestPrimalSize) {
    report->Say("a Delassus pair of more than " + std::to_string(kLargestPrimalSize) + " rows");
    return Termination::Stalled;
  }
  return SolveWithDynamics(MakePrimal(problem), monitor, lambda, report);
}

Termination SubadmmSolver::SolveWithDynamics(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
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
      if (fast_) engine_.ExportImpulses(lambda);
      system_.CalcSigma(*lambda, &sigma_);
      if (watch_.Check(k, report->newton_steps, *lambda, sigma_, &why) || stop) break;
    }
    const bool look = settings_.adapt && k + 1 == next_adaptation && adaptations < settings_.max_adaptations;
    if (look && fast_) engine_.KeepCopies();
    Iterate(problem, lambda);
    if (look) {
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

void SubadmmSolver::Prepare(const ContactProblem& problem, const VectorX& lambda) {
  system_.Prepare(problem, SystemForm::Factor, /*for_sweeps=*/false);
  score_.Prepare(problem, system_.rho(), system_.sigma_free());
  penalty_ = settings_.beta;
  CountNeighbours(problem);
  problem.CalcVelocity(lambda, &v_);
  fast_ = settings_.kernels && settings_.split == Split::Body && BodySplitEngine::Supports(problem);
  if (fast_) {
    engine_.Build(problem);
    engine_.Start(lambda, v_);
    return;
  }
  split_.Reset(problem, settings_.split);
  split_.MultiplyJ(v_, &z_);
}

// How many contacts share the more crowded of a contact's bodies. Alone it wants a penalty in units of its effective
// mass; many on one body add up to the body's mass many times over. The square root was best on nuts, dishes, robots,
// grasps and piles together.
void SubadmmSolver::CountNeighbours(const ContactProblem& problem) {
  crowd_.assign(problem.num_constraints(), 1);
  if (!problem.has_geometry()) return;
  on_body_.assign(problem.bodies().size(), 0);
  for (const ContactGeometry& g : problem.geometry()) {
    for (const BodyIndex b : {g.a, g.b}) {
      if (b != kWorld) ++on_body_[b];
    }
  }
  for (int i = 0; i < problem.num_contacts(); ++i) {
    const ContactGeometry& g = problem.geometry()[i];
    for (const BodyIndex b : {g.a, g.b}) {
      if (b != kWorld) crowd_[i] = std::max(crowd_[i], on_body_[b]);
    }
  }
}

bool SubadmmSolver::Factorize(const ContactProblem& problem) {
  beta_.resize(problem.num_constraints());
  for (int i = 0; i < problem.num_constraints(); ++i) {
    beta_[i] = penalty_ * system_.rho()[i] / std::sqrt(static_cast<double>(crowd_[i]));
  }
  return fast_ ? engine_.Factorize(beta_) : split_.Factorize(beta_);
}

void SubadmmSolver::Iterate(const ContactProblem& problem, VectorX* lambda) {
  if (fast_) {
    engine_.Iterate(settings_.relaxation);
    return;
  }
  SolveLinear(problem, *lambda);
  Project(problem, lambda);
}

// v_j = (A_j + sum_i beta_i J_ij^T J_ij)^{-1} (b_j + sum_i J_ij^T (beta_i z_ij + lambda_i)) and y_ij = J_ij v_j.
void SubadmmSolver::SolveLinear(const ContactProblem& problem, const VectorX& lambda) {
  y_.resize(split_.size());
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const int dim = problem.dim(i);
    for (int k = split_.first_copy(i); k < split_.first_copy(i + 1); ++k) {
      for (int r = 0; r < dim; ++r) {
        y_[split_.place(k) + r] = beta_[i] * z_[split_.place(k) + r] + lambda[problem.offset(i) + r];
      }
    }
  }
  v_ = problem.b();
  split_.AddMultiplyJT(y_, &v_);
  split_.SolveInPlace(&v_);
  split_.MultiplyJ(v_, &y_);
}

// lambda = T(lambda - beta/|Z| (sum_j y_ij + e)) with over-relaxed copies, then z_ij = y_ij + (lambda -
// lambda_before)/beta.
void SubadmmSolver::Project(const ContactProblem& problem, VectorX* lambda) {
  const double alpha = settings_.relaxation;
  z_before_ = z_;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const int dim = problem.dim(i), offset = problem.offset(i), count = split_.num_copies(i);
    if (count == 0) continue;
    double sum[3] = {0, 0, 0}, x[3], next[3];
    for (int k = split_.first_copy(i); k < split_.first_copy(i + 1); ++k) {
      for (int r = 0; r < dim; ++r) {
        double& z = z_[split_.place(k) + r];
        z = alpha * y_[split_.place(k) + r] + (1 - alpha) * z;
        sum[r] += z;
      }
    }
    const double weight = beta_[i] / count;
    if (dim == 3) {
      for (int r = 0; r < 3; ++r) x[r] = (*lambda)[offset + r] - weight * (sum[r] + problem.e()[offset + r]);
      StrictProjection(x, problem.friction(i).mu1, next);
    } else {
      const int row = i - problem.num_contacts();
      next[0] = ProjectRow(problem.law(row), (*lambda)[offset] - weight * sum[0], weight, problem.row_offset(row));
    }
    for (int r = 0; r < dim; ++r) {
      const double change = (next[r] - (*lambda)[offset + r]) / beta_[i];
      for (int k = split_.first_copy(i); k < split_.first_copy(i + 1); ++k) z_[split_.place(k) + r] += change;
      (*lambda)[offset + r] = next[r];
    }
  }
}

BodySplitEngine::Balance SubadmmSolver::CalcBalance(const ContactProblem& problem, const VectorX& lambda) const {
  if (fast_) return engine_.CalcBalance(system_.rho(), system_.sigma_free());
  BodySplitEngine::Balance sums;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const double rho = system_.rho()[i];
    const int offset = problem.offset(i), dim = problem.dim(i);
    const double free = system_.sigma_free().segment(offset, dim).norm() / std::sqrt(static_cast<double>(dim));
    for (int r = 0; r < dim; ++r) {
      const double l = lambda[offset + r];
      for (int k = split_.first_copy(i); k < split_.first_copy(i + 1); ++k) {
        const int at = split_.place(k) + r;
        const double step = beta_[i] * (z_[at] - z_before_[at]);
        sums.primal += rho * (y_[at] - z_[at]) * (y_[at] - z_[at]);
        sums.primal_scale += rho * std::max({y_[at] * y_[at], z_[at] * z_[at], free * free});
        sums.dual += step * step / rho;
        sums.dual_scale += l * l / rho;
      }
    }
  }
  return sums;
}

bool SubadmmSolver::Adapt(const ContactProblem& problem, const VectorX& lambda) {
  const BodySplitEngine::Balance sums = CalcBalance(problem, lambda);
  if (!(sums.primal > 0 && sums.dual > 0 && sums.primal_scale > 0 && sums.dual_scale > 0)) return false;
  const double ratio = std::sqrt(sums.primal / sums.primal_scale) / std::sqrt(sums.dual / sums.dual_scale);
  if (ratio < settings_.adapt_threshold && ratio > 1 / settings_.adapt_threshold) return false;
  const double before = penalty_;
  penalty_ = std::clamp(penalty_ * std::clamp(std::sqrt(ratio), 0.1, 10.0), 1e-4, 1e5);
  return penalty_ != before;
}

}  // namespace tactus
