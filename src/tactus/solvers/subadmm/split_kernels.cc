#include "tactus/math/lanes.h"
#include "tactus/solvers/subadmm/split_kernels_api.h"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

inline Lanes Gather(const double* p, const int* at) { return Lanes{p[at[0]], p[at[1]], p[at[2]], p[at[3]]}; }
// Three lanes side by side.
inline Lanes3 Load3(const double* p) { return {Load(p), Load(p + 4), Load(p + 8)}; }
inline void Store3(double* p, const Lanes3& v) {
  Store(p, v.x);
  Store(p + 4, v.y);
  Store(p + 8, v.z);
}
// Of four copies.
inline Lanes3 Gather3(const double* p, const int* at) { return {Gather(p, at), Gather(p + 4, at), Gather(p + 8, at)}; }
inline void Scatter3(double* p, const int* at, const Lanes3& v) {
  for (int k = 0; k < 4; ++k) {
    double* to = p + at[k];
    to[0] = v.x[k];
    to[4] = v.y[k];
    to[8] = v.z[k];
  }
}
inline Lanes3 operator+(const Lanes3& a, const Lanes3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Lanes3 operator-(const Lanes3& a, const Lanes3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Lanes3 operator*(Lanes s, const Lanes3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Lanes Max(Lanes a, Lanes b) { return a > b ? a : b; }
inline Lanes Min(Lanes a, Lanes b) { return a < b ? a : b; }

// wrench = sum over copies of [x; r x x].
inline void SumInto(const SplitCopies& copies, int begin, int end, double* wrench) {
  Lanes3 force{}, torque{};
  for (int i = begin; i < end; i += 4) {
    const Lanes3 x = Load3(copies.x + 3 * static_cast<long>(i));
    force = force + x;
    torque = torque + Cross(Load3(copies.r + 3 * static_cast<long>(i)), x);
  }
  Store(wrench, Sum4(force.x, force.y, force.z, torque.x));
  wrench[4] = Sum(torque.y);
  wrench[5] = Sum(torque.z);
}

// x = v + w x r. What fills up vectors must not pull.
inline void Spread(const SplitCopies& copies, int begin, int end, int padded, const double* twist) {
  const Lanes3 v = {Splat(twist[0]), Splat(twist[1]), Splat(twist[2])},
               w = {Splat(twist[3]), Splat(twist[4]), Splat(twist[5])};
  for (int i = begin; i < padded; i += 4)
    Store3(copies.x + 3 * static_cast<long>(i), v + Cross(w, Load3(copies.r + 3 * static_cast<long>(i))));
  for (int i = end; i < padded; ++i) {
    double* x = copies.x + SplitPlace(i);
    x[0] = x[4] = x[8] = 0;
  }
}

// y = M x, M of `stride` / 4 quads a column.
template <int kQuads>
inline void MultiplyQuads(const double* M, int stride, int n, const double* x, double* y) {
  Lanes sum[kQuads] = {};
  for (int k = 0; k < n; ++k, M += stride) {
    const Lanes xk = Splat(x[k]);
    for (int q = 0; q < kQuads; ++q) sum[q] += Load(M + 4 * q) * xk;
  }
  for (int q = 0; q < kQuads; ++q) Store(y + 4 * q, sum[q]);
}

inline void Multiply(const double* M, int stride, int n, const double* x, double* y) {
  int row = 0;
  for (; stride - row >= 24; row += 16) MultiplyQuads<4>(M + row, stride, n, x, y + row);
  switch ((stride - row) / 4) {
    case 5: MultiplyQuads<5>(M + row, stride, n, x, y + row); break;
    case 4: MultiplyQuads<4>(M + row, stride, n, x, y + row); break;
    case 3: MultiplyQuads<3>(M + row, stride, n, x, y + row); break;
    case 2: MultiplyQuads<2>(M + row, stride, n, x, y + row); break;
    case 1: MultiplyQuads<1>(M + row, stride, n, x, y + row); break;
    default: break;
  }
}

// Six numbers y_k = M_k . x of columns M_k; x has `stride` numbers.
inline void MultiplyTransposed6(const double* M, int stride, const double* x, double* y) {
  Lanes sum[6] = {};
  for (int row = 0; row < stride; row += 4) {
    const Lanes part = Load(x + row);
    for (int k = 0; k < 6; ++k) sum[k] += Load(M + static_cast<long>(k) * stride + row) * part;
  }
  Store(y, Sum4(sum[0], sum[1], sum[2], sum[3]));
  y[4] = Sum(sum[4]);
  y[5] = Sum(sum[5]);
}

// y = M^T x of `count` columns, a multiple of four.
inline void MultiplyTransposed(const double* M, int stride, int count, const double* x, double* y) {
  for (int k = 0; k < count; k += 4, M += 4 * static_cast<long>(stride)) {
    Lanes sum[4] = {};
    for (int row = 0; row < stride; row += 4) {
      const Lanes part = Load(x + row);
      for (int q = 0; q < 4; ++q) sum[q] += Load(M + static_cast<long>(q) * stride + row) * part;
    }
    Store(y + k, Sum4(sum[0], sum[1], sum[2], sum[3]));
  }
}

// Velocities of a tree to its copies; v has `stride` numbers.
inline void SpreadPoints(const SplitTrees& t, const SplitTree& tree, const SplitCopies& copies, const double* v) {
  MultiplyTransposed(t.points + tree.point_jacobian, tree.stride, 3 * tree.points, v,
                     copies.x + 3 * static_cast<long>(tree.first_slot));
}

inline void SpreadLinks(const SplitTrees& t, const SplitTree& tree, const SplitCopies& copies, const double* v) {
  double x[kSplitLargestTree], twist[6];
  for (int l = tree.first_link; l < tree.last_link; ++l) {
    const SplitLink& link = t.links[l];
    for (int k = 0; k < link.count; ++k) x[k] = v[t.columns[link.columns + k]];
    for (int k = link.count; k < link.stride; ++k) x[k] = 0;
    MultiplyTransposed6(t.jacobians + link.jacobian, link.stride, x, twist);
    Spread(copies, link.begin, link.end, link.padded, twist);
  }
}

}  // namespace

void SolveBodies(const SplitBody* bodies, int begin, int end, const double* inverse, const SplitCopies& copies,
                 const double* pull, double* v) {
  for (int b = begin; b < end; ++b) {
    const SplitBody& body = bodies[b];
    double x[6], twist[8];
    SumInto(copies, body.begin, body.padded, x);
    for (int k = 0; k < 6; ++k) x[k] += pull[body.dof + k];
    MultiplyQuads<2>(inverse + 48 * static_cast<long>(b), 8, 6, x, twist);
    if (body.has_rows) {
      for (int k = 0; k < 6; ++k) v[body.dof + k] = twist[k];
    }
    Spread(copies, body.begin, body.end, body.padded, twist);
  }
}

void SolveTrees(const SplitTrees& t, int begin, int end, const double* inverse, const SplitCopies& copies,
                const double* pull, double* v) {
  double wrench[6], x[kSplitLargestTree], y[kSplitLargestTree];
  for (int j = begin; j < end; ++j) {
    const SplitTree& tree = t.trees[j];
    if (tree.points > 0) {
      Multiply(t.points + tree.point_jacobian, tree.stride, 3 * tree.points,
               copies.x + 3 * static_cast<long>(tree.first_slot), x);
      for (int k = 0; k < tree.size; ++k) x[k] += pull[tree.dof + k];
      Multiply(inverse + tree.matrix, tree.stride, tree.size, x, y);
      for (int k = 0; k < tree.size; ++k) v[tree.dof + k] = y[k];
      SpreadPoints(t, tree, copies, y);
      continue;
    }
    for (int k = 0; k < tree.size; ++k) x[k] = pull[tree.dof + k];
    for (int l = tree.first_link; l < tree.last_link; ++l) {
      const SplitLink& link = t.links[l];
      SumInto(copies, link.begin, link.padded, wrench);
      Multiply(t.jacobians + link.jacobian, link.stride, 6, wrench, y);
      for (int k = 0; k < link.count; ++k) x[t.columns[link.columns + k]] += y[k];
    }
    Multiply(inverse + tree.matrix, tree.stride, tree.size, x, y);
    for (int k = 0; k < tree.size; ++k) v[tree.dof + k] = y[k];
    SpreadLinks(t, tree, copies, y);
  }
}

void SpreadBodies(const SplitBody* bodies, int begin, int end, const SplitCopies& copies, const double* v) {
  for (int b = begin; b < end; ++b) Spread(copies, bodies[b].begin, bodies[b].end, bodies[b].padded, v + bodies[b].dof);
}

void SpreadTrees(const SplitTrees& t, int begin, int end, const SplitCopies& copies, const double* v) {
  double padded[kSplitLargestTree];
  for (int j = begin; j < end; ++j) {
    const SplitTree& tree = t.trees[j];
    if (tree.points == 0) {
      SpreadLinks(t, tree, copies, v + tree.dof);
      continue;
    }
    for (int k = 0; k < tree.stride; ++k) padded[k] = k < tree.size ? v[tree.dof + k] : 0;
    SpreadPoints(t, tree, copies, padded);
  }
}

void SumMasses(const SplitCopies& copies, const double* beta, int begin, int end, double* sums) {
  Lanes total[10] = {};
  for (int i = begin; i < end; i += 4) {
    const Lanes m = Load(beta + i);
    const Lanes3 r = Load3(copies.r + 3 * static_cast<long>(i)), first = m * r;
    const Lanes terms[10] = {m,
                             first.x,
                             first.y,
                             first.z,
                             first.x * r.x,
                             first.x * r.y,
                             first.x * r.z,
                             first.y * r.y,
                             first.y * r.z,
                             first.z * r.z};
    for (int k = 0; k < 10; ++k) total[k] += terms[k];
  }
  for (int k = 0; k < 10; ++k) sums[k] = Sum(total[k]);
}

namespace {

// [m I, -[f]; [f], tr(S) I - S] of mass m, first moment f and second moments S = (xx, xy, xz, yy, yz, zz).
inline void MassMatrix6(const double* s, double M[6][6]) {
  const double m = s[0], x = s[1], y = s[2], z = s[3], xx = s[4], xy = s[5], xz = s[6], yy = s[7], yz = s[8], zz = s[9];
  const double full[6][6] = {{m, 0, 0, 0, z, -y},           {0, m, 0, -z, 0, x},
                             {0, 0, m, y, -x, 0},           {0, -z, y, yy + zz, -xy, -xz},
                             {z, 0, -x, -xy, xx + zz, -yz}, {-y, x, 0, -xz, -yz, xx + yy}};
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < 6; ++c) M[r][c] = full[r][c];
  }
}

}  // namespace

