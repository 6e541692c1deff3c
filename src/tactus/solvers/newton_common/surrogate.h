// The surrogate problem of one augmented-Lagrangian iteration (paper 000, eq. 12, 19-20 and 22): impulses as a closed
// form of the velocity, the dynamics residual r(v) as an equation or, with the proximal operator, as the gradient of a
// convex h(v).
#pragma once

#include <cmath>

#include "tactus/contact/contact_problem.h"

namespace tactus {

/// Which contact operator closes the law.
enum class ConeOperator {
  Strict,    ///< the exact law (eq. 18); r(v) is not a gradient
  Proximal,  ///< projection on the cone with a frozen De Saxce term (eq. 22); r is the gradient of h
};

/// A velocity and what follows from it.
struct SurrogatePoint {
  VectorX v;       ///< velocity
  VectorX y;       ///< J v
  VectorX Av;      ///< A v
  VectorX lambda;  ///< impulses, closed form of y
  VectorX r;       ///< A v - b - J^T lambda
};

/// r(v) = A v - b - sum_i J_i^T lambda_i(J_i v), with x_i := lambda_i^prev - beta_i (J_i v + e_i + p_i e_n) and
/// lambda_i = T(x_i) for contacts, ProjectRow for scalar rows. The multiplier u of the paper is -lambda^prev.
class Surrogate {
 public:
  /// Sizes everything; beta is 1, lambda^prev and p are 0 afterwards.
  void Reset(const ContactProblem& problem, ConeOperator cone);

  const ContactProblem& problem() const { return *problem_; }
  ConeOperator cone() const { return cone_; }

  VectorX beta;      ///< penalty per constraint [kg], > 0
  VectorX previous;  ///< lambda^prev [N s]
  VectorX frozen;    ///< p_i = mu_i |z_t + e_t| per contact [m/s]; Proximal only

  /// lambda(y) and, if wanted, the blocks G_i = -d lambda_i / d y_i in BodySpaceSystem's layout.
  void CalcImpulse(const VectorX& y, VectorX* lambda, VectorX* blocks = nullptr) const;
  /// Fills point from point->v.
  void Evaluate(SurrogatePoint* point) const;
  /// h(v) = 1/2 v^T A v - b^T v + sum phi_i, of which r is the gradient (Proximal only; docs/theory.md, eq. 19).
  double CalcObjective(const SurrogatePoint& point) const;
  /// Derivatives of a -> h(v + a d): value of h' and h''. Jd = J d, dAv = d . (A v - b), dAd = d . A d.
  struct Slope {
    double first, second;
  };
  Slope CalcSlope(const SurrogatePoint& point, const VectorX& Jd, double dAv, double dAd, double step);

  /// Slack velocities z = y + (lambda - lambda^prev)/beta.
  void CalcSlack(const SurrogatePoint& point, VectorX* z) const;

 private:
  const ContactProblem* problem_ = nullptr;
  ConeOperator cone_ = ConeOperator::Strict;
  VectorX step_y_, step_lambda_, step_blocks_;  // scratch of the line search
};

/// p_i = mu_i |z_t + e_t| (the paper omits e_t).
void CalcFrozenTerm(const ContactProblem& problem, const VectorX& z, VectorX* frozen);

/// Norms in which residuals of dynamics are measured: |r| = sqrt(sum w r^2), w = 1/diag(A) (energy) or 1.
class DynamicsNorm {
 public:
  void Reset(const ContactProblem& problem, bool energy);
  const VectorX& weight() const { return weight_; }
  double operator()(const VectorX& r) const { return std::sqrt((r.array().square() * weight_.array()).sum()); }
  /// relative * max(|b|, |J^T lambda|, |A v|), never below what rounding of beta J^T J v allows.
  double CalcTolerance(const Surrogate& surrogate, const SurrogatePoint& point, double relative);

 private:
  VectorX weight_, row_norm_;  // row_norm_: |J_r| in this norm, per row of J
  VectorX impulse_;
  double b_norm_ = 0;
};

}  // namespace tactus
