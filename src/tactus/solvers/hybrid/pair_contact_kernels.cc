#include "tactus/math/lanes.h"
#include "tactus/solvers/hybrid/pair_kernels_api.h"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

// The sums of four vectors: (v[0] + v[1]) + (v[2] + v[3]) each.
inline Lanes SumFour(Lanes a, Lanes b, Lanes c, Lanes d) {
  const Lanes ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Lanes cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}
inline Lanes3 Times(Lanes s, const Lanes3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Lanes3 AddScaled(const Lanes3& a, Lanes s, const Lanes3& b) {
  return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

struct Twist {
  Lanes3 v, w;
  explicit Twist(const double* t)
      : v{Splat(t[0]), Splat(t[1]), Splat(t[2])}, w{Splat(t[3]), Splat(t[4]), Splat(t[5])} {}
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

template <bool kGivenRadius>
inline Strict Apply(const PairContactArrays& c, int i, const Twist& twist, const Lanes3& r, Lanes beta) {
  Strict t;
  t.n = Load3(c.n, i);
  const Lanes3 sigma = Sigma(c, i, twist, r), lk = Load3(c.lambda_k, i);
  const Lanes3 x = {lk.x - beta * sigma.x, lk.y - beta * sigma.y, lk.z - beta * sigma.z};
  t.xn = Dot(t.n, x);
  t.xt = AddScaled(x, -t.xn, t.n);
  const Lanes square = Dot(t.xt, t.xt), zero = {}, one = {1, 1, 1, 1};
  const Lanes radius = kGivenRadius ? Load(c.radius + i) : Load(c.mu + i) * t.xn;
  t.positive = t.xn > zero;
  t.slip = square > radius * radius;
  if (!kGivenRadius) t.slip &= t.positive;
  t.inverse = Any(t.slip) ? (t.slip ? one / Sqrt(square) : zero) : zero;
  t.scale = t.slip ? radius * t.inverse : one;
  if (!kGivenRadius) t.scale = t.positive ? t.scale : zero;
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
    Store(w, SumFour(force.x, force.y, force.z, torque.x));
    w[4] = Sum(torque.y);
    w[5] = Sum(torque.z);
  }
};

}  // namespace

template <bool kGivenRadius>
void EvaluateWith(const PairContactArrays& c, int begin, int end, const double* twist6, double factor, double* wrench) {
  const Twist twist(twist6);
  WrenchSum sum;
  for (int i = begin; i < end; i += 4) {
    const Lanes3 r = Load3(c.r, i);
    const Strict t = Apply<kGivenRadius>(c, i, twist, r, factor * Load(c.rho + i));
    StoreLambda(c, i, t.lambda);
    sum.Add(t.lambda, r);
  }
  sum.Write(wrench);
}

template <bool kGivenRadius>
void EvaluateJacobianWith(const PairContactArrays& c, int begin, int end, const double* twist6, double factor,
                          double* wrench, double* K) {
  const Twist twist(twist6);
  WrenchSum sum;
  const Lanes zero = {};
  Lanes rank_one[36];  // set by the first contacts that slip
  bool any_slip = false;
  Lanes mass = {}, first[3] = {}, second[6] = {};  // sum of s beta times 1, r, and r r^T (xx yy zz xy xz yz)
  for (int i = begin; i < end; i += 4) {
    const Lanes3 r = Load3(c.r, i);
    const Lanes beta = factor * Load(c.rho + i);
    const Strict t = Apply<kGivenRadius>(c, i, twist, r, beta);
    StoreLambda(c, i, t.lambda);
    if (!kGivenRadius && !Any(t.positive)) continue;
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
    // Contacts that neither slip nor, with a radius of their own, are open add nothing but multiples of I.
    const Mask more = kGivenRadius ? t.slip | ~t.positive : t.slip;
    if (!Any(more)) continue;
    const Lanes3 h = Times(t.inverse, t.xt), k = Cross(r, h), m = Load3(c.m, i);
    const Lanes along = more ? (t.positive ? beta : zero) - s : zero;
    const Lanes push = kGivenRadius ? zero : (t.slip ? Load(c.mu + i) * beta : zero);
    const Lanes slide = t.slip ? s : zero;
    const Lanes a[6] = {along * t.n.x + push * h.x, along * t.n.y + push * h.y, along * t.n.z + push * h.z,
                        along * m.x + push * k.x,   along * m.y + push * k.y,   along * m.z + push * k.z};
    const Lanes b[6] = {t.n.x, t.n.y, t.n.z, m.x, m.y, m.z};
    const Lanes g[6] = {h.x, h.y, h.z, k.x, k.y, k.z};
    for (int p = 0; p < 6; ++p) {
      const Lanes gp = slide * g[p];
      if (any_slip) {
        for (int q = 0; q < 6; ++q) rank_one[6 * p + q] += a[p] * b[q] - gp * g[q];
      } else {
        for (int q = 0; q < 6; ++q) rank_one[6 * p + q] = a[p] * b[q] - gp * g[q];
      }
    }
    any_slip = true;
  }
  sum.Write(wrench);
  for (int k = 0; k < 36; k += 4) {
    const Lanes none = {};
    Store(K + k, any_slip ? SumFour(rank_one[k], rank_one[k + 1], rank_one[k + 2], rank_one[k + 3]) : none);
  }
  // s X^T X = s [I, -[r]x; [r]x, |r|^2 I - r r^T].
  const Lanes linear = SumFour(mass, first[0], first[1], first[2]);
  const Lanes squares = SumFour(second[0], second[1], second[2], second[3]);
  const double s0 = linear[0], fx = linear[1], fy = linear[2], fz = linear[3];
  const double xx = squares[0], yy = squares[1], zz = squares[2], xy = squares[3];
  const double xz = Sum(second[4]), yz = Sum(second[5]);
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

void Evaluate(const PairContactArrays& c, int begin, int end, const double* twist, double factor, double* wrench) {
  (c.radius == nullptr ? EvaluateWith<false> : EvaluateWith<true>)(c, begin, end, twist, factor, wrench);
}

void EvaluateJacobian(const PairContactArrays& c, int begin, int end, const double* twist, double factor,
                      double* wrench, double* K) {
  const auto evaluate = c.radius == nullptr ? EvaluateJacobianWith<false> : EvaluateJacobianWith<true>;
  evaluate(c, begin, end, twist, factor, wrench, K);
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

namespace {

using Lanes2 __attribute__((vector_size(16), aligned(8), may_alias)) = double;

struct Row6 {
  Lanes low;    // columns 0..3
  Lanes2 high;  // columns 4, 5
};
inline Row6 LoadRow(const double* p) { return {Load(p), *reinterpret_cast<const Lanes2*>(p + 4)}; }
inline void AddTo(double* p, const Row6& row, double sign) {
  Store(p, Load(p) + sign * row.low);
  Lanes2* high = reinterpret_cast<Lanes2*>(p + 4);
  *high += sign * row.high;
}
// Row of M S: columns 3..5 gain d x (columns 0..2).
inline Row6 Shifted(const Row6& row, const double* d) {
  const double x = row.low[0], y = row.low[1], z = row.low[2];
  Row6 out = row;
  out.low[3] += d[1] * z - d[2] * y;
  out.high += Lanes2{d[2] * x - d[0] * z, d[0] * y - d[1] * x};
  return out;
}

}  // namespace

void AddBlocks(const double* K, const double* d, double* const out[4], const int stride[4]) {
  Row6 rows[6], left[6];  // of K and S^T K: rows 3..5 gain [d]x (rows 0..2)
  for (int i = 0; i < 6; ++i) rows[i] = left[i] = LoadRow(K + 6 * i);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    left[3 + i].low += d[j] * rows[k].low - d[k] * rows[j].low;
    left[3 + i].high += d[j] * rows[k].high - d[k] * rows[j].high;
  }
  for (int i = 0; i < 6; ++i) {
    AddTo(out[0] + i * stride[0], rows[i], 1);
    AddTo(out[1] + i * stride[1], Shifted(rows[i], d), -1);
    AddTo(out[2] + i * stride[2], left[i], -1);
    AddTo(out[3] + i * stride[3], Shifted(left[i], d), 1);
  }
}

extern const PairKernels kPairKernels;
const PairKernels kPairKernels = {Evaluate, EvaluateJacobian, ScoreContacts, WrenchOf, AddBlocks};

}  // namespace tactus::TACTUS_KERNEL_NS