void AddBodyMass(const double* sums, double* H) {
  double M[6][6];
  MassMatrix6(sums, M);
  for (int c = 0; c < 6; ++c) {
    for (int r = 0; r < 6; ++r) H[8 * c + r] += M[r][c];
  }
}

void AddLinkMass(const SplitTrees& t, int link_index, const double* sums, double* H, int stride) {
  const SplitLink& link = t.links[link_index];
  const double* J = t.jacobians + link.jacobian;
  const int* columns = t.columns + link.columns;
  double M[6][6], h[kSplitLargestTree];
  MassMatrix6(sums, M);
  for (int k = 0; k < link.count; ++k) {
    double weighted[6] = {};
    for (int s = 0; s < 6; ++s) {
      const double value = J[static_cast<long>(s) * link.stride + k];
      for (int r = 0; r < 6; ++r) weighted[r] += M[r][s] * value;
    }
    Multiply(J, link.stride, 6, weighted, h);
    double* column = H + static_cast<long>(columns[k]) * stride;
    for (int l = 0; l < link.count; ++l) column[columns[l]] += h[l];
  }
}

// With C = [P Q; Q^T S] and the point's velocity v + w x r the trace is tr P + 2 tr(Q [r]) + |r|^2 tr S - r . S r.
void TracePoints(const SplitCopies& copies, int begin, int end, const double* C) {
  const auto at = [&](int row, int column) { return C[8 * column + row]; };
  const Lanes constant = Splat(at(0, 0) + at(1, 1) + at(2, 2));
  const Lanes3 linear = {Splat(2 * (at(1, 5) - at(2, 4))), Splat(2 * (at(2, 3) - at(0, 5))),
                         Splat(2 * (at(0, 4) - at(1, 3)))};
  const double xx = at(3, 3), yy = at(4, 4), zz = at(5, 5);
  const Lanes3 square = {Splat(yy + zz), Splat(xx + zz), Splat(xx + yy)};
  const Lanes3 mixed = {Splat(-2 * at(3, 4)), Splat(-2 * at(4, 5)), Splat(-2 * at(3, 5))};
  for (int i = begin; i < end; i += 4) {
    const Lanes3 r = Load3(copies.r + 3 * static_cast<long>(i));
    const Lanes3 products = {r.x * r.y, r.y * r.z, r.z * r.x}, squares = {r.x * r.x, r.y * r.y, r.z * r.z};
    Store(copies.x + 3 * static_cast<long>(i), constant + Dot(linear, r) + Dot(square, squares) + Dot(mixed, products));
  }
}

