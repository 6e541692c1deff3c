// A random number generator whose numbers are the same on every platform and compiler: problems made from a seed must
// not depend on the standard library's distributions or on the system's logarithm.
#pragma once

#include <cmath>
#include <cstdint>

namespace tactus {

/// xoshiro256++ (Blackman and Vigna), seeded by splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) word = SplitMix(&seed);
  }

  std::uint64_t Bits() {
    const std::uint64_t result = Rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = Rotate(state_[3], 45);
    return result;
  }

  /// In [0, 1), 53 random bits.
  double Uniform() { return static_cast<double>(Bits() >> 11) * 0x1.0p-53; }
  double Uniform(double lo, double hi) { return lo + (hi - lo) * Uniform(); }
  /// In [0, count), count > 0. The bias of the multiplication is below count / 2^53.
  int Index(int count) { return static_cast<int>(Uniform() * count); }

  /// Standard normal, by Marsaglia's polar method. Both numbers of a pair are used.
  double Normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double x, y, s;
    do {
      x = Uniform(-1, 1);
      y = Uniform(-1, 1);
      s = x * x + y * y;
    } while (s >= 1 || s == 0);
    const double scale = std::sqrt(-2 * Log(s) / s);
    spare_ = y * scale;
    has_spare_ = true;
    return x * scale;
  }

  /// Natural logarithm of x > 0 out of correctly rounded operations only, to about 1e-15 relative; std::log differs in
  /// its last bits from system to system.
  static double Log(double x) {
    int exponent = 0;
    double m = std::frexp(x, &exponent);  // in [0.5, 1)
    if (m < 0.70710678118654752) {
      m *= 2;
      --exponent;
    }
    const double z = (m - 1) / (m + 1), z2 = z * z;  // log m = 2 atanh z, |z| < 0.172
    double sum = 0;
    for (int k = 23; k >= 1; k -= 2) sum = sum * z2 + 1.0 / k;
    return exponent * 0.69314718055994531 + 2 * z * sum;
  }

 private:
  static std::uint64_t Rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  static std::uint64_t SplitMix(std::uint64_t* state) {
    std::uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  std::uint64_t state_[4];
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace tactus
