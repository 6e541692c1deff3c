#include "tactus/solvers/cond/cond_kernels_api.h"

#include "tactus/math/lanes.h"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

inline void Store3(double* p, Lanes v) {
  p[0] = v[0];
  p[1] = v[1];
  p[2] = v[2];
}

// Three numbers and no fourth, which may be in the hands of another thread.
inline Lanes LoadThree(const double* p) { return Lanes{p[0], p[1], p[2], 0}; }

inline Lanes Max(Lanes a, Lanes b) { return a > b ? a : b; }

// Row r of A times x. One sum a column: additions of a row do not wait for each other. The fourth lane is not used.
inline Lanes MultiplyRow(const CondMatrix& A, const double* x, int r) {
  Lanes s0{}, s1{}, s2{};
  for (int k = A.row_start[r]; k < A.row_start[r + 1]; ++k) {
    const double* B = A.blocks + 9 * static_cast<long>(k);
    const double* y = x + 3 * static_cast<long>(A.columns[k]);
    s0 += Load(B) * Splat(y[0]);
    s1 += Load(B + 3) * Splat(y[1]);
    s2 += Load(B + 6) * Splat(y[2]);
  }
  return (s0 + s1) + s2;
}

// B x into the sum of a row, and B^T of the row's own velocity into that of the column. Both as columns c0, c1, c2.
inline void MultiplyPair(const double* B, const double* x, const Lanes* own, Lanes* sum, double* to) {
  const Lanes c0 = Load(B), c1 = Load(B + 3), c2 = Load(B + 6);
  *sum += c0 * Splat(x[0]) + c1 * Splat(x[1]) + c2 * Splat(x[2]);
  const Lanes low = __builtin_shufflevector(c0, c1, 0, 4, 1, 5), high = __builtin_shufflevector(c0, c1, 2, 6, 3, 7);
  const Lanes r0 = __builtin_shufflevector(low, c2, 0, 1, 4, 7), r1 = __builtin_shufflevector(low, c2, 2, 3, 5, 7);
  const Lanes r2 = __builtin_shufflevector(high, c2, 0, 1, 6, 7);
  Store(to, Load(to) + (r0 * own[0] + r1 * own[1] + r2 * own[2]));
}

inline void StrictLanes(Lanes3 x, Lanes mu, Lanes3* out) {
  const Lanes zero{};
  const Lanes n = Max(x.z, zero), t = Sqrt(x.x * x.x + x.y * x.y), radius = mu * n;
  const Lanes factor = t > radius ? radius / (t > zero ? t : Splat(1)) : Splat(1);
  out->x = factor * x.x;
  out->y = factor * x.y;
  out->z = n;
}

inline void ProximalLanes(Lanes3 x, Lanes mu, Lanes3* out) {
  const Lanes zero{}, one = Splat(1);
  const Lanes t = Sqrt(x.x * x.x + x.y * x.y);
  const Mask stick = (x.z >= zero) & (t <= mu * x.z), open = (mu * t <= -x.z) | (t == zero);
  const Lanes s = (x.z + mu * t) / (one + mu * mu), factor = mu * s / (t > zero ? t : one);
  out->x = stick ? x.x : open ? zero : factor * x.x;
  out->y = stick ? x.y : open ? zero : factor * x.y;
  out->z = stick ? x.z : open ? zero : s;
}

// J q of one contact, into one lane of a quad.
inline void MultiplyContact(const CondContacts& c, const double* q, int contact, double* out) {
  Lanes sum{};
  for (int k = c.start[contact]; k < c.start[contact + 1]; ++k) {
    const double* B = c.blocks + 9 * static_cast<long>(k);
    const double* y = q + 4 * static_cast<long>(c.nodes[k]);
    sum += Load(B) * Splat(y[0]) + Load(B + 3) * Splat(y[1]) + Load(B + 6) * Splat(y[2]);
  }
  out[0] = sum[0];
  out[4] = sum[1];
  out[8] = sum[2];
}

void Multiply(const CondMatrix& A, const double* x, int begin, int end, double* y) {
  for (int r = begin; r < end; ++r) Store3(y + 3 * static_cast<long>(r), MultiplyRow(A, x, r));
}