void AddPointMasses(const SplitTrees& t, int tree_index, const double* beta, double* H) {
  const SplitTree& tree = t.trees[tree_index];
  const double* J = t.points + tree.point_jacobian;
  for (int slot = 0; slot < tree.points; ++slot) {
    for (int k = 0; k < 3; ++k) {
      const double* g = J + static_cast<long>(SplitPlace(slot) + 4 * k) * tree.stride;
      for (int c = 0; c < tree.size; ++c) {
        const double factor = beta[tree.first_slot + slot] * g[c];
        if (factor == 0) continue;
        const Lanes spread = Splat(factor);
        double* column = H + static_cast<long>(c) * tree.stride;
        for (int r = 0; r < tree.stride; r += 4) Store(column + r, Load(column + r) + Load(g + r) * spread);
      }
    }
  }
}

void TraceTreePoints(const SplitTrees& t, int tree_index, const double* matrix, const SplitCopies& copies) {
  const SplitTree& tree = t.trees[tree_index];
  const double* J = t.points + tree.point_jacobian;
  double moved[kSplitLargestTree];
  for (int slot = 0; slot < tree.points; ++slot) {
    double trace = 0;
    for (int k = 0; k < 3; ++k) {
      const double* g = J + static_cast<long>(SplitPlace(slot) + 4 * k) * tree.stride;
      Multiply(matrix, tree.stride, tree.size, g, moved);
      Lanes sum = {};
      for (int r = 0; r < tree.stride; r += 4) sum += Load(g + r) * Load(moved + r);
      trace += Sum(sum);
    }
    copies.x[SplitPlace(tree.first_slot + slot)] = trace;
  }
}

