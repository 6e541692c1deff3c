#include "tactus/solvers/first_order/admm_solver.h"

#include <algorithm>
#include <cmath>

namespace tactus {

void AdmmSettings::Validate(const std::string& solver) const {
  const auto check = [&](bool ok, const char* what, const std::string& value, const char* expected) {
    Require(ok, solver + " " + what, "is " + value, expected);
  };
  check(std::isfinite(beta) && beta > 0, "beta", std::to_string(beta), "a number > 0");
  check(relaxation >= 1 && relaxation < 2, "relaxation", std::to_string(relaxation), "a number in [1, 2)");
  check(adapt_threshold > 1, "adapt_threshold", std::to_string(adapt_threshold), "a number > 1");
  check(adapt_interval >= 1, "adapt_interval", std::to_string(adapt_interval), "a number >= 1");
  check(max_adaptations >= 0, "max_adaptations", std::to_string(max_adaptations), "a number >= 0");
  check(check_interval >= 1, "check_interval", std::to_string(check_interval), "a number >= 1");
  check(check_growth >= 0 && check_growth <= 1, "check_growth", std::to_string(check_growth), "a number in [0, 1]");
  check(least_iterations >= 0, "least_iterations", std::to_string(least_iterations), "a number >= 0");
  check(default_max_iterations >= 1, "default_max_iterations", std::to_string(default_max_iterations), "a number >= 1");
}

bool AdmmSolver::Adapt(const AdmmBalance& sums, double threshold) {
  if (!(sums.primal > 0 && sums.dual > 0 && sums.primal_scale > 0 && sums.dual_scale > 0)) return false;
  const double ratio = std::sqrt(sums.primal / sums.primal_scale) / std::sqrt(sums.dual / sums.dual_scale);
  if (ratio < threshold && ratio > 1 / threshold) return false;
  const double before = penalty_;
  penalty_ = std::clamp(penalty_ * std::clamp(std::sqrt(ratio), 0.1, 10.0), 1e-4, 1e5);
  return penalty_ != before;
}

void ProgressWatch::Start(double tolerance, double alternative) {
  tolerance_ = tolerance;
  alternative_ = alternative;
  count_ = 0;
}

bool ProgressWatch::IsSlow(int iteration, double best) {
  // Before that nothing can be said. To 1e-6 hundreds of iterations without gain often end well, beyond that seldom.
  constexpr double kFirst = 30, kReachable = 0.99e-6;
  const double first_share = tolerance_ > kReachable ? 0.25 : 0.06;
  // Once it has taken half as long as the other way would, the end must be in sight.
  constexpr double kLateShare = 0.5, kInSight = 0.25;
  if (count_ < kMost) {
    iterations_[count_] = iteration;
    best_[count_++] = best;
  }
  if (iteration < std::max(kFirst, first_share * alternative_)) return false;
  if (iteration > alternative_) return true;
  int half = count_ - 1;
  while (half > 0 && iterations_[half] > iteration / 2) --half;
  const double gained = std::log(best_[half] / best), wanted = std::log(best / tolerance_);
  const double allowed = (iteration > kLateShare * alternative_ ? kInSight : 1) * alternative_;
  return wanted * (iteration - iterations_[half]) > allowed * gained;
}

bool AdmmSolver::Check(int iteration, const SolveReport& report, VectorX* lambda, Termination* why) {
  system_.CalcSigma(*lambda, &sigma_);
  return watch_.Check(iteration, report.newton_steps, *lambda, sigma_, why);
}

bool AdmmSolver::CheckTwoField(const ContactProblem& problem, SolveMonitor* monitor, int iteration, const VectorX& v,
                               const VectorX& lambda, Termination* why) {
  const NcpResidual residual = CalcNcpResidual(problem, v, lambda, &two_field_judge_);
  monitor->Record(iteration, 0, lambda, &v);
  const bool over = two_field_watch_.Check({residual.worst(), residual.violation()}, residual.worst(), why);
  if (two_field_watch_.improved()) {
    best_lambda_ = lambda;
    best_velocity_ = v;
  }
  return over;
}

void AdmmSolver::TakeBestTwoField(const ContactProblem& problem, VectorX* lambda) {
  if (two_field_watch_.best() == kInfinity) {
    best_lambda_ = *lambda;
    best_velocity_.setZero(problem.num_dofs());
  }
  *lambda = best_lambda_;
  velocity_ = best_velocity_;
}

bool HasTiedPieces(const ContactProblem& problem) {
  if (!problem.has_dynamics() || !problem.mass().has_sparse()) return false;
  const MassMatrix& mass = problem.mass();
  const BlockRows& J = problem.jacobian();
  for (int i = problem.num_contacts(); i < problem.num_constraints(); ++i) {
    if (J.count(i) < 2) continue;
    const int first = mass.subsystem_of_dof(J.cols(i)[0]), last = mass.subsystem_of_dof(J.cols(i)[J.count(i) - 1]);
    if (first != last && mass.subsystem(first).kind == SubsystemKind::Sparse &&
        mass.subsystem(last).kind == SubsystemKind::Sparse) {
      return true;
    }
  }
  return false;
}

namespace {

// How many iterations until the next look: a tenth of those made, and more while the tolerance is far, as a look costs
// as much as a few iterations. The first looks show which constraints matter at all.
int CalcInterval(const AdmmSettings& settings, int iteration, double to_go) {
  constexpr int kFirst = 20;
  constexpr double kDecades = 2, kMost = 3;
  const double interval = std::max<double>(settings.check_interval, settings.check_growth * iteration);
  if (iteration < kFirst || !(to_go > 1)) return static_cast<int>(interval);
  return static_cast<int>(interval * std::clamp(std::log10(to_go) / kDecades, 1.0, kMost));
}

}  // namespace

Termination AdmmSolver::Loop(const ContactProblem& problem, const AdmmSettings& settings, SolveMonitor* monitor,
                             VectorX* lambda, SolveReport* report) {
  StartWatch(monitor);
  progress_.Start(monitor->settings().tolerance, alternative_);
  Termination why = Termination::MaxIterations;
  bool factorized = Factorize(problem);
  int adaptations = 0, next_adaptation = settings.adapt_interval, next_check = 0;
  const int max_iterations =
      monitor->settings().max_iterations > 0 ? monitor->settings().max_iterations : settings.default_max_iterations;
  const double begin = monitor->seconds(), budget = monitor->settings().time_budget;
  for (int k = 0; factorized;) {
    report->iterations = k;
    // What an iteration has taken so far, looks at the residual included.
    const double each = k > 0 ? (monitor->seconds() - begin) / k : 0;
    bool stop = k == max_iterations;
    if (!stop && monitor->ShouldStop(&why, 2 * each + reserve_)) {
      stop = why == Termination::Cancelled || k >= settings.least_iterations;
      if (!stop) why = Termination::MaxIterations;
    }
    if (stop || k == next_check) {
      if (Check(k, *report, lambda, &why) || stop) break;
      if (alternative_ > 0 && progress_.IsSlow(k, best_score())) {
        why = Termination::Stalled;
        break;
      }
      if (Wake() && !(factorized = Factorize(problem))) break;
      next_check = k + CalcInterval(settings, k, best_score() / monitor->settings().tolerance);
    }
    const bool adapting = settings.adapt && adaptations < settings.max_adaptations;
    int count = std::min(next_check, max_iterations) - k;
    if (adapting) count = std::min(count, next_adaptation - k);
    if (budget > 0 && each > 0) {
      const int affordable = static_cast<int>((budget - reserve_ - monitor->seconds()) / each) - 2;
      count = std::clamp(affordable, std::min(count, std::max(1, settings.least_iterations - k)), count);
    }
    const bool look = adapting && k + count == next_adaptation;
    Iterate(problem, count, look, lambda);
    k += count;
    if (!look) continue;
    if (Adapt(CalcBalance(problem, *lambda), settings.adapt_threshold)) {
      ++adaptations;
      factorized = Factorize(problem);
    }
    next_adaptation = k + settings.adapt_interval * (adaptations + 1);
  }
  if (!factorized) {
    report->message = "A + J^T B J is not positive definite, numerically";
    why = Termination::NumericalError;
  }
  TakeBest(lambda);
  return why;
}

}  // namespace tactus
