#include "tactus/math/cones.h"

namespace tactus {

namespace {

// The root s of (a y1/(s+a^2))^2 + (b y2/(s+b^2))^2 = 1 for y outside the ellipse, a, b > 0.
double EllipseMultiplier(double y1, double y2, double a, double b) {
  y1 = std::abs(y1);
  y2 = std::abs(y2);
  double lo = std::max({0.0, a * y1 - a * a, b * y2 - b * b}), hi = std::hypot(a * y1, b * y2);
  double s = lo;
  for (int k = 0; k < 100 && hi - lo > 4e-16 * hi; ++k) {
    const double f1 = a * y1 / (s + a * a), f2 = b * y2 / (s + b * b);
    const double f = f1 * f1 + f2 * f2 - 1;
    if (f > 0) {
      lo = s;
    } else {
      hi = s;
    }
    const double df = -2 * (f1 * f1 / (s + a * a) + f2 * f2 / (s + b * b));
    const double next = s - f / df;
    if (std::abs(f) < 1e-16 || next == s) break;
    s = (next > lo && next < hi) ? next : 0.5 * (lo + hi);
  }
  return s;
}

}  // namespace

Vector2 EllipseProjection(const Vector2& y, double a, double b) {
  if (a <= 0 && b <= 0) return Vector2::Zero();
  if (a <= 0) return {0, std::clamp(y[1], -b, b)};
  if (b <= 0) return {std::clamp(y[0], -a, a), 0};
  const double inside = (y[0] / a) * (y[0] / a) + (y[1] / b) * (y[1] / b);
  if (inside <= 1) return y;
  const double s = EllipseMultiplier(y[0], y[1], a, b);
  return {a * a * y[0] / (s + a * a), b * b * y[1] / (s + b * b)};
}

ContactMode StrictEllipseProjection(const double* x, double mu1, double mu2, double* lambda, double* D) {
  if (mu1 == mu2) return StrictProjection(x, mu1, lambda, D);
  if (D) std::fill(D, D + 9, 0.0);
  const double n = x[2];
  if (!(n > 0)) {
    lambda[0] = lambda[1] = lambda[2] = 0;
    return ContactMode::Open;
  }
  lambda[2] = n;
  if (D) D[8] = 1;
  if (mu1 <= 0 || mu2 <= 0) {
    // A segment: the components decouple.
    const double mu[2] = {mu1, mu2};
    bool slip = false;
    for (int k = 0; k < 2; ++k) {
      const double radius = std::max(mu[k], 0.0) * n;
      lambda[k] = std::clamp(x[k], -radius, radius);
      const bool clipped = std::abs(x[k]) > radius;
      slip = slip || clipped;
      if (!D) continue;
      D[4 * k] = clipped ? 0 : 1;
      D[3 * k + 2] = clipped ? std::copysign(mu[k], x[k]) : 0;
    }
    return slip ? ContactMode::Slip : ContactMode::Stick;
  }
  const double a = mu1 * n, b = mu2 * n;
  if ((x[0] / a) * (x[0] / a) + (x[1] / b) * (x[1] / b) <= 1) {
    lambda[0] = x[0];
    lambda[1] = x[1];
    if (D) D[0] = D[4] = 1;
    return ContactMode::Stick;
  }
  const double s = EllipseMultiplier(x[0], x[1], a, b);
  const double ga = a * a / (s + a * a), gb = b * b / (s + b * b);
  lambda[0] = ga * x[0];
  lambda[1] = gb * x[1];
  if (D) {
    // F(s, x, a, b) = (a x0/(s+a^2))^2 + (b x1/(s+b^2))^2 - 1 = 0 gives ds = -(F_x dx + F_n dn)/F_s.
    const double da = s + a * a, db = s + b * b;
    const double fa = a * x[0] / da, fb = b * x[1] / db;
    const double Fs = -2 * (fa * fa / da + fb * fb / db);
    const double Fx0 = 2 * fa * a / da, Fx1 = 2 * fb * b / db;
    const double Fa = 2 * fa * x[0] * (s - a * a) / (da * da), Fb = 2 * fb * x[1] * (s - b * b) / (db * db);
    const double Fn = Fa * mu1 + Fb * mu2;
    const double ds[3] = {-Fx0 / Fs, -Fx1 / Fs, -Fn / Fs};
    const double la_s = -a * a * x[0] / (da * da), lb_s = -b * b * x[1] / (db * db);
    const double la_n = 2 * a * s * x[0] / (da * da) * mu1, lb_n = 2 * b * s * x[1] / (db * db) * mu2;
    for (int k = 0; k < 3; ++k) {
      D[k] = la_s * ds[k];
      D[3 + k] = lb_s * ds[k];
    }
    D[0] += ga;
    D[4] += gb;
    D[2] += la_n;
    D[5] += lb_n;
  }
  return ContactMode::Slip;
}

}  // namespace tactus
