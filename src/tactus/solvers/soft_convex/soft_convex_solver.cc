#include "tactus/solvers/soft_convex/soft_convex_solver.h"

#include <algorithm>
#include <cmath>

#include "tactus/contact/primal_form.h"
#include "tactus/solvers/first_order/impulse_system.h"

namespace tactus {

void SoftConvexSettings::Validate() const {
  const auto require = [](bool ok, const char* field, double value, const char* expected) {
    Require(ok, "soft-convex settings", std::string(field) + " is " + std::to_string(value), expected);
  };
  const auto inside = [](double x) { return x > 0 && x < 1; };
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  require(positive(time_constant), "time_constant", time_constant, "seconds > 0");
  require(positive(damping_ratio), "damping_ratio", damping_ratio, "a number > 0");
  require(inside(impedance_min), "impedance_min", impedance_min, "a number in (0, 1)");
  require(inside(impedance_max), "impedance_max", impedance_max, "a number in (0, 1)");
  require(positive(impedance_width), "impedance_width", impedance_width, "metres > 0");
  require(inside(impedance_midpoint), "impedance_midpoint", impedance_midpoint, "a number in (0, 1)");
  require(std::isfinite(impedance_power) && impedance_power >= 1, "impedance_power", impedance_power, "a number >= 1");
  require(time_step >= 0 && std::isfinite(time_step), "time_step", time_step, "seconds > 0, or 0 for unknown");
  require(inside(tolerance), "tolerance", tolerance, "a number in (0, 1)");
  require(max_newton_steps >= 1, "max_newton_steps", max_newton_steps, "a number >= 1");
}

double SoftConvexSettings::Impedance(double violation) const {
  const double x = std::min(violation / impedance_width, 1.0), m = impedance_midpoint, p = impedance_power;
  const double y = x <= m ? std::pow(x, p) / std::pow(m, p - 1) : 1 - std::pow(1 - x, p) / std::pow(1 - m, p - 1);
  return impedance_min + y * (impedance_max - impedance_min);
}

Termination SoftConvexSolver::DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                      SolveReport* report) {
  Prepare(problem, *lambda);
  const int max_steps =
      monitor->settings().max_iterations > 0 ? monitor->settings().max_iterations : settings_.max_newton_steps;
  Termination why = Termination::MaxIterations;
  int steps = 0;
  const auto done = [&] {
    monitor->Record(steps, steps, point_.lambda);
    ++steps;
    if (monitor->ShouldStop(&why)) return true;
    if (norm_(point_.r) > norm_.CalcTolerance(surrogate_, point_, settings_.tolerance)) return false;
    why = Termination::Converged;
    return true;
  };
  const InnerOutcome outcome = newton_.Minimize(&surrogate_, &system_, &point_, max_steps, done);
  report->iterations = outcome.steps;
  report->newton_steps = outcome.steps;
  report->inner_failures = why == Termination::Converged ? 0 : 1;
  if (outcome.broke_down) {
    report->message = "the linear system of a Newton step could not be solved";
    return Termination::NumericalError;
  }
  *lambda = point_.lambda;
  report->message = "the answer of the soft convex model: contacts yield, and separate where they slide";
  // The line search finds no descent any more: as near to the minimum as rounding allows.
  if (why == Termination::MaxIterations && outcome.steps < max_steps) why = Termination::Converged;
  return why;
}

// beta_i = 1/R_i, no multiplier, and the reference velocity in place of e. See README.md.
void SoftConvexSolver::Prepare(const ContactProblem& problem, const VectorX& lambda) {
  primal_.reset();
  if (!problem.has_dynamics()) primal_.emplace(MakePrimal(problem));
  const ContactProblem& p = primal_ ? *primal_ : problem;
  surrogate_.Reset(p, ConeOperator::Proximal);
  system_.Reset(p);
  norm_.Reset(p, /*energy=*/true);
  ImpulseSystem impulses;
  impulses.Prepare(problem, SystemForm::Auto, /*for_sweeps=*/false);

  const SoftConvexSettings& s = settings_;
  for (int i = 0; i < p.num_constraints(); ++i) {
    const bool contact = i < p.num_contacts();
    const double e = problem.e()[problem.offset(i) + (contact ? 2 : 0)];
    const bool known = contact && problem.has_dynamics() && s.time_step > 0 && e < 0;
    const double violation = known ? -e * s.time_step : 0, d = s.Impedance(violation);
    const double* W = impulses.diagonal_block(i);
    double w = contact ? W[8] : W[0];
    if (!(w > 0)) w = 1 / impulses.rho()[i];
    surrogate_.beta[i] = d / ((1 - d) * w);
    if (known) {
      const double stiffness = d / std::pow(s.impedance_max * s.time_constant * s.damping_ratio, 2);
      surrogate_.frozen[i] = -s.time_step * stiffness * violation - e;
    }
    // Soft rows have a compliance of their own, to which nothing is added.
    if (!contact && !p.law(i - p.num_contacts()).rigid()) {
      const double own = p.law(i - p.num_contacts()).d;
      surrogate_.beta[i] = own > 0 ? 1e12 * own : 1;
    }
  }
  p.CalcVelocity(lambda, &point_.v);
}

}  // namespace tactus