// Gauss-Jordan without pivoting, as the matrix is positive definite. Rows beyond n stay as they are.
bool Invert(double* M, int n, int stride) {
  double column[kSplitLargestTree];
  for (int k = 0; k < n; ++k) {
    double* pivot_column = M + static_cast<long>(k) * stride;
    const double pivot = pivot_column[k];
    if (!(pivot > 0)) return false;
    const double inverse = 1 / pivot;
    for (int r = 0; r < stride; ++r) column[r] = pivot_column[r];
    column[k] = 0;
    for (int c = 0; c < n; ++c) {
      if (c == k) continue;
      double* other = M + static_cast<long>(c) * stride;
      const double factor = other[k] * inverse;
      const Lanes spread = Splat(factor);
      for (int r = 0; r < stride; r += 4) Store(other + r, Load(other + r) - Load(column + r) * spread);
      other[k] = factor;
    }
    const Lanes scale = Splat(-inverse);
    for (int r = 0; r < stride; r += 4) Store(pivot_column + r, Load(column + r) * scale);
    pivot_column[k] = inverse;
  }
  return true;
}

void LinkCompliance(const SplitTrees& t, int link_index, const double* matrix, int stride, double* C) {
  const SplitLink& link = t.links[link_index];
  const double* J = t.jacobians + link.jacobian;
  double sum[kSplitLargestTree], part[kSplitLargestTree];
  for (int k = link.count; k < link.stride; ++k) part[k] = 0;
  for (int c = 0; c < 6; ++c) {
    for (int r = 0; r < stride; ++r) sum[r] = 0;
    for (int k = 0; k < link.count; ++k) {
      const double* column = matrix + static_cast<long>(t.columns[link.columns + k]) * stride;
      const Lanes factor = Splat(J[static_cast<long>(c) * link.stride + k]);
      for (int r = 0; r < stride; r += 4) Store(sum + r, Load(sum + r) + Load(column + r) * factor);
    }
    for (int k = 0; k < link.count; ++k) part[k] = sum[t.columns[link.columns + k]];
    MultiplyTransposed6(J, link.stride, part, C + 8 * c);
  }
}

