#include "tactus/solvers/subadmm/subadmm_solver.h"

#include <algorithm>
#include <cmath>

#include "tactus/contact/constraint_law.h"
#include "tactus/contact/primal_form.h"

namespace tactus {

void SubadmmSettings::Validate(const std::string& solver) const {
  AdmmSettings::Validate(solver);
  Require(tree_solver == TreeSolver::Factor || (split == Split::Body && kernels), solver + " tree_solver",
          "is ArticulatedBody without a split by body or without kernels", "Factor, or Split::Body with kernels");
}

std::string SubadmmSolver::name() const {
  if (settings_.contact_splitting) return "ccs";
  switch (settings_.split) {
    case Split::Body: return along() ? "subadmm-aba" : "subadmm";
    case Split::Subsystem: return "no-body";
    case Split::None: return "no-sub";
  }
  return "?";
}

Termination SubadmmSolver::DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                   SolveReport* report) {
  if (problem.has_dynamics()) {
    two_field_ = ReturnsVelocity(problem, monitor->settings());
    if (along()) plan_.Make(problem);
    // The kernels know natural_rho only.
    fast_ = settings_.kernels && settings_.split == Split::Body && !monitor->settings().accept_natural &&
            BodySplitEngine::Supports(problem, along() ? &plan_ : nullptr);
    if (along()) report->choice = plan_.Describe(fast_);
    Prepare(problem, *monitor, *lambda);
    alternative_ = fast_ ? alternative_cycles_ / engine_.CalcCost() : 0;
    const Termination end = Loop(problem, settings_, monitor, lambda, report);
    // Whoever goes on from here wants the impulses as they are.
    const bool limited = monitor->settings().max_iterations > 0;
    const bool handed_over =
        alternative_ > 0 && (end == Termination::Stalled || (end == Termination::MaxIterations && !limited));
    if (end != Termination::Converged && !handed_over && !two_field_) {
      const double begin = monitor->cpu_seconds();
      const bool known = fast_ && engine_watch_.best() < kInfinity;
      if (known) engine_.ExportBestWork(&work_);
      passive_.Limit(problem, lambda, report, known ? &work_ : nullptr);
      reserve_ = monitor->cpu_seconds() - begin;
    }
    if (fast_) engine_.Finish();
    return end;
  }
  if (problem.size() > kLargestPrimalSize) {
    report->Say("a Delassus pair of more than " + std::to_string(kLargestPrimalSize) + " rows");
    return Termination::Stalled;
  }
  return DoSolve(MakePrimal(problem), monitor, lambda, report);
}

void SubadmmSolver::Prepare(const ContactProblem& problem, const SolveMonitor& monitor, const VectorX& lambda) {
  problem_ = &problem;
  penalty_ = settings_.beta;
  CountNeighbours(problem);
  if (fast_) {
    engine_.Build(problem, monitor.settings().threads, along() ? &plan_ : nullptr, &lambda, monitor.start_velocity());
    engine_.Start(lambda, monitor.start_velocity());
    return;
  }
  system_.Prepare(problem, SystemForm::Factor, /*for_sweeps=*/false, DiagonalOfW::Traces);
  score_.Prepare(problem, system_.rho(), system_.sigma_free());
  if (monitor.start_velocity() != nullptr) {
    v_ = *monitor.start_velocity();
  } else {
    problem.CalcVelocity(lambda, &v_);
  }
  split_.Reset(problem, settings_.split);
  split_.MultiplyJ(v_, &z_);
  z_before_ = z_;
}

void SubadmmSolver::StartWatch(SolveMonitor* monitor) {
  monitor_ = monitor;
  if (fast_) {
    engine_watch_.Start(monitor->settings(), engine_.velocity_scale());
  } else if (two_field_) {
    StartTwoField(monitor);
  } else {
    AdmmSolver::StartWatch(monitor);
  }
}

bool SubadmmSolver::Check(int iteration, const SolveReport& report, VectorX* lambda, Termination* why) {
  if (two_field_) return CheckTwoField(*problem_, monitor_, iteration, v_, *lambda, why);
  if (!fast_) return AdmmSolver::Check(iteration, report, lambda, why);
  if (monitor_->settings().record_history) {
    engine_.ExportImpulses(lambda);
    monitor_->Record(iteration, report.newton_steps, *lambda);
  }
  const ScoreResult result = engine_.CalcScore();
  const bool over = engine_watch_.Check(result, result.natural_rho, why);
  if (engine_watch_.improved()) engine_.KeepBest();
  return over;
}

bool SubadmmSolver::Wake() { return fast_ && engine_.WakeIdle(); }

void SubadmmSolver::TakeBest(VectorX* lambda) {
  if (two_field_) {
    TakeBestTwoField(*problem_, lambda);
  } else if (!fast_) {
    AdmmSolver::TakeBest(lambda);
  } else if (engine_watch_.best() < kInfinity) {
    engine_.ExportBest(lambda);
  }
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
    beta_[i] = penalty_ * rho()[i] / std::sqrt(static_cast<double>(crowd_[i]));
  }
  if (fast_) return engine_.Factorize(beta_);
  copy_beta_.resize(split_.num_copies());
  for (int i = 0; i < problem.num_constraints(); ++i) {
    copy_beta_.segment(split_.first_copy(i), split_.num_copies(i)).setConstant(beta_[i]);
  }
  return split_.Factorize(copy_beta_);
}

void SubadmmSolver::Iterate(const ContactProblem& problem, int count, bool keep, VectorX* lambda) {
  if (fast_) {
    engine_.Iterate(keep ? count - 1 : count, settings_.relaxation);
    if (!keep) return;
    engine_.KeepCopies();
    engine_.Iterate(1, settings_.relaxation);
    return;
  }
  for (int k = 1; k <= count; ++k) {
    SolveLinear(problem, *lambda);
    if (keep && k == count) z_before_ = z_;
    Project(problem, lambda);
  }
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

AdmmBalance SubadmmSolver::CalcBalance(const ContactProblem& problem, const VectorX& lambda) {
  if (fast_) return engine_.CalcBalance(settings_.relaxation);
  AdmmBalance sums;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const int offset = problem.offset(i), dim = problem.dim(i);
    const double free = system_.sigma_free().segment(offset, dim).norm() / std::sqrt(static_cast<double>(dim));
    for (int k = split_.first_copy(i); k < split_.first_copy(i + 1); ++k) {
      for (int r = 0; r < dim; ++r) {
        const int at = split_.place(k) + r;
        sums.Add(system_.rho()[i], beta_[i], y_[at], z_[at], z_before_[at], free, lambda[offset + r]);
      }
    }
  }
  return sums;
}

}  // namespace tactus
