// The exact law for one contact whose neighbours are held fixed:
//
//     sigma = W r + q,   0 <= r_n  _|_  sigma_n >= 0,   |r_t| <= mu r_n,   r_t = -mu r_n sigma_t/|sigma_t| if sliding,
//
// with W the contact's own 3x3 Delassus block [t1, t2, n]. This is the inner kernel of Gauss-Seidel and Jacobi sweeps.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "tactus/math/contact_mode.h"

namespace tactus {

/// W and mu of one contact, prepared so that many q can be solved cheaply.
///
/// Cases: q_n >= 0 opens (r = 0). Else sigma_n = 0 must hold, which eliminates r_n = -(q_n + w . r_t)/W_nn and leaves
/// sigma_t = S r_t + c with S = W_tt - w w^T/W_nn, c = q_t - w q_n/W_nn. Stick is r_t = -S^{-1} c if that is inside
/// the cone; slip has sigma_t = -s r_t, so r_t(s) = -(S + s I)^{-1} c, with s > 0 the root of |r_t(s)| = mu r_n(s). A
/// root always exists (s -> infinity ends inside the cone, s = 0 was outside); for strong coupling w and large mu there
/// may be several, and one of them is returned; a singular S may leave none (Painleve), then r is finite and no more.
/// Everything runs in the eigenbasis of S, where (S + s I)^{-1} is two divisions and a singular S needs no special
/// case.
class SingleContact {
 public:
  SingleContact() = default;
  /// W row major; only its upper triangle is read. Slightly negative eigenvalues of S (rounding) count as 0.
  SingleContact(const double* W, double mu) : mu_(mu), W_nn_(W[8]) {
    if (!(W_nn_ > 0)) return;  // no impulse can change sigma_n: Solve() answers 0
    const double a = W[0] - W[2] * W[2] / W_nn_, b = W[1] - W[2] * W[5] / W_nn_, d = W[4] - W[5] * W[5] / W_nn_;
    // Half the angle whose cosine and sine are (a - d)/h and 2 b/h.
    const double h = std::hypot(a - d, 2 * b);
    if (h > 0) {
      const double cosine = (a - d) / h, half = std::sqrt(0.5 * (1 + std::abs(cosine))), other = b / (h * half);
      cos_ = cosine >= 0 ? half : std::abs(other);
      sin_ = cosine >= 0 ? other : std::copysign(half, b);
    }
    S_[0] = std::max(0.0, a * cos_ * cos_ + 2 * b * cos_ * sin_ + d * sin_ * sin_);
    S_[1] = std::max(0.0, a * sin_ * sin_ - 2 * b * cos_ * sin_ + d * cos_ * cos_);
    inverse_W_nn_ = 1 / W_nn_;
    inverse_S_[0] = 1 / S_[0];
    inverse_S_[1] = 1 / S_[1];
    w_[0] = (cos_ * W[2] + sin_ * W[5]) / W_nn_;
    w_[1] = (cos_ * W[5] - sin_ * W[2]) / W_nn_;
    w_norm_ = std::sqrt(w_[0] * w_[0] + w_[1] * w_[1]);
  }

  double mu() const { return mu_; }

  /// r that obeys the law with sigma = W r + q. A contact with W_nn = 0 gets r = 0. Kernels pass a type of their own as
  /// `Isa`: the code is then theirs alone, compiled for their instruction set, and never shared with others.
  /// With a larger `tolerance` the direction of sliding is that exact only; sigma_n = 0 and |r_t| = mu r_n hold as
  /// ever.
  template <typename Isa = void>
  ContactMode Solve(const double* q, double* r, double tolerance = 2 * kEpsilon) const {
    r[0] = r[1] = r[2] = 0;
    if (q[2] >= 0 || !(W_nn_ > 0)) return ContactMode::Open;
    const double free_normal = -q[2] * inverse_W_nn_;  // r_n if nothing acted along the tangents
    if (mu_ == 0) {
      r[2] = free_normal;
      return ContactMode::Slip;
    }
    // In the eigenbasis from here on.
    const double c[2] = {cos_ * q[0] + sin_ * q[1] + w_[0] * W_nn_ * free_normal,
                         cos_ * q[1] - sin_ * q[0] + w_[1] * W_nn_ * free_normal};
    double t[2] = {c[0] == 0 ? 0 : -c[0] * inverse_S_[0], c[1] == 0 ? 0 : -c[1] * inverse_S_[1]};
    double normal = free_normal - w_[0] * t[0] - w_[1] * t[1];
    ContactMode mode = ContactMode::Stick;
    // Infinite where S is singular and c is not in its range: no stick then, whatever the normal impulse.
    const double square = t[0] * t[0] + t[1] * t[1], radius = mu_ * normal;
    if (!(radius >= 0 && square <= radius * radius && square < kInfiniteSquare)) {
      mode = ContactMode::Slip;
      normal = Slip<Isa>(c, free_normal, tolerance, t);
    }
    r[0] = cos_ * t[0] - sin_ * t[1];
    r[1] = sin_ * t[0] + cos_ * t[1];
    r[2] = normal;
    return mode;
  }

