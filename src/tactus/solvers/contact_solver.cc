#include "tactus/solvers/contact_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

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
  // Texts are made only where they are needed: this runs in every step of a simulation.
  if (!(tolerance > 0 && tolerance < 1)) {
    throw InputError("tolerance", "is " + std::to_string(tolerance), "a number in (0, 1)");
  }
  if (max_iterations < 0) {
    throw InputError("max_iterations", "is " + std::to_string(max_iterations),
                     "a number >= 0 (0: the solver's default)");
  }
  if (threads < 1 || threads > kMostThreads) {
    throw InputError("threads", "is " + std::to_string(threads), "a number from 1 to " + std::to_string(kMostThreads));
  }
  if (!(time_budget >= 0 && time_budget < kInfinity)) {
    throw InputError("time_budget", "is " + std::to_string(time_budget) + " s",
                     "a time from 0 on, not infinite (0: none)");
  }
}

bool SolveMonitor::ShouldStop(Termination* why, double ahead) const {
  if (settings_.cancel && settings_.cancel->load(std::memory_order_relaxed)) {
    *why = Termination::Cancelled;
    return true;
  }
  // The second is a call of the system, so it comes last.
  const double latest = settings_.time_budget - ahead;
  if (settings_.time_budget > 0 && seconds() > latest && cpu_seconds() > latest) {
    *why = Termination::TimeBudget;
    return true;
  }
  return false;
}

void SolveMonitor::Record(int iteration, int newton_steps, const ConstVectorRef& lambda, const VectorX* velocity) {
  if (!settings_.record_history) return;
  const double now = timer_.seconds();
  const double cpu_now = cpu_timer_.seconds();
  const NcpResidual residual =
      velocity != nullptr ? CalcNcpResidual(problem_, *velocity, lambda) : CalcNcpResidual(problem_, lambda);
  report_->history.push_back({before_.iteration + iteration, before_.newton_steps + newton_steps,
                              before_.time + now - paused_, residual.worst(), residual.paper});
  paused_ += timer_.seconds() - now;
  cpu_paused_ += cpu_timer_.seconds() - cpu_now;
}

namespace {

bool Accepted(const NcpResidual& r, const SolveSettings& s, double factor) {
  const double tolerance = factor * s.tolerance;
  return r.worst() <= tolerance && (!s.accept_natural || (r.natural <= tolerance && r.natural_rho_mean <= tolerance));
}

SolveStatus Judge(Termination end, const SolveSettings& settings, SolveReport* report) {
  const NcpResidual& residual = report->residual;
  const bool feasible = residual.feasible(settings.tolerance);
  if (Accepted(residual, settings, 1) && feasible) return SolveStatus::Solved;
  if (end == Termination::Cancelled) return SolveStatus::Cancelled;
  if (end == Termination::NumericalError) return SolveStatus::NumericalError;
  if (residual.impulse_ratio > 1e4 && !feasible && end != Termination::TimeBudget) {
    report->SuspectInfeasible();
    return SolveStatus::Stalled;
  }
  if (Accepted(residual, settings, 100) && residual.feasible(100 * settings.tolerance))
    return SolveStatus::AlmostSolved;
  switch (end) {
    case Termination::MaxIterations: return SolveStatus::MaxIterations;
    case Termination::TimeBudget: return SolveStatus::TimeBudget;
    default: return SolveStatus::Stalled;
  }
}

// A large subsystem could not be factorized: nothing can be computed, nor judged.
SolveReport Refuse(const ContactProblem& problem, int subsystem, SolveReport report, ContactSolution* solution) {
  report.status = SolveStatus::NumericalError;
  report.message = "A of subsystem " + std::to_string(subsystem) + " is not positive definite; zeros are returned";
  report.residual.natural_rho = kInfinity;
  solution->impulse.setZero(problem.size());
  solution->velocity.setZero(problem.num_dofs());
  solution->sigma = problem.e();
  solution->modes.assign(static_cast<std::size_t>(problem.num_contacts()), ContactMode::Open);
  return report;
}

}  // namespace

void SolveReport::Say(std::string_view what) {
  if (!message.empty()) message += "; ";
  message += what;
}

void SolveReport::SuspectInfeasible() {
  if (!infeasible) Say("infeasible suspected: impulses grow without bound while a violation remains");
  infeasible = true;
}

Termination ContactSolver::Run(const ContactProblem& isotropic, const SolveSettings& settings,
                               const VectorX* start_velocity, VectorX* impulse, SolveReport* report) {
  if (isotropic.num_constraints() == 0 && !report->two_field) return Termination::Converged;
  SolveMonitor monitor(isotropic, settings, report, start_velocity);
  const int iterations = report->iterations, newton_steps = report->newton_steps, failures = report->inner_failures;
  report->iterations = report->newton_steps = report->inner_failures = 0;
  const Termination end = DoSolve(isotropic, &monitor, impulse, report);
  report->iterations += iterations;
  report->newton_steps += newton_steps;
  report->inner_failures += failures;
  report->time += monitor.seconds();
  report->cpu_time += monitor.cpu_seconds();
  return end;
}

