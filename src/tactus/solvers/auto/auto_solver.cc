#include "tactus/solvers/auto/auto_solver.h"

#include <cmath>

#include "tactus/solvers/auto/cond_estimate.h"

namespace tactus {

namespace {

constexpr const char* kRanOut = "subadmm: until its iterations or its time ran out";
constexpr const char* kCondRanOut = "cond: until its iterations or its time ran out";

}  // namespace

void AutoSettings::Validate() const {
  Require(std::isfinite(newton_cost) && newton_cost > 0, "auto newton_cost", "is " + std::to_string(newton_cost),
          "a number > 0");
  Require(std::isfinite(contact_cost) && contact_cost > 0, "auto contact_cost", "is " + std::to_string(contact_cost),
          "a number > 0");
  Require(std::isfinite(small_work) && small_work >= 0, "auto small_work", "is " + std::to_string(small_work),
          "a number >= 0");
  Require(std::isfinite(tree_share) && tree_share > 0, "auto tree_share", "is " + std::to_string(tree_share),
          "a number > 0");
  Require(std::isfinite(cond_patience) && cond_patience > 0, "auto cond_patience",
          "is " + std::to_string(cond_patience), "a number > 0");
}

// Newton's matrices fall apart into islands. Contacts of a pair lie side by side in problems of the simulator;
// elsewhere pairs may be counted twice.
double AutoSolver::CalcNewtonWork(const ContactProblem& problem) {
  islands_.Build(problem);
  island_dofs_.assign(islands_.num_names(), 0);
  island_pairs_.assign(islands_.num_names(), 0);
  for (int i = 0; i < problem.num_contacts(); ++i) {
    const ContactGeometry &g = problem.geometry()[i], &before = problem.geometry()[i > 0 ? i - 1 : 0];
    if (i > 0 && g.a == before.a && g.b == before.b) continue;
    const BodyIndex body = g.a != kWorld ? g.a : g.b;
    if (body != kWorld) island_pairs_[islands_.Find(problem.bodies()[body].subsystem)] += 1;
  }
  for (int k = 0; k < problem.mass().num_subsystems(); ++k) {
    const Subsystem& s = problem.mass().subsystem(k);
    island_dofs_[islands_.Find(k)] += s.kind == SubsystemKind::Free ? s.size : settings_.tree_share * s.size;
  }
  double steps = 0;
  for (int k = 0; k < islands_.num_names(); ++k) steps += island_dofs_[k] * std::sqrt(island_pairs_[k]);
  return settings_.newton_cost * steps + settings_.contact_cost * problem.num_contacts();
}

const char* AutoSolver::WhyNotSubadmm(const ContactProblem& problem, const SolveSettings& settings) {
  if (!problem.has_dynamics()) return "hybrid: the problem is a Delassus pair";
  if (settings.accept_natural) return "hybrid: another residual will do, too";
  if (SubadmmSolver::HasKernelsFor(problem)) {
    first_ = &subadmm_;
    return nullptr;
  }
  if (problem.mass().has_sparse()) return "hybrid: deformables with few contacts, or too stiff for cond";
  if (!problem.has_geometry()) return "hybrid: contacts are known as rows only";
  plan_.Make(problem);
  if (!BodySplitEngine::Supports(problem, &plan_)) {
    return "hybrid: there are large trees whose joints are not known, or contacts that are no points of rigid bodies";
  }
  first_ = &along_joints_;
  return nullptr;
}

bool AutoSolver::ReturnsVelocity(const ContactProblem& problem, const SolveSettings& settings) const {
  if (!problem.has_dynamics() || !problem.mass().has_sparse() || settings.accept_natural) return false;
  return EstimateCond(problem, settings.tolerance).prefers_cond();
}

// As long as the hybrid would take, or twice as many iterations as there should be. Then the hybrid.
Termination AutoSolver::SolveByCond(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                    SolveReport* report) {
  constexpr int kFewIterations = 100;
  const CondEstimate estimate = EstimateCond(problem, monitor->settings().tolerance);
  const double worth = std::max(1.0, 0.5 * estimate.hybrid / estimate.cond);
  const double most = kFewIterations + settings_.cond_patience * worth * estimate.iterations;
  SolveSettings limited = monitor->settings();
  const bool open = limited.max_iterations == 0 || limited.max_iterations > most;
  if (open) limited.max_iterations = static_cast<int>(std::min(most, 1e6));
  SolveMonitor watch(problem, limited, report, monitor->start_velocity());
  const Termination end = Delegate(&cond_, problem, &watch, lambda, report);
  monitor->Exclude(watch);
  velocity_ = VelocityOf(cond_);
  report->choice = "cond: deformables with many contacts";
  if (end == Termination::Converged) return end;
  if (end == Termination::TimeBudget || end == Termination::Cancelled || (end == Termination::MaxIterations && !open)) {
    report->choice = kCondRanOut;
    return end;
  }
  if (problem.mass().FactorizeSparse() >= 0) return Termination::NumericalError;
  report->two_field = false;
  return Finish(problem, monitor, lambda, report, /*by_cond=*/true);
}

Termination AutoSolver::DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                SolveReport* report) {
  if (report->two_field) return SolveByCond(problem, monitor, lambda, report);
  if (const char* why = WhyNotSubadmm(problem, monitor->settings())) {
    report->choice = why;
    return Delegate(&hybrid_, problem, monitor, lambda, report);
  }
  const double work = CalcNewtonWork(problem);
  if (work < settings_.small_work) {
    report->choice = "hybrid: few bodies";
    return Delegate(&hybrid_, problem, monitor, lambda, report);
  }
  first_->SetAlternative(work);
  const Termination end = Delegate(first_, problem, monitor, lambda, report);
  const int limit = monitor->settings().max_iterations;
  const bool slow = end == Termination::Stalled || (end == Termination::MaxIterations && limit == 0);
  if (slow && (limit == 0 || report->iterations < limit)) {
    return Finish(problem, monitor, lambda, report);
  }
  if (end != Termination::Converged) {
    report->choice = kRanOut;
  } else if (first_ == &along_joints_) {
    report->choice = "subadmm-aba: large trees, and it converges fast enough";
  } else {
    report->choice = "subadmm: it converges fast enough";
  }
  return end;
}

