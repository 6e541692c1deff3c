#include "tactus/solvers/canal/canal_solver.h"

namespace tactus {

void CanalSettings::Validate() const {
  AugmentedLagrangianSettings::Validate("canal");
  Require(line_search_tolerance > 0 && line_search_tolerance < 1, "canal settings",
          "line_search_tolerance is " + std::to_string(line_search_tolerance), "a number in (0, 1)");
}

CanalSolver::CanalSolver(const CanalSettings& settings)
    : AugmentedLagrangianSolver(settings, ConeOperator::Proximal), newton_(settings.line_search_tolerance) {
  settings.Validate();
}

// Newton's method on the strongly convex h(v) (eq. 23): globally convergent with the exact line search.
InnerOutcome CanalSolver::SolveSurrogate(int max_steps) {
  return newton_.Minimize(&surrogate_, &system_, &point_, max_steps, [this] { return IsSurrogateSolved(); });
}

}  // namespace tactus
