// Reduction by multiples of pi/2 in three parts (Cody and Waite), then the polynomials of Sun's fdlibm, which are
// public: on [-pi/4, pi/4], with the rounding error of the reduced angle carried along.
#include "tactus/math/sin_cos.h"

#include <cmath>

namespace tactus {

namespace {

using Lanes = double __attribute__((vector_size(16)));
using Bits = long long __attribute__((vector_size(16)));

inline Lanes Select(Bits mask, Lanes if_set, Lanes if_clear) {
  return reinterpret_cast<Lanes>((mask & reinterpret_cast<Bits>(if_set)) | (~mask & reinterpret_cast<Bits>(if_clear)));
}

inline void Calc(Lanes x, Lanes* sine, Lanes* cosine) {
  constexpr double kRound = 6755399441055744.0;  // 1.5 2^52: adding it rounds to an integer, in the low bits
  constexpr double kTwoOverPi = 6.36619772367581382433e-01;
  constexpr double kHalfPi1 = 1.57079632673412561417e+00;  // first 33 bits of pi/2: products with n < 2^20 are exact
  constexpr double kHalfPi2 = 6.07710050630396597660e-11;  // the next 33
  constexpr double kHalfPi3 = 2.02226624879595063154e-21;  // the rest
  const Lanes rounded = x * kTwoOverPi + kRound;
  const Bits quadrant = reinterpret_cast<Bits>(rounded);
  const Lanes n = rounded - kRound;
  // x - n pi/2 = y + tail.
  const Lanes first = x - n * kHalfPi1;
  const Lanes second = n * kHalfPi2;
  const Lanes r = first - second;
  const Lanes w = n * kHalfPi3 - ((first - r) - second);
  const Lanes y = r - w;
  const Lanes tail = (r - y) - w;

  const Lanes z = y * y, v = z * y, zz = z * z;
  const Lanes p =
      8.33333333332248946124e-03 +
      z * (-1.98412698298579493134e-04 +
           z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  const Lanes sin_y = y - ((z * (0.5 * tail - v * p) - tail) - v * -1.66666666666666324348e-01);
  const Lanes q =
      z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05)) +
      zz * zz * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
  const Lanes half_z = 0.5 * z, one_less = 1.0 - half_z;
  const Lanes cos_y = one_less + (((1.0 - one_less) - half_z) + (z * q - y * tail));

  const Bits odd = -(quadrant & 1);
  const Bits sign_of_sine = (quadrant & 2) << 62, sign_of_cosine = ((quadrant + 1) & 2) << 62;
  *sine = reinterpret_cast<Lanes>(reinterpret_cast<Bits>(Select(odd, cos_y, sin_y)) ^ sign_of_sine);
  *cosine = reinterpret_cast<Lanes>(reinterpret_cast<Bits>(Select(odd, sin_y, cos_y)) ^ sign_of_cosine);
}

constexpr double kLargest = 1.6e6;

}  // namespace

void CalcSinCos(const double* x, int count, double* s, double* c) {
  for (int i = 0; i < count; i += 2) {
    const bool pair = i + 1 < count;
    const double x0 = x[i], x1 = pair ? x[i + 1] : 0.0;
    if (std::abs(x0) <= kLargest && std::abs(x1) <= kLargest) {
      Lanes sine, cosine;
      Calc(Lanes{x0, x1}, &sine, &cosine);
      s[i] = sine[0];
      c[i] = cosine[0];
      if (pair) {
        s[i + 1] = sine[1];
        c[i + 1] = cosine[1];
      }
      continue;
    }
    for (int k = i; k < (pair ? i + 2 : i + 1); ++k) {
      s[k] = std::sin(x[k]);
      c[k] = std::cos(x[k]);
    }
  }
}

}  // namespace tactus