// The better of the two answers if the hybrid does not converge.
Termination AutoSolver::Finish(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                               SolveReport* report, bool by_cond) {
  start_ = *lambda;
  SolveSettings rest = monitor->settings();
  if (rest.max_iterations > 0) rest.max_iterations -= report->iterations;
  if (rest.time_budget > 0) {
    // In less than this share of the time the hybrid would hardly begin.
    constexpr double kShare = 0.3;
    rest.time_budget -= monitor->seconds();
    if (rest.time_budget < kShare * monitor->settings().time_budget) {
      report->choice = by_cond ? kCondRanOut : kRanOut;
      passive_.Limit(problem, lambda, report);
      return Termination::TimeBudget;
    }
  }
  report->choice = by_cond ? "cond, then hybrid: cond took longer than it should"
                           : "subadmm, then hybrid: subadmm alone had become slow";
  SolveMonitor watch(problem, rest, report, monitor->start_velocity());
  const int iterations = report->iterations;
  report->iterations = 0;
  const Termination end = Delegate(&hybrid_, problem, &watch, lambda, report);
  report->iterations += iterations;
  monitor->Exclude(watch);
  if (end == Termination::Converged) return end;
  const NcpResidual first = CalcNcpResidual(problem, start_), second = CalcNcpResidual(problem, *lambda);
  if (first.natural_rho < second.natural_rho && first.violation() <= second.violation()) *lambda = start_;
  return end;
}

}  // namespace tactus
