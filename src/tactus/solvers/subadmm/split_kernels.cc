#include "tactus/math/lanes.h"
#include "tactus/solvers/subadmm/split_kernels_api.h"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

inline Lanes Gather(const double* p, const int* at) { return Lanes{p[at[0]], p[at[1]], p[at[2]], p[at[3]]}; }
inline Lanes3 Gather3(double* const p[3], const int* at) {
  return {Gather(p[0], at), Gather(p[1], at), Gather(p[2], at)};
}
inline void Scatter(double* p, const int* at, Lanes v) {
  for (int k = 0; k < 4; ++k) p[at[k]] = v[k];
}
inline void Scatter3(double* const p[3], const int* at, const Lanes3& v) {
  Scatter(p[0], at, v.x);
  Scatter(p[1], at, v.y);
  Scatter(p[2], at, v.z);
}
inline Lanes3 operator+(const Lanes3& a, const Lanes3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Lanes3 operator-(const Lanes3& a, const Lanes3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Lanes3 operator*(Lanes s, const Lanes3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline void SumInto(const SplitCopies& copies, int begin, int end, double* wrench) {
  Lanes3 force{}, torque{};
  for (int i = begin; i < end; i += 4) {
    const Lanes3 c = Load3(copies.c, i);
    force = force + c;
    torque = torque + Cross(Load3(copies.r, i), c);
  }
  const double sums[6] = {Sum(force.x), Sum(force.y), Sum(force.z), Sum(torque.x), Sum(torque.y), Sum(torque.z)};
  for (int k = 0; k < 6; ++k) wrench[k] = sums[k];
}

inline void Spread(const SplitCopies& copies, int begin, int end, const double* twist) {
  const Lanes3 v = {Splat(twist[0]), Splat(twist[1]), Splat(twist[2])},
               w = {Splat(twist[3]), Splat(twist[4]), Splat(twist[5])};
  for (int i = begin; i < end; i += 4) Store3(copies.p, i, v + Cross(w, Load3(copies.r, i)));
}

}  // namespace

void SumCopies(const SplitCopies& copies, int begin, int end, double* wrench) { SumInto(copies, begin, end, wrench); }

void SpreadTwist(const SplitCopies& copies, int begin, int end, const double* twist) {
  Spread(copies, begin, end, twist);
}

void SolveBodies(const SplitBody* bodies, int begin, int end, const double* inverse, const SplitCopies& copies,
                 const double* pull, double* v) {
  for (int b = begin; b < end; ++b) {
    const SplitBody& body = bodies[b];
    double x[6];
    SumInto(copies, body.begin, body.end, x);
    const double* M = inverse + 48 * static_cast<long>(b);
    Lanes low = {}, high = {};
    for (int k = 0; k < 6; ++k) {
      const Lanes xk = Splat(x[k] + pull[body.dof + k]);
      low += Load(M + 8 * k) * xk;
      high += Load(M + 8 * k + 4) * xk;
    }
    const double twist[6] = {low[0], low[1], low[2], low[3], high[0], high[1]};
    for (int k = 0; k < 6; ++k) v[body.dof + k] = twist[k];
    Spread(copies, body.begin, body.end, twist);
  }
}

void Multiply(const double* M, int stride, int n, const double* x, double* y) {
  for (int row = 0; row < stride; row += 16) {
    const int quads = stride - row >= 16 ? 4 : (stride - row) / 4;
    Lanes sum[4] = {};
    const double* column = M + row;
    if (quads == 4) {
      for (int k = 0; k < n; ++k, column += stride) {
        const Lanes xk = Splat(x[k]);
        for (int q = 0; q < 4; ++q) sum[q] += Load(column + 4 * q) * xk;
      }
    } else {
      for (int k = 0; k < n; ++k, column += stride) {
        const Lanes xk = Splat(x[k]);
        for (int q = 0; q < quads; ++q) sum[q] += Load(column + 4 * q) * xk;
      }
    }
    for (int q = 0; q < quads; ++q) Store(y + row + 4 * q, sum[q]);
  }
}

void MultiplyTransposed(const double* M, int stride, int n, const double* x, double* y) {
  for (int k = 0; k < n; ++k) {
    Lanes sum = {};
    for (int row = 0; row < stride; row += 4) sum += Load(M + static_cast<long>(k) * stride + row) * Load(x + row);
    y[k] = Sum(sum);
  }
}

void Project(const SplitContacts& c, const SplitCopies& copies, int begin, int end, double alpha) {
  const Lanes relax = Splat(alpha), keep = Splat(1 - alpha), zero = {}, one = Splat(1);
  for (int i = begin; i < end; i += 4) {
    const int *at_a = c.slot_a + i, *at_b = c.slot_b + i;
    const Lanes has_b = Load(c.has_b + i), beta = Load(c.beta + i);
    const Lanes3 ra = relax * Gather3(copies.p, at_a) + keep * Load3(c.za, i);
    const Lanes3 rb = has_b * (relax * Gather3(copies.p, at_b) + keep * Load3(c.zb, i));
    const Lanes3 n = Load3(c.n, i), before = Load3(c.lambda, i);
    const Lanes3 x = before - Load(c.weight + i) * (ra - rb + Load3(c.e, i));
    const Lanes xn = Dot(n, x);
    const Lanes3 xt = x - xn * n;
    const Lanes square = Dot(xt, xt), radius = Load(c.mu + i) * xn;
    const Mask positive = xn > zero, slip = positive & (square > radius * radius);
    const Lanes scale = Any(slip) ? (slip ? radius / Sqrt(slip ? square : one) : one) : one;
    const Lanes3 closed = xn * n + scale * xt;
    const Lanes3 lambda = {positive ? closed.x : zero, positive ? closed.y : zero, positive ? closed.z : zero};
    const Lanes3 change = (one / beta) * (lambda - before);
    const Lanes3 za = ra + change, zb = has_b * (rb - change);
    Store3(c.lambda, i, lambda);
    Store3(c.za, i, za);
    Store3(c.zb, i, zb);
    Scatter3(copies.c, at_a, beta * za + lambda);
    Scatter3(copies.c, at_b, beta * zb - lambda);
  }
}

extern const SplitKernels kSplitKernels;
const SplitKernels kSplitKernels = {SolveBodies, SumCopies, SpreadTwist, Multiply, MultiplyTransposed, Project};

}  // namespace tactus::TACTUS_KERNEL_NS
