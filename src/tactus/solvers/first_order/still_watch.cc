#include "tactus/solvers/first_order/still_watch.h"

namespace tactus {

void StillWatch::Start(const ContactProblem& problem, double threshold, const VectorX& lambda) {
  threshold_ = problem.has_dynamics() ? threshold : 0;
  if (threshold_ > 0) last_ = lambda;
}

bool StillWatch::Check(const ContactProblem& problem, const VectorX& lambda) {
  if (threshold_ == 0) return false;
  last_ -= lambda;
  change_.setZero(problem.num_dofs());
  problem.AddMultiplyJT(last_, &change_);
  problem.mass().SolveInPlace(change_);
  last_ = lambda;
  return change_.norm() < threshold_;
}

}  // namespace tactus