Termination ContactSolver::RunUntilFeasible(const ContactProblem& isotropic, const SolveSettings& settings,
                                            const VectorX* start_velocity, VectorX* impulse, SolveReport* report) {
  constexpr int kRetries = 2, kFewIterations = 20;
  constexpr double kSmallestTolerance = 1e-14;
  Termination end = Run(isotropic, settings, start_velocity, impulse, report);
  report->residual = CalcResidual(isotropic, *impulse, report->two_field);
  for (int retry = 0; retry < kRetries; ++retry) {
    const NcpResidual& r = report->residual;
    if (end != Termination::Converged || r.worst() > settings.tolerance || r.feasible(settings.tolerance)) break;
    const double allowed = 100 * settings.tolerance * r.velocity_scale;
    SolveSettings tight = settings;
    tight.tolerance = std::max(kSmallestTolerance, 0.5 * r.worst() * allowed / r.violation());
    if (!(tight.tolerance < r.worst())) break;
    tight.max_iterations = std::max(kFewIterations, report->iterations);
    if (settings.max_iterations > 0) {
      tight.max_iterations = std::min(tight.max_iterations, settings.max_iterations - report->iterations);
    }
    if (settings.time_budget > 0) tight.time_budget = settings.time_budget - report->time;
    const bool no_time = settings.time_budget > 0 && tight.time_budget <= 0;
    if (tight.max_iterations <= 0 || no_time) break;
    VectorX again = *impulse;
    const VectorX velocity = report->two_field ? velocity_ : VectorX();
    end = Run(isotropic, tight, report->two_field ? &velocity : nullptr, &again, report);
    const NcpResidual judged = CalcResidual(isotropic, again, report->two_field);
    if (!(judged.worst() <= settings.tolerance)) {  // numbers broke down: what was there is better
      velocity_ = velocity;
      report->residual = CalcResidual(isotropic, *impulse, report->two_field);
      break;
    }
    *impulse = again;
    report->residual = judged;
  }
  return end;
}

NcpResidual ContactSolver::CalcResidual(const ContactProblem& problem, const VectorX& impulse, bool two_field) {
  return two_field ? CalcNcpResidual(problem, velocity_, impulse, &judge_) : CalcNcpResidual(problem, impulse, &judge_);
}

void ContactSolver::Finish(const ContactProblem& problem, const SolveSettings& settings, Termination end, bool judged,
                           SolveReport* report, ContactSolution* solution) {
  VectorX& impulse = solution->impulse;
  if (!impulse.allFinite() || (report->two_field && !velocity_.allFinite())) {
    impulse.setZero(problem.size());
    if (report->two_field) velocity_.setZero(problem.num_dofs());
    end = Termination::NumericalError;
    report->message = "the solver's answer was not finite; zero impulses are returned";
    judged = false;
  }
  if (!judged) report->residual = CalcResidual(problem, impulse, report->two_field);
  solution->velocity = judge_.velocity;
  solution->sigma = judge_.sigma;
  CalcContactModes(problem, impulse, judge_, &solution->modes);
  report->status = Judge(end, settings, report);
}

SolveReport ContactSolver::Solve(const ContactProblem& problem, const SolveSettings& settings, const WarmStart& warm,
                                 ContactSolution* solution) {
  settings.Validate();
  if (!warm.empty() && warm.impulse.size() != problem.size()) {
    throw InputError("warm start", "has " + std::to_string(warm.impulse.size()) + " impulses",
                     std::to_string(problem.size()) + ", or none");
  }
  if (!warm.impulse.allFinite()) throw InputError("warm start", "has an impulse that is not finite", "finite numbers");
  const VectorX* start_velocity = warm.velocity.size() > 0 ? &warm.velocity : nullptr;
  if (start_velocity != nullptr && warm.velocity.size() != problem.num_dofs()) {
    throw InputError("warm start", "has " + std::to_string(warm.velocity.size()) + " velocities",
                     std::to_string(problem.num_dofs()) + ", or none");
  }
  if (!warm.velocity.allFinite()) throw InputError("warm start", "has a velocity that is not finite", "finite numbers");

  SolveReport report;
  report.solver = name();
  VectorX& impulse = solution->impulse;
  if (warm.empty()) {
    impulse.setZero(problem.size());
  } else {
    impulse = warm.impulse;
  }

  report.two_field = ReturnsVelocity(problem, settings);
  if (!report.two_field) {
    const Timer timer;
    const ThreadCpuTimer cpu_timer;
    const int bad = problem.mass().FactorizeSparse();
    report.time = timer.seconds();
    report.cpu_time = cpu_timer.seconds();
    if (bad >= 0) return Refuse(problem, bad, std::move(report), solution);
  }
  Termination end = Termination::Converged;
  bool judged = false;
  if (HasEllipticContacts(problem) && !TakesEllipticContacts()) {
    VectorX scale;
    const ContactProblem isotropic = MakeIsotropic(problem, &scale);
    for (int i = 0; i < scale.size(); ++i) impulse[i] *= scale[i] > 0 ? 1 / scale[i] : 0;
    end = RunUntilFeasible(isotropic, settings, start_velocity, &impulse, &report);
    impulse.array() *= scale.array();
  } else {
    end = RunUntilFeasible(problem, settings, start_velocity, &impulse, &report);
    judged = true;
  }
  Finish(problem, settings, end, judged, &report, solution);
  return report;
}

}  // namespace tactus
