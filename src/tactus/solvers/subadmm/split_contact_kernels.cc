// Contacts and rows in an iteration of SubADMM.
#include "tactus/solvers/subadmm/split_lanes.h"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

// Four contacts with these velocities of their copies, the second of no matter where b is the world. Times beta all
// velocities are impulses: y = alpha beta v + (1 - alpha) beta z, lambda+ = T(lambda - (y_a - y_b + beta e) / copies),
// beta z+ = y +- (lambda+ - lambda). What pulls is left in va and vb.
inline void ProjectFour(double* q, Lanes relax, Lanes keep, Lanes3* va, Lanes3* vb) {
  const Lanes zero = {}, one = Splat(1), half = Splat(0.5);
  const Lanes has_b = Load(q + 4 * kHasB), scaled = relax * Load(q + 4 * kBeta);
  const Lanes weight = one - half * has_b;  // one over the number of copies
  const Lanes3 ya = scaled * *va + keep * Load3(q + 4 * kZa);
  const Lanes3 yb = has_b * (scaled * *vb + keep * Load3(q + 4 * kZb));
  const Lanes3 n = Load3(q + 4 * kN), before = Load3(q + 4 * kLambda);
  const Lanes3 x = before - weight * (ya - yb + Load3(q + 4 * kE));
  const Lanes xn = Dot(n, x);
  const Lanes3 xt = x - xn * n;
  const Lanes square = Dot(xt, xt), radius = Load(q + 4 * kMu) * xn;
  const Mask positive = xn > zero, slip = positive & (square > radius * radius);
  // Root and quotient would take a third of the time, and mostly none of the four slides.
  Lanes scale = one;
  if (Any(slip)) scale = slip ? radius / Sqrt(slip ? square : one) : one;
  const Lanes3 closed = xn * n + scale * xt;
  const Lanes3 lambda = {positive ? closed.x : zero, positive ? closed.y : zero, positive ? closed.z : zero};
  const Lanes3 change = lambda - before, za = ya + change, zb = yb - has_b * change;
  Store3(q + 4 * kLambda, lambda);
  Store3(q + 4 * kZa, za);
  Store3(q + 4 * kZb, zb);
  *va = za + lambda;
  *vb = zb - has_b * lambda;
}

}  // namespace

void ProjectUnits(const SplitUnit* units, int begin, int end, const SplitContacts& c, const SplitCopies& copies,
                  double alpha) {
  const Lanes relax = Splat(alpha), keep = Splat(1 - alpha);
  for (int u = begin; u < end; ++u) {
    const SplitUnit& unit = units[u];
    double* xa = copies.x + 3 * static_cast<long>(unit.begin);
    for (int q = 0; q < unit.owned; ++q, xa += 12) {
      const long i = unit.contact + 4 * q;
      const int* at_b = c.place_b + i;
      Lanes3 a = Load3(xa), b = Gather3(copies.x, at_b);
      ProjectFour(c.data + kSplitArrays * i, relax, keep, &a, &b);
      Store3(xa, a);
      Scatter3(copies.x, at_b, b);
    }
  }
}

void Project(const SplitContacts& c, const SplitCopies& copies, int begin, int end, double alpha) {
  const Lanes relax = Splat(alpha), keep = Splat(1 - alpha), zero = {};
  for (int i = begin; i < end; i += 4) {
    const int *at_a = c.place_a + i, *at_b = c.place_b + i;
    double* q = c.data + static_cast<long>(kSplitArrays) * i;
    const bool world_only = !Any(Load(q + 4 * kHasB) > zero);
    const bool together = at_a[1] == at_a[0] + 1 && at_a[2] == at_a[0] + 2 && at_a[3] == at_a[0] + 3;
    Lanes3 a = together ? Load3(copies.x + at_a[0]) : Gather3(copies.x, at_a), b{};
    if (!world_only) b = Gather3(copies.x, at_b);
    ProjectFour(q, relax, keep, &a, &b);
    if (together) {
      Store3(copies.x + at_a[0], a);
    } else {
      Scatter3(copies.x, at_a, a);
    }
    if (!world_only) Scatter3(copies.x, at_b, b);
  }
}

