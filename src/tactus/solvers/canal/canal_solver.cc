#include "tactus/solvers/canal/canal_solver.h"

#include <cmath>

namespace tactus {

void CanalSettings::Validate() const {
  AugmentedLagrangianSettings::Validate("canal");
  Require(line_search_tolerance > 0 && line_search_tolerance < 1, "canal settings",
          "line_search_tolerance is " + std::to_string(line_search_tolerance), "a number in (0, 1)");
}

CanalSolver::CanalSolver(const CanalSettings& settings)
    : AugmentedLagrangianSolver(settings, ConeOperator::Proximal), line_search_tolerance_(settings.line_search_tolerance) {
  settings.Validate();
}

// Newton's method on the strongly convex h(v) (eq. 23): globally convergent with the exact line search.
InnerOutcome CanalSolver::SolveSurrogate(int max_steps) {
  InnerOutcome outcome;
  for (;; ++outcome.steps) {
    surrogate_.Evaluate(&point_);
    outcome.solved = IsSurrogateSolved();
    if (outcome.solved || outcome.steps == max_steps) return outcome;

    if (!CalcNewtonDirection(&direction_)) {
      outcome.broke_down = true;
      return outcome;
    }
    const double step = SearchLine();
    if (step == 0) return outcome;  // rounding: no descent is left
    point_.v += step * direction_;
  }
}

// Eq. 27: the root of the increasing function h'(v + a d) by Newton's method kept inside a bracket ("rtsafe").
// Returns 0 where d does not descend.
double CanalSolver::SearchLine() {
  const ContactProblem& p = surrogate_.problem();
  p.MultiplyJ(direction_, &J_direction_);
  p.mass().Multiply(direction_, &A_direction_);
  const double dAv = direction_.dot(point_.Av - p.b()), dAd = direction_.dot(A_direction_);
  const double slope = direction_.dot(point_.r);
  if (!(slope < 0)) return 0;
  const double enough = line_search_tolerance_ * -slope;
  const auto derivative = [&](double step) { return surrogate_.CalcSlope(point_, J_direction_, dAv, dAd, step); };

  double lo = 0, hi = 1;
  Surrogate::Slope at = derivative(hi);
  while (at.first < -enough && hi < 1e6) {
    lo = hi;
    hi *= 2;
    at = derivative(hi);
  }
  double step = hi;
  for (int k = 0; k < 60 && std::abs(at.first) > enough; ++k) {
    (at.first < 0 ? lo : hi) = step;
    double next = step - at.first / at.second;
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    if (std::abs(next - step) <= 1e-14 * step) break;
    step = next;
    at = derivative(step);
  }
  return step;
}

}  // namespace tactus
