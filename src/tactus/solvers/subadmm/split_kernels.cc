// Bodies and trees in an iteration of SubADMM.
#include "tactus/solvers/subadmm/split_lanes.h"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

// y = M x, M of `stride` / 4 quads a column. Even and odd columns apart, as sums that wait for themselves are slow.
template <int kQuads>
inline void MultiplyQuads(const double* M, int stride, int n, const double* x, double* y) {
  Lanes even[kQuads] = {}, odd[kQuads] = {};
  int k = 0;
  for (; k + 2 <= n; k += 2, M += 2 * static_cast<long>(stride)) {
    const Lanes first = Splat(x[k]), second = Splat(x[k + 1]);
    for (int q = 0; q < kQuads; ++q) {
      even[q] += Load(M + 4 * q) * first;
      odd[q] += Load(M + stride + 4 * q) * second;
    }
  }
  if (k < n) {
    for (int q = 0; q < kQuads; ++q) even[q] += Load(M + 4 * q) * Splat(x[k]);
  }
  for (int q = 0; q < kQuads; ++q) Store(y + 4 * q, even[q] + odd[q]);
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
  double part[kSplitLargestTree];
  for (int g = tree.first_group; g < tree.last_group; ++g) {
    const SplitGroup& group = t.groups[g];
    for (int q = 0; 4 * q < group.stride; ++q) Store(part + 4 * q, Load(v + 4 * group.quads[q]));
    MultiplyTransposed(t.points + group.jacobian, group.stride, 12, part, copies.x + 3 * static_cast<long>(group.slot));
  }
}

// x += J^T of what pulls at a tree's copies.
inline void CollectPoints(const SplitTrees& t, const SplitTree& tree, const SplitCopies& copies, double* x) {
  double part[kSplitLargestTree];
  for (int g = tree.first_group; g < tree.last_group; ++g) {
    const SplitGroup& group = t.groups[g];
    Multiply(t.points + group.jacobian, group.stride, 12, copies.x + 3 * static_cast<long>(group.slot), part);
    for (int q = 0; 4 * q < group.stride; ++q) {
      double* to = x + 4 * group.quads[q];
      Store(to, Load(to) + Load(part + 4 * q));
    }
  }
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

// y = M [force; torque] of four bodies, M their lower triangles.
inline Lanes TriangleRow(const double* M, int row, const Lanes3& f, const Lanes3& t) {
  const double* at[6];
  for (int c = 0; c < 6; ++c) at[c] = M + 4 * SplitTriangle(row, c);
  return (Load(at[0]) * f.x + Load(at[1]) * f.y + Load(at[2]) * f.z) +
         (Load(at[3]) * t.x + Load(at[4]) * t.y + Load(at[5]) * t.z);
}

// x = v + w x r of four bodies. What fills up vectors must not pull.
inline void SpreadFour(const SplitUnit& unit, const SplitCopies& copies, const Lanes3& v, const Lanes3& w) {
  const long begin = 3 * static_cast<long>(unit.begin);
  const Lanes others = Load(unit.others), zero = {};
  for (int q = 0; q < unit.owned; ++q)
    Store3(copies.x + begin + 12 * q, v + Cross(w, Load3(copies.r + begin + 12 * q)));
  for (int q = unit.owned; q < unit.quads; ++q) {
    const Lanes3 x = v + Cross(w, Load3(copies.r + begin + 12 * q));
    const Mask there = others > Splat(q - unit.owned);
    Store3(copies.x + begin + 12 * q, {there ? x.x : zero, there ? x.y : zero, there ? x.z : zero});
  }
}

inline void SpreadOne(const SplitUnit& unit, const SplitCopies& copies, const double* twist) {
  const int others = unit.begin + 4 * unit.owned + static_cast<int>(unit.others[0]);
  Spread(copies, unit.begin, others, unit.begin + 4 * unit.quads, twist);
}

inline void SolveFour(const SplitUnit& unit, const double* M, const double* b, const SplitCopies& copies,
                      const double* pull, double* v) {
  Lanes3 force, torque;
  if (unit.has_rows) {
    force = GatherDofs(pull, unit.dof);
    torque = GatherDofs(pull + 3, unit.dof);
  } else {
    force = Load3(b);
    torque = Load3(b + 12);
  }
  const long begin = 3 * static_cast<long>(unit.begin);
  for (int q = 0; q < unit.quads; ++q) {
    const Lanes3 f = Load3(copies.x + begin + 12 * q);
    force = force + f;
    torque = torque + Cross(Load3(copies.r + begin + 12 * q), f);
  }
  const Lanes3 linear = {TriangleRow(M, 0, force, torque), TriangleRow(M, 1, force, torque),
                         TriangleRow(M, 2, force, torque)};
  const Lanes3 angular = {TriangleRow(M, 3, force, torque), TriangleRow(M, 4, force, torque),
                          TriangleRow(M, 5, force, torque)};
  if (unit.has_rows) {
    for (int l = 0; l < 4; ++l) {
      double* out = v + unit.dof[l];
      out[0] = linear.x[l], out[1] = linear.y[l], out[2] = linear.z[l];
      out[3] = angular.x[l], out[4] = angular.y[l], out[5] = angular.z[l];
    }
  }
  SpreadFour(unit, copies, linear, angular);
}

inline void SolveOne(const SplitUnit& unit, const double* M, const double* b, const SplitCopies& copies,
                     const double* pull, double* v) {
  double x[6], twist[8];
  SumInto(copies, unit.begin, unit.begin + 4 * unit.quads, x);
  const double* add = unit.has_rows ? pull + unit.dof[0] : b;
  for (int k = 0; k < 6; ++k) x[k] += add[k];
  MultiplyQuads<2>(M, 8, 6, x, twist);
  if (unit.has_rows) {
    for (int k = 0; k < 6; ++k) v[unit.dof[0] + k] = twist[k];
  }
  SpreadOne(unit, copies, twist);
}

}  // namespace

