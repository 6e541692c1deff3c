#include "tactus/solvers/cond/cond_solver.h"

#include <algorithm>
#include <cmath>

#include "tactus/contact/primal_form.h"
#include "tactus/solvers/first_order/still_watch.h"

namespace tactus {

void CondSettings::Validate() const {
  const auto check = [](bool ok, const char* what, double value, const char* expected) {
    Require(ok, std::string("cond ") + what, "is " + std::to_string(value), expected);
  };
  check(std::isfinite(kappa) && kappa > 0, "kappa", kappa, "a number > 0");
  check(std::isfinite(row_kappa) && row_kappa > 0, "row_kappa", row_kappa, "a number > 0");
  check(std::isfinite(chain_kappa) && chain_kappa > 0, "chain_kappa", chain_kappa, "a number > 0");
  check(std::isfinite(tie_damping) && tie_damping >= 0, "tie_damping", tie_damping, "a number >= 0");
  check(std::isfinite(held_kappa) && held_kappa > 0, "held_kappa", held_kappa, "a number > 0");
  check(tie_relaxation > 0 && tie_relaxation < 2, "tie_relaxation", tie_relaxation, "a number in (0, 2)");
  check(std::isfinite(omega) && omega >= 0, "omega", omega, "a number >= 0");
  check(spectral_target > 0 && spectral_target < 2, "spectral_target", spectral_target, "a number in (0, 2)");
  check(power_iterations >= 2 && power_iterations <= 40, "power_iterations", power_iterations, "a number in [2, 40]");
  check(rho_cap > 0 && rho_cap < 1, "rho_cap", rho_cap, "a number in (0, 1)");
  check(rho_window >= 1 && rho_window <= 64, "rho_window", rho_window, "a number in [1, 64]");
  check(slow_start >= 2, "slow_start", slow_start, "a number >= 2");
  check(relaxation > 0 && relaxation <= 1, "relaxation", relaxation, "a number in (0, 1]");
  check(check_interval >= 1, "check_interval", check_interval, "a number >= 1");
  check(default_max_iterations >= 1, "default_max_iterations", default_max_iterations, "a number >= 1");
  check(std::isfinite(still) && still >= 0, "still", still, "a number >= 0");
}

// Without a velocity to start from: that of the impulses. Of large subsystems the inertia alone is inverted, which
// keeps their momentum.
void CondSolver::CalcStart(const ContactProblem& p, const VectorX* start_velocity, const VectorX& lambda) {
  start_velocity_ = p.b();
  p.AddMultiplyJT(lambda, &start_velocity_);
  p.mass().CalcInertia(&v_);
  const bool dense = !problem_->has_dynamics();
  for (int j = 0; j < p.mass().num_subsystems(); ++j) {
    const Subsystem& s = p.mass().subsystem(j);
    auto part = start_velocity_.segment(s.dof, s.size);
    if (s.kind != SubsystemKind::Sparse) {
      p.mass().SolveSubsystem(j, part);
    } else if (engine_.SolveChain(j, part)) {
      continue;
    } else if (start_velocity != nullptr) {
      part = start_velocity->segment(s.dof, s.size);
    } else if (!dense) {  // of a pair A is the identity
      part.array() /= v_.segment(s.dof, s.size).array();
    }
  }
}

bool CondSolver::Begin(const ContactProblem& problem, SolveMonitor* monitor, const VectorX& lambda,
                       SolveReport* report) {
  problem_ = &problem;
  two_field_ = ReturnsVelocity(problem, monitor->settings());
  if (!problem.has_dynamics() && problem.size() > kLargestPrimalSize) {
    report->Say("a Delassus pair of more than " + std::to_string(kLargestPrimalSize) + " rows");
    return false;
  }
  if (!problem.has_dynamics()) primal_ = MakePrimal(problem);
  solved_ = problem.has_dynamics() ? &problem : &primal_;
  if (!engine_.Prepare(*solved_, settings_, !problem.has_dynamics(), monitor->settings().threads)) {
    report->message = "A is not positive definite, numerically";
    velocity_.setZero(solved_->num_dofs());
    return false;
  }
  start_lambda_ = lambda;
  CalcStart(*solved_, monitor->start_velocity(), lambda);
  engine_.Start(lambda, start_velocity_);
  solved_->mass().CalcInertia(&v_);
  b_norm_ = (solved_->b().array().square() / v_.array()).sum();
  v_ = start_velocity_;
  best_ = smallest_ = first_ = measure_ = best_at_rest_ = progress_ = kInfinity;
  at_rest_since_ = idle_ = 0;
  holds_multipliers_ = stiffened_ = false;
  accelerates_ = settings_.chebyshev && settings_.weights < CondWeights::BB1;
  acceleration_ = {};
  best_lambda_ = lambda;
  best_v_ = start_velocity_;
  return true;
}

// lambda_ and v_ of the last iteration: v++ of nodes, and what the impulses make of everything else.
void CondSolver::ReadAnswer() {
  engine_.CopyImpulses(&lambda_);
  if (!two_field_) return;
  const ContactProblem& p = *problem_;
  v_ = p.b();
  p.AddMultiplyJT(lambda_, &v_);
  for (int j = 0; j < p.mass().num_subsystems(); ++j) {
    const Subsystem& s = p.mass().subsystem(j);
    if (s.kind != SubsystemKind::Sparse) {
      p.mass().SolveSubsystem(j, v_.segment(s.dof, s.size));
    } else {
      engine_.SolveChain(j, v_.segment(s.dof, s.size));
    }
  }
  engine_.CopyVelocity(&v_);
}

// Judges the iterate as it would be returned, keeps it if it is the best. True if the solve is over.
bool CondSolver::Check(int iteration, SolveMonitor* monitor, Termination* why) {
  ReadAnswer();
  const NcpResidual residual =
      two_field_ ? CalcNcpResidual(*problem_, v_, lambda_, &judge_) : CalcNcpResidual(*problem_, lambda_, &judge_);
  monitor->Record(iteration, 0, lambda_, two_field_ ? &v_ : nullptr);
  const SolveSettings& settings = monitor->settings();
  double ranked = residual.worst();
  if (settings.accept_natural) ranked = std::max({ranked, residual.natural, residual.natural_rho_mean});
  // Where another law is aimed at, the iterate's own measure has to do.
  if (own_law()) ranked = measure_;
  const bool good = ranked <= 0.9 * settings.tolerance && (own_law() || residual.feasible(0.9 * settings.tolerance));
  if (good || ranked < best_) {
    best_ = ranked;
    best_lambda_ = lambda_;
    best_v_ = v_;
  }
  if (good) *why = Termination::Converged;
  return good;
}

// Relative change of the iterate, in norms of the residual it will leave: bounds it where W A has no eigenvalue above
// 2, as that residual is (A - W^{-1})(v++ - v).
double CondSolver::Measure(const CondNorms& n) const {
  const double scale = std::max(n.momentum, b_norm_);
  const double nodes = n.residual > 0 ? std::sqrt(n.residual / scale) : 0;
  const double ties = n.ties + n.lag > 0 ? std::sqrt((n.ties + n.lag) / n.tie_scale) : 0;
  return std::isfinite(n.residual + n.ties) ? std::max(nodes, ties) : kInfinity;
}

// nu of paper 001, algorithm 3.
double CondSolver::NextFactor() {
  Acceleration& a = acceleration_;
  ++a.since;
  if (!accelerates_ || a.since < settings_.slow_start) {
    a.nu = 1;
  } else if (a.since == settings_.slow_start) {
    a.nu = 2 / (2 - a.rho * a.rho);
  } else {
    a.nu = 4 / (4 - a.rho * a.rho * a.nu);
  }
  return a.nu;
}

// Eq. 39 on the accelerated sequence, or the mean of several.
void CondSolver::UpdateRate(double step) {
  Acceleration& a = acceleration_;
  const int size = static_cast<int>(a.steps.size()), window = std::min(settings_.rho_window, a.since - 1);
  a.steps[a.since % size] = step;
  const double before = window > 0 ? a.steps[(a.since - window) % size] : 0;
  const double rate = before <= 0 ? 0 : window == 1 ? step / before : std::pow(step / before, 1.0 / window);
  a.rho = std::min(rate, settings_.rho_cap);
}

bool CondSolver::AccelerationFails(double measure) {
  constexpr double kGain = 0.5;
  constexpr int kPatience = 150;
  ++idle_;
  if (measure < kGain * progress_) {
    progress_ = measure;
    idle_ = 0;
  }
  const bool multipliers = settings_.virtual_nodes == CondVirtualNodes::Exact && engine_.has_copies();
  return accelerates_ && multipliers && !holds_multipliers_ && idle_ > kPatience;
}

// With the exact law the multipliers may go in circles, each of their steps as large as the last. Where ties are stiff
// enough they do not (README.md).
bool CondSolver::HeldMultipliersFail() const {
  constexpr int kPatience = 2000;
  return holds_multipliers_ && !stiffened_ && idle_ > kPatience;
}

// What is left for the multipliers that there are, beside what is wrong with these.
bool CondSolver::InnerIsSolved(const CondNorms& n) const {
  constexpr double kShare = 0.1;
  return n.inner + n.ties < kShare * kShare * n.lag;
}

bool CondSolver::Watch(const CondNorms& norms, double measure, SolveReport* report) {
  constexpr double kDiverged = 1e6, kGrown = 10, kStiffer = 10;
  constexpr int kPatience = 10;
  Acceleration& a = acceleration_;
  UpdateRate(std::sqrt(norms.steps));
  if (!std::isfinite(first_)) first_ = measure;
  smallest_ = std::min(smallest_, measure);
  if (!(measure <= kDiverged * first_)) {
    ++report->inner_failures;
    return true;
  }
  if (AccelerationFails(measure)) {
    engine_.DropMomentum();
    a = {};
    smallest_ = measure;
    // Meshes need the acceleration: there the multipliers wait instead.
    if (engine_.system().num_rows() > 0) {
      holds_multipliers_ = true;
      return !engine_.HoldMultipliers();
    }
    accelerates_ = false;
    return !engine_.RelaxChains();
  }
  if (HeldMultipliersFail()) {
    engine_.DropMomentum();
    a = {};
    smallest_ = measure;
    stiffened_ = true;
    return !engine_.StiffenTies(kStiffer);
  }
  if (holds_multipliers_ && InnerIsSolved(norms)) {
    engine_.DropMomentum();
    engine_.UpdateMultipliers();
    a = {};
    smallest_ = kInfinity;
    return false;
  }
  if (measure > kGrown * smallest_ && a.since > settings_.slow_start + kPatience) {
    if (engine_.recycles()) return true;  // W was made for another A: that is the likelier cause
    engine_.DropMomentum();
    a = {};
    smallest_ = measure;
  }
  return false;
}

// Velocities rest and the judge is not content. Impulses of contacts that share a node may still be on their way, so
// that as many iterations again are made; where they grow without bound (a jam) the residual falls like 1/k at most.
bool CondSolver::HasStalled(int iteration, double tolerance) {
  constexpr double kAtRest = 1e-4, kGain = 0.4;
  constexpr int kPatience = 300;
  if (measure_ > kAtRest * tolerance || best_ < kGain * best_at_rest_) {
    at_rest_since_ = iteration;
    best_at_rest_ = best_;
  }
  return iteration > 2 * at_rest_since_ + kPatience;
}

Termination CondSolver::DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                SolveReport* report) {
  if (!Begin(problem, monitor, *lambda, report)) return Termination::NumericalError;
  const int max_iterations =
      monitor->settings().max_iterations > 0 ? monitor->settings().max_iterations : settings_.default_max_iterations;
  constexpr int kMostRestarts = 30;
  Termination why = Termination::MaxIterations;
  // Zero impulses are no answer; those of a warm start may be.
  int next_check = lambda->isZero(0) ? settings_.check_interval : 0;
  double wanted = monitor->settings().tolerance, moved = kInfinity;
  for (int k = 0;; ++k) {
    report->iterations = k;
    const bool still = moved < settings_.still;
    if (still) {
      why = Termination::Stalled;
      report->Say(kStoppedStill);
    }
    const bool stop = still || k == max_iterations || monitor->ShouldStop(&why);
    // The judge is asked when the iterate seems good enough, and now and then.
    if (stop || k >= next_check || measure_ <= wanted) {
      if (Check(k, monitor, &why) || stop) break;
      next_check = k + std::max(settings_.check_interval, k / 4);
      if (measure_ <= wanted) wanted = 0.7 * measure_;
      if (HasStalled(k, monitor->settings().tolerance)) {
        why = Termination::Stalled;
        break;
      }
    }
    const CondNorms norms = engine_.Iterate(NextFactor());
    measure_ = Measure(norms);
    moved = std::sqrt(norms.steps);
    if (!Watch(norms, measure_, report)) continue;
    if (report->inner_failures > kMostRestarts) {
      why = Termination::NumericalError;
      break;
    }
    if (!engine_.RenewWeights()) engine_.HalveSteps();
    engine_.Start(start_lambda_, start_velocity_);
    acceleration_ = {};
    first_ = smallest_ = measure_ = kInfinity;
  }
  engine_.Finish();
  *lambda = best_lambda_;
  if (two_field_) velocity_ = best_v_;
  if (why == Termination::Converged && own_law()) {
    report->message = "converged on the law that the settings ask for, which is not the exact one";
  }
  return why;
}

}  // namespace tactus
