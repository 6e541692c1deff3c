#include "tactus/solvers/damped_newton/damped_newton_solver.h"

#include <cmath>

namespace tactus {

void DampedNewtonSettings::Validate() const {
  AugmentedLagrangianSettings::Validate("damped-newton");
  Require(armijo > 0 && armijo < 0.5, "damped-newton settings", "armijo is " + std::to_string(armijo), "a number in (0, 0.5)");
  Require(max_backtracks >= 1, "damped-newton settings", "max_backtracks is " + std::to_string(max_backtracks), "a number >= 1");
  Require(min_descent >= 0 && min_descent < 1, "damped-newton settings", "min_descent is " + std::to_string(min_descent),
          "a number in [0, 1)");
}

DampedNewtonSolver::DampedNewtonSolver(const DampedNewtonSettings& settings)
    : AugmentedLagrangianSolver(settings, ConeOperator::Strict),
      armijo_(settings.armijo),
      min_descent_(settings.min_descent),
      max_backtracks_(settings.max_backtracks) {
  settings.Validate();
}

InnerOutcome DampedNewtonSolver::SolveSurrogate(int max_steps) {
  InnerOutcome outcome;
  surrogate_.Evaluate(&point_);
  for (;; ++outcome.steps) {
    outcome.solved = IsSurrogateSolved();
    if (outcome.solved || outcome.steps == max_steps) return outcome;
    const double slope = ChooseDirection();
    if (!(slope < 0) || !Backtrack(slope)) return outcome;
  }
}

// Newton's direction, or the merit's steepest descent (scaled by the norm) where H is singular or Newton hardly descends
// (De Luca, Facchinei and Kanzow 1996). Returns the slope of the merit 1/2 |r|^2 along it.
double DampedNewtonSolver::ChooseDirection() {
  const VectorX& weight = norm_.weight();
  const bool newton = CalcNewtonDirection(&direction_);
  weighted_ = weight.cwiseProduct(point_.r);
  system_.MultiplyTransposed(weighted_, &gradient_);
  const double gradient_norm = norm_(gradient_);
  if (newton) {
    const double slope = gradient_.dot(direction_);
    const double length = std::sqrt((direction_.array().square() / weight.array()).sum());
    if (slope < -min_descent_ * gradient_norm * length) return slope;
  }
  direction_ = -weight.cwiseProduct(gradient_);
  return -gradient_norm * gradient_norm;
}

// Halves the step until the merit falls enough (Armijo); false if it never does.
bool DampedNewtonSolver::Backtrack(double slope) {
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

}  // namespace tactus
