// Contact operators of the Signorini-Coulomb law and of the scalar constraint kinds, with generalized Jacobians.
//
// A contact vector is x = (x_t1, x_t2, x_n): normal last. K_mu = {x : |x_t| <= mu x_n}.
// Every operator maps x (an unconstrained impulse estimate) to the impulse that the law allows for a decoupled,
// isotropic constraint, and optionally gives D, an element of its generalized Jacobian (row-major 3x3).
#pragma once

#include <algorithm>
#include <cmath>

#include "tactus/core/types.h"
#include "tactus/math/contact_mode.h"

namespace tactus {

/// Strict operator T (paper 000, eq. 18): clamp the normal part, then project the tangential part on the disc of
/// radius mu*lambda_n. It is the unique solution of one decoupled contact of the exact law.
/// D is not symmetric in slip: d lambda_t / d x_n = mu x_t/|x_t|.
inline ContactMode StrictProjection(const double* x, double mu, double* lambda, double* D = nullptr) {
  const double x0 = x[0], x1 = x[1], xn = x[2];
  if (D) std::fill(D, D + 9, 0.0);
  if (!(xn > 0)) {
    lambda[0] = lambda[1] = lambda[2] = 0;
    return ContactMode::Open;
  }
  const double t = std::sqrt(x0 * x0 + x1 * x1), radius = mu * xn;
  lambda[2] = xn;
  if (t <= radius) {
    lambda[0] = x0;
    lambda[1] = x1;
    if (D) D[0] = D[4] = D[8] = 1;
    return ContactMode::Stick;
  }
  const double w0 = x0 / t, w1 = x1 / t, s = radius / t;
  lambda[0] = radius * w0;
  lambda[1] = radius * w1;
  if (D) {
    D[0] = s * (1 - w0 * w0);
    D[4] = s * (1 - w1 * w1);
    D[1] = D[3] = -s * w0 * w1;
    D[2] = mu * w0;
    D[5] = mu * w1;
    D[8] = 1;
  }
  return ContactMode::Slip;
}

/// Proximal operator: Euclidean projection on K_mu (docs/theory.md, eq. 12 and 13; paper 000, eq. 24, has two
/// transposes wrong). D is symmetric positive semidefinite with eigenvalues in [0, 1]. Stick is tested first, so x = 0
/// sticks.
inline ContactMode ConeProjection(const double* x, double mu, double* lambda, double* D = nullptr) {
  const double x0 = x[0], x1 = x[1], xn = x[2];
  const double t = std::sqrt(x0 * x0 + x1 * x1);
  if (D) std::fill(D, D + 9, 0.0);
  if (xn >= 0 && t <= mu * xn) {  // the sign matters where mu = 0 and t = 0
    lambda[0] = x0;
    lambda[1] = x1;
    lambda[2] = xn;
    if (D) D[0] = D[4] = D[8] = 1;
    return ContactMode::Stick;
  }
  if (mu * t <= -xn || t == 0) {
    lambda[0] = lambda[1] = lambda[2] = 0;
    return ContactMode::Open;
  }
  const double scale = 1 / (1 + mu * mu), s = (xn + mu * t) * scale, w0 = x0 / t, w1 = x1 / t;
  lambda[0] = mu * s * w0;
  lambda[1] = mu * s * w1;
  lambda[2] = s;
  if (D) {
    const double a = mu * mu * scale, b = mu * xn / t * scale, c = mu * scale;
    D[0] = a + b * (1 - w0 * w0);
    D[4] = a + b * (1 - w1 * w1);
    D[1] = D[3] = -b * w0 * w1;
    D[2] = D[6] = c * w0;
    D[5] = D[7] = c * w1;
    D[8] = scale;
  }
  return ContactMode::Slip;
}

/// Euclidean projection of y on the ellipse with semi-axes a, b >= 0 (either may be 0: a segment or a point).
/// Outside, solves (a y1/(s+a^2))^2 + (b y2/(s+b^2))^2 = 1 by bisection-safeguarded Newton.
Vector2 EllipseProjection(const Vector2& y, double a, double b);

/// Strict operator for anisotropic friction, semi-axes mu1*lambda_n and mu2*lambda_n: the tangential part is the
/// Euclidean projection on the ellipse, which obeys maximum dissipation. (Radial scaling would not.)
/// D (row-major 3x3) by the implicit function theorem.
ContactMode StrictEllipseProjection(const double* x, double mu1, double mu2, double* lambda, double* D = nullptr);

/// Interval projection; `slope` is its generalized derivative (1 strictly inside, 0 outside).
inline double Clip(double x, double lo, double hi, double* slope = nullptr) {
  if (slope) *slope = (x > lo && x < hi) ? 1 : 0;
  return std::clamp(x, lo, hi);
}

/// The impulse of a soft row, lambda = -(d (beta y + u) + beta k e)/(d + beta), written with x := -beta y - u (e
/// apart): lambda = (d x - beta ke)/(d + beta), clipped to [lo, hi]. d = infinity is the rigid limit clip(x) (dry
/// friction).
inline double SoftProjection(double x, double beta, double d, double ke, double lo, double hi,
                             double* slope = nullptr) {
  const double ratio = std::isinf(d) ? 1 : d / (d + beta);
  const double offset = std::isinf(d) ? 0 : beta / (d + beta) * ke;
  const double lambda = Clip(ratio * x - offset, lo, hi, slope);
  if (slope) *slope *= ratio;
  return lambda;
}

}  // namespace tactus