void ProjectRows(const SplitRows& rows, int begin, int end, double alpha, const double* v) {
  const Lanes relax = Splat(alpha), keep = Splat(1 - alpha);
  for (int i = begin; i < end; i += 4) {
    const Lanes value = Load(rows.value + i), beta = Load(rows.beta + i), before = Load(rows.lambda + i);
    const Lanes relaxed = relax * (value * Gather(v, rows.dof + i)) + keep * Load(rows.z + i), scaled = beta * relaxed;
    const Lanes x = Load(rows.slope + i) * (before - scaled) + Load(rows.shift + i);
    const Lanes lambda = Min(Max(x, Load(rows.lo + i)), Load(rows.hi + i)), change = lambda - before;
    Store(rows.lambda + i, lambda);
    Store(rows.z + i, relaxed + change * Load(rows.inverse + i));
    Store(rows.pull + i, value * (scaled + change + lambda));
  }
}

void LoadImpulses(const SplitContacts& c, const SplitCopies& copies, int begin, int end) {
  const Lanes3 zero = {};
  for (int i = begin; i < end; i += 4) {
    const double* q = c.data + static_cast<long>(kSplitArrays) * i;
    const Lanes3 lambda = Load3(q + 4 * kLambda);
    Scatter3(copies.x, c.place_a + i, lambda);
    Scatter3(copies.x, c.place_b + i, zero - lambda);
  }
}

void LoadPulls(const SplitContacts& c, const SplitCopies& copies, int begin, int end) {
  for (int i = begin; i < end; i += 4) {
    const double* q = c.data + static_cast<long>(kSplitArrays) * i;
    const Lanes3 lambda = Load3(q + 4 * kLambda);
    Scatter3(copies.x, c.place_a + i, Load3(q + 4 * kZa) + lambda);
    Scatter3(copies.x, c.place_b + i, Load3(q + 4 * kZb) - lambda);
  }
}

void StoreCopies(const SplitContacts& c, const SplitCopies& copies, int begin, int end) {
  for (int i = begin; i < end; i += 4) {
    double* q = c.data + static_cast<long>(kSplitArrays) * i;
    const Lanes beta = Load(q + 4 * kBeta);
    Store3(q + 4 * kZa, beta * Gather3(copies.x, c.place_a + i));
    Store3(q + 4 * kZb, beta * Load(q + 4 * kHasB) * Gather3(copies.x, c.place_b + i));
  }
}

// The natural map of the exact law, lambda - P(lambda - rho (sigma + mu |sigma_t| n)), P the projection onto the cone.
SplitScore Score(const SplitContacts& c, const SplitCopies& copies, int begin, int end, double* work) {
  const Lanes zero = {}, one = Splat(1);
  Lanes error = {}, size = {}, violation = {};
  for (int i = begin; i < end; i += 4) {
    const double *q = c.data + static_cast<long>(kSplitArrays) * i,
                 *w = c.weights + static_cast<long>(kSplitWeights) * i;
    const Lanes3 n = Load3(q + 4 * kN), lambda = Load3(q + 4 * kLambda);
    const Lanes3 sigma = Gather3(copies.x, c.place_a + i) - Load(q + 4 * kHasB) * Gather3(copies.x, c.place_b + i) +
                         Load(w + 4 * kInverse) * Load3(q + 4 * kE);
    Store(work + i, Dot(lambda, sigma));
    const Lanes mu = Load(q + 4 * kMu), rho = Load(w + 4 * kRho);
    const Lanes sn = Dot(n, sigma);
    const Lanes3 st = sigma - sn * n;
    const Lanes slide = Sqrt(Dot(st, st));
    const Lanes ln = Dot(n, lambda);
    const Lanes3 lt = lambda - ln * n, xt = lt - rho * st;
    const Lanes xn = ln - rho * (sn + mu * slide), length = Sqrt(Dot(xt, xt));
    const Mask stick = length <= mu * xn, open = mu * length <= -xn;
    const Lanes slip_n = (xn + mu * length) / (one + mu * mu), safe = length > zero ? length : one;
    const Lanes pn = stick ? xn : open ? zero : slip_n;
    const Lanes scale = stick ? one : open ? zero : mu * slip_n / safe;
    const Lanes3 dt = lt - scale * xt;
    const Lanes dn = ln - pn, inverse = one / rho;
    error += inverse * (Dot(dt, dt) + dn * dn);
    size += inverse * Dot(lambda, lambda);
    violation = Max(violation, zero - sn);
  }
  LoadPulls(c, copies, begin, end);
  SplitScore out;
  out.error = Sum(error);
  out.lambda = Sum(size);
  for (int k = 0; k < 4; ++k) out.violation = violation[k] > out.violation ? violation[k] : out.violation;
  return out;
}

}  // namespace tactus::TACTUS_KERNEL_NS
