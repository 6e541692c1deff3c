#include "tactus/solvers/passive_impulses.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace tactus {

void PassiveImpulses::Limit(const ContactProblem& problem, VectorX* lambda, SolveReport* report) {
  kept_ = *lambda;
  const auto is_passive = [&](int i) { return problem.dim(i) == 3 || problem.law(i - problem.num_contacts()).rigid(); };
  for (int i = 0; i < problem.num_constraints(); ++i) {
    if (is_passive(i)) kept_.segment(problem.offset(i), problem.dim(i)).setZero();
  }
  const auto power = [&](const VectorX& impulses) {
    problem.CalcSigma(impulses, &sigma_);
    return (*lambda - kept_).dot(sigma_);
  };
  const double with = power(*lambda);
  if (!(with > 0) || !std::isfinite(with)) return;
  const double without = power(kept_);
  if (!std::isfinite(without)) return;
  const double share = std::clamp(-without / (with - without), 0.0, 1.0);
  *lambda = kept_ + share * (*lambda - kept_);
  report->Say("cut off: impulses scaled by " + std::to_string(share) + " to add no energy");
}

}  // namespace tactus
