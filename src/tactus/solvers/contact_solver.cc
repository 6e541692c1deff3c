#include "tactus/solvers/contact_solver.h"

#include "tactus/contact/constraint_law.h"

namespace tactus {

const char* ToString(SolveStatus status) {
  switch (status) {
    case SolveStatus::Solved: return "Solved";
    case SolveStatus::AlmostSolved: return "AlmostSolved";
    case SolveStatus::MaxIterations: return "MaxIterations";
    case SolveStatus::TimeBudget: return "TimeBudget";
    case SolveStatus::Cancelled: return "Cancelled";
    case SolveStatus::Stalled: return "Stalled";
    case SolveStatus::NumericalError: return "NumericalError";
    case SolveStatus::InvalidInput: return "InvalidInput";
  }
  return "?";
}

void SolveSettings::Validate() const {
  Require(tolerance > 0 && tolerance < 1, "tolerance", "is " + std::to_string(tolerance), "a number in (0, 1)");
  Require(max_iterations >= 0, "max_iterations", "is " + std::to_string(max_iterations), "a number >= 0 (0: the solver's default)");
  Require(time_budget >= 0, "time_budget", "is " + std::to_string(time_budget), "seconds >= 0 (0: none)");
}

bool SolveMonitor::ShouldStop(Termination* why) const {
  if (settings_.cancel && settings_.cancel->load(std::memory_order_relaxed)) {
    *why = Termination::Cancelled;
    return true;
  }
  if (settings_.time_budget > 0 && seconds() > settings_.time_budget) {
    *why = Termination::TimeBudget;
    return true;
  }
  return false;
}

void SolveMonitor::Record(int iteration, int newton_steps, const ConstVectorRef& lambda) {
  if (!settings_.record_history) return;
  const double now = timer_.seconds();
  const double cpu_now = cpu_timer_.seconds();
  const NcpResidual residual = CalcNcpResidual(problem_, lambda);
  report_->history.push_back({iteration, newton_steps, now - paused_, residual.natural_rho, residual.paper});
  paused_ += timer_.seconds() - now;
  cpu_paused_ += cpu_timer_.seconds() - cpu_now;
}

namespace {

bool Accepted(const NcpResidual& r, const SolveSettings& s, double factor) {
  const double tolerance = factor * s.tolerance;
  return r.worst() <= tolerance && (!s.accept_natural || (r.natural <= tolerance && r.natural_rho_mean <= tolerance));
}

SolveStatus Judge(Termination end, const SolveSettings& settings, const NcpResidual& residual, std::string* message) {
  const bool feasible = residual.feasible(settings.tolerance);
  if (Accepted(residual, settings, 1) && feasible) return SolveStatus::Solved;
  if (end == Termination::Cancelled) return SolveStatus::Cancelled;
  if (end == Termination::NumericalError) return SolveStatus::NumericalError;
  if (residual.impulse_ratio > 1e4 && !feasible && end != Termination::TimeBudget) {
    *message += std::string(message->empty() ? "" : "; ") +
                "infeasible suspected: impulses grow without bound while penetration remains";
    return SolveStatus::Stalled;
  }
  if (Accepted(residual, settings, 100) && residual.feasible(100 * settings.tolerance)) return SolveStatus::AlmostSolved;
  switch (end) {
    case Termination::MaxIterations: return SolveStatus::MaxIterations;
    case Termination::TimeBudget: return SolveStatus::TimeBudget;
    default: return SolveStatus::Stalled;
  }
}

}  // namespace

SolveReport ContactSolver::Solve(const ContactProblem& problem, const SolveSettings& settings, const WarmStart& warm,
                                 ContactSolution* solution) {
  settings.Validate();
  Require(warm.empty() || warm.impulse.size() == problem.size(), "warm start",
          "has " + std::to_string(warm.impulse.size()) + " impulses", std::to_string(problem.size()) + ", or none");
  Require(warm.empty() || warm.impulse.allFinite(), "warm start", "has an impulse that is not finite", "finite numbers");

  SolveReport report;
  report.solver = name();
  if (warm.empty()) {
    solution->impulse.setZero(problem.size());
  } else {
    solution->impulse = warm.impulse;
  }

  Termination end = Termination::Converged;
  const auto run = [&](const ContactProblem& isotropic) {
    SolveMonitor monitor(isotropic, settings, &report);
    if (isotropic.num_constraints() > 0) end = DoSolve(isotropic, &monitor, &solution->impulse, &report);
    report.time = monitor.seconds();
    report.cpu_time = monitor.cpu_seconds();
  };
  if (HasEllipticContacts(problem)) {
    VectorX scale;
    const ContactProblem isotropic = MakeIsotropic(problem, &scale);
    for (int i = 0; i < scale.size(); ++i) solution->impulse[i] *= scale[i] > 0 ? 1 / scale[i] : 0;
    run(isotropic);
    solution->impulse.array() *= scale.array();
  } else {
    run(problem);
  }

  if (!solution->impulse.allFinite()) {
    solution->impulse.setZero(problem.size());
    end = Termination::NumericalError;
    report.message = "the solver's answer was not finite; zero impulses are returned";
  }
  if (problem.has_dynamics()) {
    problem.CalcVelocity(solution->impulse, &solution->velocity);
  } else {
    solution->velocity.resize(0);
  }
  problem.CalcSigma(solution->impulse, &solution->sigma);
  solution->modes = CalcContactModes(problem, solution->impulse);
  report.residual = CalcNcpResidual(problem, solution->impulse);
  report.status = Judge(end, settings, report.residual, &report.message);
  return report;
}

}  // namespace tactus