void SolveUnits(const SplitUnit* units, int begin, int end, const double* inverse, const double* b,
                const SplitCopies& copies, const double* pull, double* v) {
  for (int u = begin; u < end; ++u) {
    const SplitUnit& unit = units[u];
    if (unit.four) {
      SolveFour(unit, inverse + unit.matrix, b + unit.pull, copies, pull, v);
    } else {
      SolveOne(unit, inverse + unit.matrix, b + unit.pull, copies, pull, v);
    }
  }
}

void SolveTrees(const SplitTrees& t, int begin, int end, const double* inverse, const SplitCopies& copies,
                const double* pull, double* v) {
  double wrench[6], x[kSplitLargestTree], y[kSplitLargestTree];
  for (int j = begin; j < end; ++j) {
    const SplitTree& tree = t.trees[j];
    if (tree.by_points()) {
      for (int k = 0; k < tree.size; ++k) x[k] = pull[tree.dof + k];
      CollectPoints(t, tree, copies, x);
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

void SpreadUnits(const SplitUnit* units, int begin, int end, const SplitCopies& copies, const double* v) {
  for (int u = begin; u < end; ++u) {
    const SplitUnit& unit = units[u];
    if (!unit.four) {
      SpreadOne(unit, copies, v + unit.dof[0]);
      continue;
    }
    SpreadFour(unit, copies, GatherDofs(v, unit.dof), GatherDofs(v + 3, unit.dof));
  }
}

void SpreadTrees(const SplitTrees& t, int begin, int end, const SplitCopies& copies, const double* v) {
  double padded[kSplitLargestTree];
  for (int j = begin; j < end; ++j) {
    const SplitTree& tree = t.trees[j];
    if (!tree.by_points()) {
      SpreadLinks(t, tree, copies, v + tree.dof);
      continue;
    }
    for (int k = 0; k < tree.stride; ++k) padded[k] = k < tree.size ? v[tree.dof + k] : 0;
    SpreadPoints(t, tree, copies, padded);
  }
}

namespace {

// Adds point masses m at r: m, m r, m r r^T.
inline void AddMoments(Lanes m, const Lanes3& r, Lanes* total) {
  const Lanes3 first = m * r;
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

}  // namespace

void SumMasses(const SplitCopies& copies, const double* beta, int begin, int end, double* sums) {
  Lanes total[10] = {};
  for (int i = begin; i < end; i += 4) AddMoments(Load(beta + i), Load3(copies.r + 3 * static_cast<long>(i)), total);
  for (int k = 0; k < 10; ++k) sums[k] = Sum(total[k]);
}

namespace {

// [m I, -[f]; [f], tr(S) I - S] of mass m, first moment f and second moments S = (xx, xy, xz, yy, yz, zz), of four
// bodies. (Not a template: as a template's argument Lanes would lose their alignment, which is that of doubles.)
inline void MassMatrices6(const Lanes* s, Lanes M[6][6]) {
  const Lanes m = s[0], x = s[1], y = s[2], z = s[3], xx = s[4], xy = s[5], xz = s[6], yy = s[7], yz = s[8], zz = s[9];
  const Lanes o = {};
  const Lanes full[6][6] = {{m, o, o, o, z, -y},           {o, m, o, -z, o, x},
                            {o, o, m, y, -x, o},           {o, -z, y, yy + zz, -xy, -xz},
                            {z, o, -x, -xy, xx + zz, -yz}, {-y, x, o, -xz, -yz, xx + yy}};
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < 6; ++c) M[r][c] = full[r][c];
  }
}

// Of one body or link.
inline void MassMatrix6(const double* sums, double M[6][6]) {
  Lanes s[10], four[6][6];
  for (int k = 0; k < 10; ++k) s[k] = Splat(sums[k]);
  MassMatrices6(s, four);
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < 6; ++c) M[r][c] = four[r][c][0];
  }
}

}  // namespace