void Project(const SplitContacts& c, const SplitCopies& copies, int begin, int end, double alpha) {
  const Lanes relax = Splat(alpha), keep = Splat(1 - alpha), zero = {}, one = Splat(1), half = Splat(0.5);
  for (int i = begin; i < end; i += 4) {
    const int *at_a = c.place_a + i, *at_b = c.place_b + i;
    double* q = c.data + static_cast<long>(kSplitArrays) * i;
    const Lanes has_b = Load(q + 4 * kHasB), beta = Load(q + 4 * kBeta);
    const Lanes weight = beta * (one - half * has_b);  // beta over the number of copies
    const Lanes3 ra = relax * Gather3(copies.x, at_a) + keep * Load3(q + 4 * kZa);
    const Lanes3 rb = has_b * (relax * Gather3(copies.x, at_b) + keep * Load3(q + 4 * kZb));
    const Lanes3 n = Load3(q + 4 * kN), before = Load3(q + 4 * kLambda);
    const Lanes3 x = before - weight * (ra - rb + Load3(q + 4 * kE));
    const Lanes xn = Dot(n, x);
    const Lanes3 xt = x - xn * n;
    const Lanes square = Dot(xt, xt), radius = Load(q + 4 * kMu) * xn;
    const Mask positive = xn > zero, slip = positive & (square > radius * radius);
    const Lanes scale = Any(slip) ? (slip ? radius / Sqrt(slip ? square : one) : one) : one;
    const Lanes3 closed = xn * n + scale * xt;
    const Lanes3 lambda = {positive ? closed.x : zero, positive ? closed.y : zero, positive ? closed.z : zero};
    const Lanes3 change = Load(q + 4 * kInverse) * (lambda - before);
    const Lanes3 za = ra + change, zb = has_b * (rb - change);
    Store3(q + 4 * kLambda, lambda);
    Store3(q + 4 * kZa, za);
    Store3(q + 4 * kZb, zb);
    Scatter3(copies.x, at_a, beta * za + lambda);
    Scatter3(copies.x, at_b, beta * zb - lambda);
  }
}

void ProjectRows(const SplitRows& rows, int begin, int end, double alpha, const double* v) {
  const Lanes relax = Splat(alpha), keep = Splat(1 - alpha);
  for (int i = begin; i < end; i += 4) {
    const Lanes value = Load(rows.value + i), beta = Load(rows.beta + i), before = Load(rows.lambda + i);
    const Lanes relaxed = relax * (value * Gather(v, rows.dof + i)) + keep * Load(rows.z + i);
    const Lanes x = Load(rows.slope + i) * (before - beta * relaxed) + Load(rows.shift + i);
    const Lanes lambda = Min(Max(x, Load(rows.lo + i)), Load(rows.hi + i));
    const Lanes z = relaxed + (lambda - before) / beta;
    Store(rows.lambda + i, lambda);
    Store(rows.z + i, z);
    Store(rows.pull + i, value * (beta * z + lambda));
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
    const Lanes beta = Load(q + 4 * kBeta);
    const Lanes3 lambda = Load3(q + 4 * kLambda);
    Scatter3(copies.x, c.place_a + i, beta * Load3(q + 4 * kZa) + lambda);
    Scatter3(copies.x, c.place_b + i, beta * Load3(q + 4 * kZb) - lambda);
  }
}

void StoreCopies(const SplitContacts& c, const SplitCopies& copies, int begin, int end) {
  for (int i = begin; i < end; i += 4) {
    double* q = c.data + static_cast<long>(kSplitArrays) * i;
    Store3(q + 4 * kZa, Gather3(copies.x, c.place_a + i));
    Store3(q + 4 * kZb, Load(q + 4 * kHasB) * Gather3(copies.x, c.place_b + i));
  }
}

// The natural map of the exact law, lambda - P(lambda - rho (sigma + mu |sigma_t| n)), P the projection onto the cone.
SplitScore Score(const SplitContacts& c, const SplitCopies& copies, int begin, int end) {
  const Lanes zero = {}, one = Splat(1);
  Lanes error = {}, size = {}, power = {}, violation = {};
  for (int i = begin; i < end; i += 4) {
    const double* q = c.data + static_cast<long>(kSplitArrays) * i;
    const Lanes3 n = Load3(q + 4 * kN), lambda = Load3(q + 4 * kLambda);
    const Lanes3 sigma =
        Gather3(copies.x, c.place_a + i) - Load(q + 4 * kHasB) * Gather3(copies.x, c.place_b + i) + Load3(q + 4 * kE);
    const Lanes mu = Load(q + 4 * kMu), rho = Load(q + 4 * kRho);
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
    power += Dot(lambda, sigma);
    violation = Max(violation, zero - sn);
  }
  LoadPulls(c, copies, begin, end);
  SplitScore out;
  out.error = Sum(error);
  out.lambda = Sum(size);
  out.power = Sum(power);
  for (int k = 0; k < 4; ++k) out.violation = violation[k] > out.violation ? violation[k] : out.violation;
  return out;
}

extern const SplitKernels kSplitKernels;
const SplitKernels kSplitKernels = {SolveBodies, SolveTrees,     SpreadBodies, SpreadTrees,    SumMasses,
                                    AddBodyMass, AddLinkMass,    TracePoints,  AddPointMasses, TraceTreePoints,
                                    Invert,      LinkCompliance, Project,      ProjectRows,    LoadImpulses,
                                    LoadPulls,   StoreCopies,    Score};

}  // namespace tactus::TACTUS_KERNEL_NS
