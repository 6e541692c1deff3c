#include "tactus/solvers/passive_impulses.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace tactus {

namespace {

bool IsPassive(const ContactProblem& problem, int i) {
  return problem.dim(i) == 3 || problem.law(i - problem.num_contacts()).rigid();
}

}  // namespace

void PassiveImpulses::Limit(const ContactProblem& problem, VectorX* lambda, SolveReport* report) {
  kept_ = *lambda;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    if (IsPassive(problem, i)) kept_.segment(problem.offset(i), problem.dim(i)).setZero();
  }
  const auto power = [&](const VectorX& impulses) {
    problem.CalcSigma(impulses, &sigma_);
    return (*lambda - kept_).dot(sigma_);
  };
  const double with = power(*lambda);
  if (!(with > 0)) return;
  Limit(problem, with, power(kept_), lambda, report);
}

void PassiveImpulses::Limit(const ContactProblem& problem, double with, double without, VectorX* lambda,
                            SolveReport* report) {
  if (!(with > 0) || !std::isfinite(with) || !std::isfinite(without)) return;
  const double share = std::clamp(-without / (with - without), 0.0, 1.0);
  for (int i = 0; i < problem.num_constraints(); ++i) {
    if (IsPassive(problem, i)) lambda->segment(problem.offset(i), problem.dim(i)) *= share;
  }
  report->Say("cut off: impulses scaled by " + std::to_string(share) + " to add no energy");
}

}  // namespace tactus
