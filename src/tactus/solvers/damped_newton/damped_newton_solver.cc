#include "tactus/solvers/damped_newton/damped_newton_solver.h"

#include <cmath>

namespace tactus {

void DampedNewtonSettings::Validate() const {
  AugmentedLagrangianSettings::Validate("damped-newton");
  Require(armijo > 0 && armijo < 0.5, "damped-newton settings", "armijo is " + std::to_string(armijo),
          "a number in (0, 0.5)");
  Require(max_backtracks >= 1, "damped-newton settings", "max_backtracks is " + std::to_string(max_backtracks),
          "a number >= 1");
  Require(min_descent >= 0 && min_descent < 1, "damped-newton settings",
          "min_descent is " + std::to_string(min_descent), "a number in [0, 1)");
}

DampedNewtonSolver::DampedNewtonSolver(const DampedNewtonSettings& settings)
    : AugmentedLagrangianSolver(settings, ConeOperator::Strict),
      armijo_(settings.armijo),
      min_descent_(settings.min_descent),
      max_backtracks_(settings.max_backtracks),
      climb_(settings.climb) {
  settings.Validate();
}

// Newton's direction while it descends, else the merit's gradient (scaled by the norm), as De Luca, Facchinei and
// Kanzow (1996) do.
InnerOutcome DampedNewtonSolver::SolveSurrogate(int max_steps) {
  InnerOutcome outcome;
  surrogate_.Evaluate(&point_);
  for (;; ++outcome.steps) {
    outcome.solved = IsSurrogateSolved();
    if (outcome.solved || outcome.steps == max_steps) return outcome;
    const bool newton = CalcNewtonDirection(&newton_);
    CalcGradient();
    if (newton) {
      direction_ = newton_;
      if (TryDirection()) continue;
    }
    direction_ = -norm_.weight().cwiseProduct(gradient_);
    if (TryDirection()) continue;
    if (!climb_ || !newton) return outcome;
    Climb();
  }
}

// Gradient of the merit 1/2 |r|^2.
void DampedNewtonSolver::CalcGradient() {
  weighted_ = norm_.weight().cwiseProduct(point_.r);
  system_.MultiplyTransposed(weighted_, &gradient_);
}

// Halves the step until the merit falls enough (Armijo); false if the direction hardly descends or the merit never
// does.
bool DampedNewtonSolver::TryDirection() {
  const double slope = gradient_.dot(direction_);
  const double length = std::sqrt((direction_.array().square() / norm_.weight().array()).sum());
  if (!(slope < -min_descent_ * norm_(gradient_) * length)) return false;
  const double norm = norm_(point_.r), merit = 0.5 * norm * norm;
  double step = 1;
  for (int k = 0; k <= max_backtracks_; ++k, step *= 0.5) {
    trial_.v = point_.v + step * direction_;
    surrogate_.Evaluate(&trial_);
    const double trial_norm = norm_(trial_.r);
    if (0.5 * trial_norm * trial_norm <= merit + armijo_ * step * slope) {
      std::swap(point_, trial_);
      return true;
    }
  }
  return false;
}

// The Newton step, halved to where the merit is least, though it is more than now.
void DampedNewtonSolver::Climb() {
  double step = 1, best_step = 1, best_norm = kInfinity;
  for (int k = 0; k < 16; ++k, step *= 0.5) {
    trial_.v = point_.v + step * newton_;
    surrogate_.Evaluate(&trial_);
    const double norm = norm_(trial_.r);
    if (norm < best_norm) {
      best_norm = norm;
      best_step = step;
    }
  }
  point_.v += best_step * newton_;
  surrogate_.Evaluate(&point_);
}

}  // namespace tactus
