#include "tactus/solvers/tr_dogleg/tr_dogleg_solver.h"

#include <algorithm>
#include <cmath>

namespace tactus {

void TrDoglegSettings::Validate() const {
  AugmentedLagrangianSettings::Validate("tr-dogleg");
  Require(accept > 0 && accept < 0.25, "tr-dogleg settings", "accept is " + std::to_string(accept),
          "a number in (0, 0.25)");
  Require(max_radius > 0, "tr-dogleg settings", "max_radius is " + std::to_string(max_radius), "a number > 0");
}

TrDoglegSolver::TrDoglegSolver(const TrDoglegSettings& settings)
    : AugmentedLagrangianSolver(settings, ConeOperator::Strict),
      accept_(settings.accept),
      max_radius_(settings.max_radius) {
  settings.Validate();
}

// Nocedal and Wright, Algorithm 11.5, with the dogleg step of section 4.1. A rejected trial counts as an inner
// iteration though it reuses the factors.
InnerOutcome TrDoglegSolver::SolveSurrogate(int max_steps) {
  InnerOutcome outcome;
  scale_ = norm_.weight().cwiseSqrt();
  surrogate_.Evaluate(&point_);
  double radius = 0, first_length = 0;
  bool moved = true;
  for (;; ++outcome.steps) {
    if (moved) {
      outcome.solved = IsSurrogateSolved();
      if (outcome.solved || outcome.steps == max_steps) return outcome;
      CalcModel();
      if (first_length == 0) radius = first_length = has_newton_ ? newton_.norm() : cauchy_.norm();
    }
    // Below this the trial point is the current one, up to rounding.
    const double smallest = 1e-15 * std::max(point_.v.cwiseQuotient(scale_).norm(), first_length);
    if (outcome.steps == max_steps || !(radius > smallest)) return outcome;

    CalcDogleg(radius);
    trial_.v = point_.v + scale_.cwiseProduct(step_);
    surrogate_.Evaluate(&trial_);
    const double merit = 0.5 * residual_.squaredNorm(), trial_norm = norm_(trial_.r);
    const double predicted = merit - CalcPredictedMerit(), length = step_.norm();
    const double ratio = predicted > 0 ? (merit - 0.5 * trial_norm * trial_norm) / predicted : -1;
    if (!(ratio >= 0.25)) {
      radius = 0.25 * length;
    } else if (ratio > 0.75 && length > 0.999 * radius) {
      radius = std::min(2 * radius, max_radius_ * first_length);
    }
    moved = ratio > accept_;
    if (moved) std::swap(point_, trial_);
  }
}

// Residual, Newton step, gradient H^T r and Cauchy step (the minimizer of the model along the gradient).
void TrDoglegSolver::CalcModel() {
  residual_ = scale_.cwiseProduct(point_.r);
  has_newton_ = CalcNewtonDirection(&newton_);
  if (has_newton_) newton_.array() /= scale_.array();
  scratch_ = scale_.cwiseProduct(residual_);
  system_.MultiplyTransposed(scratch_, &gradient_);
  gradient_.array() *= scale_.array();
  scratch_ = scale_.cwiseProduct(gradient_);
  system_.Multiply(scratch_, &product_);
  product_.array() *= scale_.array();
  const double curvature = product_.squaredNorm();
  cauchy_ = curvature > 0 ? VectorX(-gradient_.squaredNorm() / curvature * gradient_) : VectorX(-gradient_);
}

// Along the Cauchy step, then towards Newton's, as far as the radius allows.
void TrDoglegSolver::CalcDogleg(double radius) {
  const double cauchy_length = cauchy_.norm();
  if (has_newton_ && newton_.norm() <= radius) {
    step_ = newton_;
  } else if (cauchy_length >= radius || !has_newton_) {
    step_ = cauchy_length > radius ? VectorX(radius / cauchy_length * cauchy_) : cauchy_;
  } else {
    scratch_ = newton_ - cauchy_;
    const double a = scratch_.squaredNorm(), b = cauchy_.dot(scratch_),
                 c = cauchy_length * cauchy_length - radius * radius;
    const double root = std::sqrt(std::max(0.0, b * b - a * c));
    step_ = cauchy_ + (b > 0 ? -c / (b + root) : (root - b) / a) * scratch_;
  }
}

// 1/2 |r + H step|^2.
double TrDoglegSolver::CalcPredictedMerit() {
  scratch_ = scale_.cwiseProduct(step_);
  system_.Multiply(scratch_, &product_);
  return 0.5 * (residual_ + scale_.cwiseProduct(product_)).squaredNorm();
}

}  // namespace tactus
