// Four doubles at a time, for *_kernels.cc, which are compiled once per instruction level: everything here is of the
// file that includes it.
#pragma once

#include <immintrin.h>

// Vectors cross only functions that are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

// They need no alignment: one AVX2 register, or two SSE2 ones.
using Lanes __attribute__((vector_size(32), aligned(8), may_alias)) = double;
using Mask = long long __attribute__((vector_size(32)));

inline Lanes Load(const double* p) { return *reinterpret_cast<const Lanes*>(p); }
inline void Store(double* p, Lanes v) { *reinterpret_cast<Lanes*>(p) = v; }
inline Lanes Splat(double x) { return Lanes{x, x, x, x}; }
inline double Sum(Lanes v) { return (v[0] + v[1]) + (v[2] + v[3]); }
inline bool Any(const Mask& m) { return (m[0] | m[1] | m[2] | m[3]) != 0; }

#ifdef __AVX2__
inline Lanes Sqrt(Lanes v) { return reinterpret_cast<Lanes>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(v))); }
#else
inline Lanes Sqrt(Lanes v) {
  const __m128d low = _mm_sqrt_pd(__m128d{v[0], v[1]}), high = _mm_sqrt_pd(__m128d{v[2], v[3]});
  return Lanes{low[0], low[1], high[0], high[1]};
}
#endif

// The sums of four, added up as Sum does.
#ifdef __AVX2__
inline Lanes Sum4(Lanes a, Lanes b, Lanes c, Lanes d) {
  const auto pairs = [](Lanes x, Lanes y) {
    return _mm256_hadd_pd(reinterpret_cast<__m256d>(x), reinterpret_cast<__m256d>(y));
  };
  const __m256d ab = pairs(a, b), cd = pairs(c, d);
  return reinterpret_cast<Lanes>(
      _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20), _mm256_permute2f128_pd(ab, cd, 0x31)));
}
#else
inline Lanes Sum4(Lanes a, Lanes b, Lanes c, Lanes d) { return Lanes{Sum(a), Sum(b), Sum(c), Sum(d)}; }
#endif

// Rows become columns.
#ifdef __AVX2__
inline void Transpose4(Lanes* a, Lanes* b, Lanes* c, Lanes* d) {
  const auto raw = [](Lanes x) { return reinterpret_cast<__m256d>(x); };
  const __m256d ab_low = _mm256_unpacklo_pd(raw(*a), raw(*b)), ab_high = _mm256_unpackhi_pd(raw(*a), raw(*b));
  const __m256d cd_low = _mm256_unpacklo_pd(raw(*c), raw(*d)), cd_high = _mm256_unpackhi_pd(raw(*c), raw(*d));
  *a = reinterpret_cast<Lanes>(_mm256_permute2f128_pd(ab_low, cd_low, 0x20));
  *b = reinterpret_cast<Lanes>(_mm256_permute2f128_pd(ab_high, cd_high, 0x20));
  *c = reinterpret_cast<Lanes>(_mm256_permute2f128_pd(ab_low, cd_low, 0x31));
  *d = reinterpret_cast<Lanes>(_mm256_permute2f128_pd(ab_high, cd_high, 0x31));
}
#else
inline void Transpose4(Lanes* a, Lanes* b, Lanes* c, Lanes* d) {
  const Lanes w = *a, x = *b, y = *c, z = *d;
  *a = Lanes{w[0], x[0], y[0], z[0]};
  *b = Lanes{w[1], x[1], y[1], z[1]};
  *c = Lanes{w[2], x[2], y[2], z[2]};
  *d = Lanes{w[3], x[3], y[3], z[3]};
}
#endif

struct Lanes3 {
  Lanes x, y, z;
};
template <typename Pointer>
inline Lanes3 Load3(const Pointer p[3], int i) {
  return {Load(p[0] + i), Load(p[1] + i), Load(p[2] + i)};
}
inline void Store3(double* const p[3], int i, const Lanes3& v) {
  Store(p[0] + i, v.x);
  Store(p[1] + i, v.y);
  Store(p[2] + i, v.z);
}
inline Lanes3 Cross(const Lanes3& a, const Lanes3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Lanes Dot(const Lanes3& a, const Lanes3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

}  // namespace

}  // namespace tactus::TACTUS_KERNEL_NS
