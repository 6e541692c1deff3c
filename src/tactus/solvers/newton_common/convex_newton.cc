#include "tactus/solvers/newton_common/convex_newton.h"

#include <cmath>

namespace tactus {

InnerOutcome ConvexNewton::Minimize(Surrogate* surrogate, BodySpaceSystem* system, SurrogatePoint* point, int max_steps,
                                    const std::function<bool()>& done) {
  InnerOutcome outcome;
  for (;; ++outcome.steps) {
    surrogate->Evaluate(point);
    outcome.solved = done();
    if (outcome.solved || outcome.steps == max_steps) return outcome;

    surrogate->CalcImpulse(point->y, &point->lambda, &blocks_);
    system->Assemble(surrogate->problem(), blocks_);  // eq. 25
    if (!system->FactorizeCholesky()) {
      outcome.broke_down = true;
      return outcome;
    }
    direction_ = -point->r;
    system->SolveInPlace(&direction_);  // eq. 26
    if (!direction_.allFinite()) {
      outcome.broke_down = true;
      return outcome;
    }
    const double step = SearchLine(surrogate, *point);
    if (step == 0) return outcome;  // rounding: no descent is left
    point->v += step * direction_;
  }
}

// Eq. 27: the root of the increasing function h'(v + a d) by Newton's method kept inside a bracket ("rtsafe").
// Returns 0 where d does not descend.
double ConvexNewton::SearchLine(Surrogate* surrogate, const SurrogatePoint& point) {
  const ContactProblem& p = surrogate->problem();
  p.MultiplyJ(direction_, &J_direction_);
  p.mass().Multiply(direction_, &A_direction_);
  const double dAv = direction_.dot(point.Av - p.b()), dAd = direction_.dot(A_direction_);
  const double slope = direction_.dot(point.r);
  if (!(slope < 0)) return 0;
  const double enough = line_search_tolerance_ * -slope;
  const auto derivative = [&](double step) { return surrogate->CalcSlope(point, J_direction_, dAv, dAd, step); };

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