 private:
  static constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  static constexpr double kInfiniteSquare = std::numeric_limits<double>::infinity();

  // Solves mu r_n(s)/|r_t(s)| = 1 by Newton, kept inside a bracket. The function is increasing and nearly straight in s
  // (exactly so for isotropic S without coupling), so two to five steps are the rule. Writes r_t, returns r_n.
  template <typename Isa>
  double Slip(const double* c, double free_normal, double tolerance, double* t) const {
    const double c_norm = __builtin_sqrt(c[0] * c[0] + c[1] * c[1]);
    const double radius = mu_ * free_normal;
    // |r_t| <= |c|/s and r_n >= free_normal - |w| |r_t| put s = upper inside the cone.
    double lower = 0, upper = c_norm / radius * (1 + mu_ * w_norm_);
    const double mean = 0.5 * (S_[0] + S_[1]);
    double s = c_norm / radius - mean;
    if (!(s > 0 && s < upper)) s = mean > 0 && 0.1 * mean < 0.5 * upper ? 0.1 * mean : 0.5 * upper;
    double normal = 0, length = 0;
    for (int k = 0; k < 80; ++k) {
      const double g0 = 1 / (S_[0] + s), g1 = 1 / (S_[1] + s);
      t[0] = -c[0] * g0;
      t[1] = -c[1] * g1;
      const double square = t[0] * t[0] + t[1] * t[1];
      length = __builtin_sqrt(square);
      normal = free_normal - w_[0] * t[0] - w_[1] * t[1];
      const double excess = mu_ * normal - length;  // > 0: s is too large
      if (__builtin_fabs(excess) <= tolerance * length) break;
      (excess > 0 ? upper : lower) = s;
      // Newton on mu r_n/|r_t|, whose slope times |r_t|^3 is mu (r_n' |t|^2 + r_n t^T G t), G = (S + s I)^{-1}.
      const double u0 = t[0] * g0, u1 = t[1] * g1;
      const double slope = mu_ * ((w_[0] * u0 + w_[1] * u1) * square + normal * (t[0] * u0 + t[1] * u1));
      double next = s - excess * square / slope;
      if (!(next > lower && next < upper))
        next = lower > 0 ? __builtin_sqrt(lower) * __builtin_sqrt(upper) : upper / 16;
      const double step = __builtin_fabs(next - s);
      s = next;
      if (step <= kEpsilon * s || upper - lower <= kEpsilon * upper) break;
    }
    // With the direction known, |r_t| = mu r_n and sigma_n = 0 fix the lengths without rounding left over.
    const double d0 = t[0] / length, d1 = t[1] / length;
    const double stiffness = 1 + mu_ * (w_[0] * d0 + w_[1] * d1);
    if (stiffness > 0) normal = free_normal / stiffness;
    t[0] = mu_ * normal * d0;
    t[1] = mu_ * normal * d1;
    return normal;
  }

  double mu_ = 0, W_nn_ = 0;
  double cos_ = 1, sin_ = 0;  // eigenbasis of S
  double S_[2] = {0, 0};      // eigenvalues of S
  double inverse_S_[2] = {0, 0}, inverse_W_nn_ = 0;
  double w_[2] = {0, 0};  // w/W_nn in the eigenbasis
  double w_norm_ = 0;
};

/// One contact, once. See SingleContact.
inline ContactMode SolveLocalContact(const double* W, const double* q, double mu, double* r) {
  return SingleContact(W, mu).Solve(q, r);
}

}  // namespace tactus