void MultiplyHalf(const CondHalfMatrix& A, const double* x, int begin, int end, double* y, double* overflow) {
  for (int r = begin; r < end; ++r) Store(y + 4 * static_cast<long>(r), Lanes{});
  for (int r = begin; r < end; ++r) {
    const double* v = x + 3 * static_cast<long>(r);
    const Lanes own[3] = {Splat(v[0]), Splat(v[1]), Splat(v[2])};
    int k = A.row_start[r];
    const double* D = A.blocks + 9 * static_cast<long>(k);
    Lanes sum = Load(D) * own[0] + Load(D + 3) * own[1] + Load(D + 6) * own[2];
    for (++k; k < A.row_start[r + 1]; ++k) {
      const int column = A.columns[k];
      double* to = column < end ? y + 4 * static_cast<long>(column) : overflow + 4 * static_cast<long>(column - end);
      MultiplyPair(A.blocks + 9 * static_cast<long>(k), x + 3 * static_cast<long>(column), own, &sum, to);
    }
    double* mine = y + 4 * static_cast<long>(r);
    Store(mine, Load(mine) + sum);
  }
}

void Descend(const CondVectors& x, const double* y, int begin, int end, double scale) {
  const Lanes s = Splat(scale);
  for (int r = begin; r < end; ++r) {
    const long at = 3 * static_cast<long>(r);
    const Lanes g = Load(y + 4 * static_cast<long>(r)) - Load(x.b + at);
    Store3(x.star + at, Load(x.v + at) - s * Load(x.w + at) * g);
  }
}

void Gradient(const CondMatrix& A, const CondVectors& x, int begin, int end, double scale, double* gradient) {
  const Lanes s = Splat(scale);
  for (int r = begin; r < end; ++r) {
    const long at = 3 * static_cast<long>(r);
    const Lanes g = MultiplyRow(A, x.v, r) - Load(x.b + at);
    if (gradient != nullptr) Store3(gradient + at, g);
    Store3(x.star + at, Load(x.v + 3 * static_cast<long>(A.row_node[r])) - s * Load(x.w + at) * g);
  }
}

void Accelerate(const CondMatrix& A, const CondVectors& x, int begin, int end, double scale, double nu, double relax,
                double* sums) {
  const Lanes factor = Splat(nu), u = Splat(relax), inverse = Splat(1 / scale);
  Lanes residual{}, steps{}, momentum{}, inner{};
  for (int r = begin; r < end; ++r) {
    const long at = 3 * static_cast<long>(r), node = 3 * static_cast<long>(A.row_node[r]);
    const Lanes v = Load(x.v + node), before = LoadThree(x.previous + node), star = LoadThree(x.star + at);
    const Lanes m = Load(x.inertia + at), change = star - v;
    const Lanes next = factor * (u * change + v - before) + before;
    const Lanes pull = change * inverse / Load(x.w + at), step = next - v;
    residual += pull * pull / m;
    inner += pull * change;
    steps += step * step * m;
    momentum += star * star * m;
    Store3(x.previous + node, next);
  }
  sums[kCondResidual] = residual[0] + residual[1] + residual[2];
  sums[kCondSteps] = steps[0] + steps[1] + steps[2];
  sums[kCondMomentum] = momentum[0] + momentum[1] + momentum[2];
  sums[kCondInner] = inner[0] + inner[1] + inner[2];
}

void ContactsStep(const CondContacts& c, const double* q, bool strict, int begin, int end) {
  for (int quad = begin; quad < end; ++quad) {
    const long at = 12 * static_cast<long>(quad);
    double velocity[12];
    for (int k = 0; k < 4; ++k) MultiplyContact(c, q, 4 * quad + k, velocity + k);
    const Lanes step = Load(c.step + 4 * static_cast<long>(quad)), mu = Load(c.mu + 4 * static_cast<long>(quad));
    const Lanes omega = Load(c.omega + 4 * static_cast<long>(quad));
    Lanes x[3];
    for (int k = 0; k < 3; ++k) {
      const Lanes lambda = Load(c.lambda + at + 4 * k);
      const Lanes sigma = Load(velocity + 4 * k) + Load(c.extra + at + 4 * k) + Load(c.e + at + 4 * k) + omega * lambda;
      x[k] = step > Splat(0) ? lambda - step * sigma : Splat(0);
      Store(c.x + at + 4 * k, x[k]);
    }
    Lanes3 out;
    if (strict) {
      StrictLanes({x[0], x[1], x[2]}, mu, &out);
    } else {
      ProximalLanes({x[0], x[1], x[2]}, mu, &out);
    }
    Store(c.lambda + at, out.x);
    Store(c.lambda + at + 4, out.y);
    Store(c.lambda + at + 8, out.z);
  }
}

}  // namespace

extern const CondKernels kCondKernels;
const CondKernels kCondKernels = {&Multiply, &Gradient, &MultiplyHalf, &Descend, &Accelerate, &ContactsStep};

}  // namespace tactus::TACTUS_KERNEL_NS