void AddUnitMass(const SplitUnit& unit, const SplitCopies& copies, const double* beta, double* H) {
  if (unit.four) {
    Lanes total[10] = {}, M[6][6];
    for (int i = unit.begin; i < unit.begin + 4 * unit.quads; i += 4) {
      AddMoments(Load(beta + i), Load3(copies.r + 3 * static_cast<long>(i)), total);
    }
    MassMatrices6(total, M);
    for (int r = 0; r < 6; ++r) {
      for (int c = 0; c <= r; ++c) {
        double* entry = H + 4 * SplitTriangle(r, c);
        Store(entry, Load(entry) + M[r][c]);
      }
    }
    return;
  }
  double sums[10], M[6][6];
  SumMasses(copies, beta, unit.begin, unit.begin + 4 * unit.quads, sums);
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

namespace {

// With C = [P Q; Q^T S] and the point's velocity v + w x r the trace is tr P + 2 tr(Q [r]) + |r|^2 tr S - r . S r.
template <typename Entry>
inline void TraceCompliance(const SplitCopies& copies, int begin, int end, const Entry& at) {
  const Lanes constant = at(0, 0) + at(1, 1) + at(2, 2), two = Splat(2);
  const Lanes3 linear = {two * (at(1, 5) - at(2, 4)), two * (at(2, 3) - at(0, 5)), two * (at(0, 4) - at(1, 3))};
  const Lanes xx = at(3, 3), yy = at(4, 4), zz = at(5, 5);
  const Lanes3 square = {yy + zz, xx + zz, xx + yy};
  const Lanes3 mixed = {-two * at(3, 4), -two * at(4, 5), -two * at(3, 5)};
  for (int i = begin; i < end; i += 4) {
    const Lanes3 r = Load3(copies.r + 3 * static_cast<long>(i));
    const Lanes3 products = {r.x * r.y, r.y * r.z, r.z * r.x}, squares = {r.x * r.x, r.y * r.y, r.z * r.z};
    Store(copies.x + 3 * static_cast<long>(i), constant + Dot(linear, r) + Dot(square, squares) + Dot(mixed, products));
  }
}

}  // namespace

void TracePoints(const SplitCopies& copies, int begin, int end, const double* C) {
  TraceCompliance(copies, begin, end, [&](int row, int column) { return Splat(C[8 * column + row]); });
}

void TraceUnit(const SplitUnit& unit, const SplitCopies& copies, const double* inverse) {
  const int end = unit.begin + 4 * unit.quads;
  if (!unit.four) {
    TracePoints(copies, unit.begin, end, inverse);
    return;
  }
  TraceCompliance(copies, unit.begin, end,
                  [&](int row, int column) { return Load(inverse + 4 * SplitTriangle(row, column)); });
}

void AddPointMasses(const SplitTrees& t, int tree_index, const double* beta, double* H) {
  const SplitTree& tree = t.trees[tree_index];
  for (int g = tree.first_group; g < tree.last_group; ++g) {
    const SplitGroup& group = t.groups[g];
    const double *J = t.points + group.jacobian, *mass = beta + group.slot;
    for (int c = 0; c < group.stride; ++c) {
      const int dof = 4 * group.quads[c >> 2] + (c & 3);
      if (dof >= tree.size) break;
      double factor[12];
      for (int k = 0; k < 12; ++k) factor[k] = mass[k & 3] * J[k * group.stride + c];
      double* to = H + static_cast<long>(dof) * tree.stride;
      for (int q = c >> 2; 4 * q < group.stride; ++q) {
        const double* quad = J + 4 * q;
        Lanes even = Load(to + 4 * group.quads[q]), odd = {};
        for (int k = 0; k < 12; k += 2, quad += 2 * static_cast<long>(group.stride)) {
          even += Load(quad) * Splat(factor[k]);
          odd += Load(quad + group.stride) * Splat(factor[k + 1]);
        }
        Store(to + 4 * group.quads[q], even + odd);
      }
    }
  }
}

void TraceTreePoints(const SplitTrees& t, int tree_index, const double* matrix, const SplitCopies& copies) {
  const SplitTree& tree = t.trees[tree_index];
  double part[kSplitLargestTree * kSplitLargestTree], moved[kSplitLargestTree];
  for (int g = tree.first_group; g < tree.last_group; ++g) {
    // M of the dofs that move these points.
    const SplitGroup& group = t.groups[g];
    int count = 0;
    for (; count < group.stride; ++count) {
      const int dof = 4 * group.quads[count >> 2] + (count & 3);
      if (dof >= tree.size) break;
      const double* M = matrix + static_cast<long>(dof) * tree.stride;
      for (int q = 0; 4 * q < group.stride; ++q)
        Store(part + count * group.stride + 4 * q, Load(M + 4 * group.quads[q]));
    }
    Lanes trace[4] = {};
    for (int k = 0; k < 12; ++k) {
      const double* column = t.points + group.jacobian + static_cast<long>(k) * group.stride;
      Multiply(part, group.stride, count, column, moved);
      for (int r = 0; r < group.stride; r += 4) trace[k & 3] += Load(column + r) * Load(moved + r);
    }
    Store(copies.x + 3 * static_cast<long>(group.slot), Sum4(trace[0], trace[1], trace[2], trace[3]));
  }
}

// Sweeps without pivoting, as the matrix is positive definite; they keep it symmetric, so that the lower triangle will
// do, in whole quads. Rows beyond n stay zero.
bool Invert(double* M, int n, int stride) {
  double column[kSplitLargestTree];
  for (int k = 0; k < n; ++k) {
    const double pivot = M[static_cast<long>(k) * stride + k];
    if (!(pivot > 0)) return false;
    for (int r = 0; r < k; ++r) column[r] = M[static_cast<long>(r) * stride + k];
    for (int r = k; r < stride; ++r) column[r] = M[static_cast<long>(k) * stride + r];
    column[k] = 0;
    const double inverse = 1 / pivot;
    for (int c = 0; c < n; ++c) {
      double* other = M + static_cast<long>(c) * stride;
      const Lanes factor = Splat(column[c] * inverse);
      for (int r = c & ~3; r < stride; r += 4) Store(other + r, Load(other + r) - Load(column + r) * factor);
    }
    for (int r = 0; r < k; ++r) M[static_cast<long>(r) * stride + k] = column[r] * inverse;
    for (int r = k; r < n; ++r) M[static_cast<long>(k) * stride + r] = column[r] * inverse;
    M[static_cast<long>(k) * stride + k] = -inverse;
  }
  for (int c = 0; c < n; ++c) {
    for (int r = c; r < n; ++r) {
      const double entry = -M[static_cast<long>(c) * stride + r];
      M[static_cast<long>(c) * stride + r] = M[static_cast<long>(r) * stride + c] = entry;
    }
  }
  return true;
}

// Of four bodies at once, as Invert does, in the lower triangles.
bool InvertUnit(const SplitUnit& unit, double* M) {
  if (!unit.four) return Invert(M, 6, 8);
  Lanes full[6][6];
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < 6; ++c) full[r][c] = Load(M + 4 * SplitTriangle(r, c));
  }
  const Lanes zero = {}, one = Splat(1);
  for (int k = 0; k < 6; ++k) {
    const Lanes pivot = full[k][k];
    if (Any(~(pivot > zero))) return false;
    const Lanes inverse = one / pivot;
    for (int c = 0; c < 6; ++c) {
      if (c == k) continue;
      const Lanes factor = full[k][c] * inverse;
      for (int r = 0; r < 6; ++r) {
        if (r != k) full[r][c] -= full[r][k] * factor;
      }
      full[k][c] = factor;
    }
    for (int r = 0; r < 6; ++r) {
      if (r != k) full[r][k] = -full[r][k] * inverse;
    }
    full[k][k] = inverse;
  }
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c <= r; ++c) Store(M + 4 * SplitTriangle(r, c), full[r][c]);
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

extern const SplitKernels kSplitKernels;
const SplitKernels kSplitKernels = {
    SolveUnits,   SolveTrees, SpreadUnits,    SpreadTrees,     SumMasses, AddUnitMass, AddLinkMass,
    TracePoints,  TraceUnit,  AddPointMasses, TraceTreePoints, Invert,    InvertUnit,  LinkCompliance,
    ProjectUnits, Project,    ProjectRows,    LoadImpulses,    LoadPulls, StoreCopies, Score};

}  // namespace tactus::TACTUS_KERNEL_NS
