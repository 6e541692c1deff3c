#include <immintrin.h>

#include "tactus/solvers/hybrid/pair_kernels_api.h"

// Vectors cross only functions of this file, which are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

using Lanes = double __attribute__((vector_size(32), aligned(8), may_alias));
using Mask = long long __attribute__((vector_size(32)));

inline Lanes Load(const double* p) { return *reinterpret_cast<const Lanes*>(p); }
inline void Store(double* p, Lanes v) { *reinterpret_cast<Lanes*>(p) = v; }
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

struct Lanes3 {
  Lanes x, y, z;
};
inline Lanes3 Load3(const double* const p[3], int i) { return {Load(p[0] + i), Load(p[1] + i), Load(p[2] + i)}; }
inline Lanes3 Cross(const Lanes3& a, const Lanes3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Lanes Dot(const Lanes3& a, const Lanes3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Lanes3 Times(Lanes s, const Lanes3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Lanes3 AddScaled(const Lanes3& a, Lanes s, const Lanes3& b) {
  return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

struct Twist {
  Lanes3 v, w;
  explicit Twist(const double* t)
      : v{Splat(t[0]), Splat(t[1]), Splat(t[2])}, w{Splat(t[3]), Splat(t[4]), Splat(t[5])} {}
  static Lanes Splat(double x) { return Lanes{x, x, x, x}; }
};

// sigma = v + w x r + e.
inline Lanes3 Sigma(const PairContactArrays& c, int i, const Twist& twist, const Lanes3& r) {
  const Lanes3 spin = Cross(twist.w, r), e = Load3(c.e, i);
  return {twist.v.x + spin.x + e.x, twist.v.y + spin.y + e.y, twist.v.z + spin.z + e.z};
}

// The strict operator on four contacts.
struct Strict {
  Lanes3 n, lambda, xt;
  Lanes xn, scale, inverse;  // lambda = [xn]+ n + scale xt; inverse = 1/|xt| where slipping, else 0
  Mask positive, slip;
};

inline Strict Apply(const PairContactArrays& c, int i, const Twist& twist, const Lanes3& r, Lanes beta) {
  Strict t;
  t.n = Load3(c.n, i);
  const Lanes3 sigma = Sigma(c, i, twist, r), lk = Load3(c.lambda_k, i);
  const Lanes3 x = {lk.x - beta * sigma.x, lk.y - beta * sigma.y, lk.z - beta * sigma.z};
  t.xn = Dot(t.n, x);
  t.xt = AddScaled(x, -t.xn, t.n);
  const Lanes square = Dot(t.xt, t.xt), radius = Load(c.mu + i) * t.xn, zero = {}, one = {1, 1, 1, 1};
  t.positive = t.xn > zero;
  t.slip = t.positive & (square > radius * radius);
  t.inverse = t.slip ? one / Sqrt(square) : zero;
  t.scale = t.positive ? (t.slip ? radius * t.inverse : one) : zero;
  t.lambda = AddScaled(Times(t.scale, t.xt), t.positive ? t.xn : zero, t.n);
  return t;
}

inline void StoreLambda(const PairContactArrays& c, int i, const Lanes3& lambda) {
  Store(c.lambda[0] + i, lambda.x);
  Store(c.lambda[1] + i, lambda.y);
  Store(c.lambda[2] + i, lambda.z);
}

struct WrenchSum {
  Lanes3 force{}, torque{};
  void Add(const Lanes3& f, const Lanes3& r) {
    const Lanes one = {1, 1, 1, 1};
    force = AddScaled(force, one, f);
    torque = AddScaled(torque, one, Cross(r, f));
  }
  void Write(double* w) const {
    w[0] = Sum(force.x);
    w[1] = Sum(force.y);
    w[2] = Sum(force.z);
    w[3] = Sum(torque.x);
    w[4] = Sum(torque.y);
    w[5] = Sum(torque.z);
  }
};

}  // namespace

void Evaluate(const PairContactArrays& c, int begin, int end, const double* twist6, double factor, double* wrench) {
  const Twist twist(twist6);
  WrenchSum sum;
  for (int i = begin; i < end; i += 4) {
    const Lanes3 r = Load3(c.r, i);
    const Strict t = Apply(c, i, twist, r, factor * Load(c.rho + i));
    StoreLambda(c, i, t.lambda);
    sum.Add(t.lambda, r);
  }
  sum.Write(wrench);
}

void EvaluateJacobian(const PairContactArrays& c, int begin, int end, const double* twist6, double factor,
                      double* wrench, double* K) {
  const Twist twist(twist6);
  WrenchSum sum;
  const Lanes zero = {};
  Lanes rank_one[6][6] = {};
  Lanes mass = {}, first[3] = {}, second[6] = {};  // sum of s beta times 1, r, and r r^T (xx yy zz xy xz yz)
  for (int i = begin; i < end; i += 4) {
    const Lanes3 r = Load3(c.r, i);
    const Lanes beta = factor * Load(c.rho + i);
    const Strict t = Apply(c, i, twist, r, beta);
    StoreLambda(c, i, t.lambda);
    if (!Any(t.positive)) continue;
    sum.Add(t.lambda, r);
    const Lanes s = t.scale * beta;
    mass += s;
    const Lanes3 sr = Times(s, r);
    first[0] += sr.x;
    first[1] += sr.y;
    first[2] += sr.z;
    second[0] += sr.x * r.x;
    second[1] += sr.y * r.y;
    second[2] += sr.z * r.z;
    second[3] += sr.x * r.y;
    second[4] += sr.x * r.z;
    second[5] += sr.y * r.z;
    if (!Any(t.slip)) continue;
    const Lanes3 h = Times(t.inverse, t.xt), k = Cross(r, h), m = Load3(c.m, i);
    const Lanes along = t.slip ? beta - s : zero, push = t.slip ? Load(c.mu + i) * beta : zero;
    const Lanes slide = t.slip ? s : zero;
    const Lanes a[6] = {along * t.n.x + push * h.x, along * t.n.y + push * h.y, along * t.n.z + push * h.z,
                        along * m.x + push * k.x,   along * m.y + push * k.y,   along * m.z + push * k.z};
    const Lanes b[6] = {t.n.x, t.n.y, t.n.z, m.x, m.y, m.z};
    const Lanes g[6] = {h.x, h.y, h.z, k.x, k.y, k.z};
    for (int p = 0; p < 6; ++p) {
      const Lanes gp = slide * g[p];
      for (int q = 0; q < 6; ++q) rank_one[p][q] += a[p] * b[q] - gp * g[q];
    }
  }
  sum.Write(wrench);
  for (int p = 0; p < 6; ++p) {
    for (int q = 0; q < 6; ++q) K[6 * p + q] = Sum(rank_one[p][q]);
  }
  // s X^T X = s [I, -[r]x; [r]x, |r|^2 I - r r^T].
  const double s0 = Sum(mass), fx = Sum(first[0]), fy = Sum(first[1]), fz = Sum(first[2]);
  const double xx = Sum(second[0]), yy = Sum(second[1]), zz = Sum(second[2]);
  const double xy = Sum(second[3]), xz = Sum(second[4]), yz = Sum(second[5]);
  K[0] += s0;
  K[7] += s0;
  K[14] += s0;
  K[4] += fz;
  K[5] -= fy;
  K[9] -= fz;
  K[11] += fx;
  K[15] += fy;
  K[16] -= fx;
  K[19] -= fz;
  K[20] += fy;
  K[24] += fz;
  K[26] -= fx;
  K[30] -= fy;
  K[31] += fx;
  K[21] += yy + zz;
  K[28] += xx + zz;
  K[35] += xx + yy;
  K[22] -= xy;
  K[27] -= xy;
  K[23] -= xz;
  K[33] -= xz;
  K[29] -= yz;
  K[34] -= yz;
}

void ScoreContacts(const PairContactArrays& c, int begin, int end, const double* twist6, double* error,
                   double* length) {
  const Twist twist(twist6);
  const Lanes zero = {}, one = {1, 1, 1, 1};
  Lanes errors = {}, lengths = {};
  for (int i = begin; i < end; i += 4) {
    const Lanes3 r = Load3(c.r, i), n = Load3(c.n, i);
    const Lanes3 sigma = Sigma(c, i, twist, r),
                 l = {Load(c.lambda[0] + i), Load(c.lambda[1] + i), Load(c.lambda[2] + i)};
    const Lanes rho = Load(c.rho + i), mu = Load(c.mu + i);
    const Lanes sn = Dot(n, sigma);
    const Lanes3 st = AddScaled(sigma, -sn, n);
    const Lanes push = rho * mu * Sqrt(Dot(st, st));  // De Saxce's term
    const Lanes3 x = {l.x - rho * sigma.x - push * n.x, l.y - rho * sigma.y - push * n.y,
                      l.z - rho * sigma.z - push * n.z};
    const Lanes xn = Dot(n, x);
    const Lanes3 xt = AddScaled(x, -xn, n);
    const Lanes t = Sqrt(Dot(xt, xt));
    const Mask stick = t <= mu * xn;
    const Mask open = (~stick) & ((mu * t <= -xn) | (t == zero));
    const Lanes s = (xn + mu * t) / (one + mu * mu);
    const Lanes safe = t == zero ? one : t;
    const Lanes normal = stick ? xn : (open ? zero : s), scale = stick ? one : (open ? zero : mu * s / safe);
    const Lanes3 p = AddScaled(Times(scale, xt), normal, n);
    const Lanes dx = l.x - p.x, dy = l.y - p.y, dz = l.z - p.z;
    const Lanes weight = rho > zero ? one / (rho > zero ? rho : one) : zero;
    errors += weight * (dx * dx + dy * dy + dz * dz);
    lengths += weight * Dot(l, l);
  }
  *error += Sum(errors);
  *length += Sum(lengths);
}

void WrenchOf(const PairContactArrays& c, int begin, int end, double* wrench) {
  WrenchSum sum;
  for (int i = begin; i < end; i += 4) {
    sum.Add({Load(c.lambda[0] + i), Load(c.lambda[1] + i), Load(c.lambda[2] + i)}, Load3(c.r, i));
  }
  sum.Write(wrench);
}

extern const PairKernels kPairKernels;
const PairKernels kPairKernels = {Evaluate, EvaluateJacobian, ScoreContacts, WrenchOf};

}  // namespace tactus::TACTUS_KERNEL_NS
