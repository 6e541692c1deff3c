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

// Few numbers: a call for them would take longer than they do.
inline void CopyNumbers(const double* from, int count, double* to) {
  int k = 0;
  for (; k + 8 <= count; k += 8) {
    const Lanes first = Load(from + k), second = Load(from + k + 4);
    Store(to + k, first);
    Store(to + k + 4, second);
  }
  for (; k < count; ++k) to[k] = from[k];
}

inline void AddProduct(const double* J, Lanes factor, Lanes3* sum) {
  sum->x += Load(J) * factor;
  sum->y += Load(J + 4) * factor;
  sum->z += Load(J + 8) * factor;
}
inline Lanes DotPoints(const double* J, const Lanes3& x) {
  return Load(J) * x.x + Load(J + 4) * x.y + Load(J + 8) * x.z;
}
inline Lanes DotPoints(const double* J, const double* K) { return DotPoints(J, Load3(K)); }

// Velocities of a tree to its copies.
inline void SpreadPoints(const SplitTrees& t, const SplitTree& tree, const SplitCopies& copies, const double* v) {
  const int* common = t.columns + tree.columns;
  for (int g = tree.first_group; g < tree.last_group; ++g) {
    const SplitGroup& group = t.groups[g];
    const double* J = t.points + group.jacobian;
    const int* first = t.columns + group.columns;
    Lanes3 shared{}, single{};
    for (int k = 0; k < tree.common; ++k, J += 12) AddProduct(J, Splat(v[common[k]]), &shared);
    for (int k = 0; k < group.runs; ++k, J += 48, first += 4) {
      Lanes a = Load(v + first[0]), b = Load(v + first[1]), c = Load(v + first[2]), d = Load(v + first[3]);
      Transpose4(&a, &b, &c, &d);
      AddProduct(J, a, &single);
      AddProduct(J + 12, b, &shared);
      AddProduct(J + 24, c, &single);
      AddProduct(J + 36, d, &shared);
    }
    Store3(copies.x + 3 * static_cast<long>(group.slot), shared + single);
  }
}

inline void AddTo(double* to, Lanes what) { Store(to, Load(to) + what); }

// x = pull + J^T of what pulls at a tree's copies. A lane adds up its own dofs by itself, so that neighbours do not
// wait for each other; common dofs' sums stay in registers if their number is known.
template <int kCommon>
inline void CollectPoints(const SplitTrees& t, const SplitTree& tree, const SplitCopies& copies, const double* pull,
                          double* x) {
  const int count = kCommon > 0 ? kCommon : tree.common;
  Lanes sums[kCommon > 0 ? kCommon : kSplitLargestTree];
  double lanes[4][kSplitLargestTree];
  for (int k = 0; k < count; ++k) sums[k] = Lanes{};
  for (int k = 0; k < tree.stride; k += 4) {
    for (int l = 0; l < 4; ++l) Store(lanes[l] + k, Lanes{});
  }
  for (int g = tree.first_group; g < tree.last_group; ++g) {
    const SplitGroup& group = t.groups[g];
    const double* J = t.points + group.jacobian;
    const int* first = t.columns + group.columns;
    const Lanes3 pulls = Load3(copies.x + 3 * static_cast<long>(group.slot));
    for (int k = 0; k < count; ++k) sums[k] += DotPoints(J + 12 * k, pulls);
    J += 12 * static_cast<long>(count);
    for (int k = 0; k < group.runs; ++k, J += 48, first += 4) {
      Lanes a = DotPoints(J, pulls), b = DotPoints(J + 12, pulls), c = DotPoints(J + 24, pulls),
            d = DotPoints(J + 36, pulls);
      Transpose4(&a, &b, &c, &d);
      AddTo(lanes[0] + first[0], a);
      AddTo(lanes[1] + first[1], b);
      AddTo(lanes[2] + first[2], c);
      AddTo(lanes[3] + first[3], d);
    }
  }
  for (int k = 0; k < tree.size; k += 4) {
    Store(x + k, (Load(lanes[0] + k) + Load(lanes[1] + k)) + (Load(lanes[2] + k) + Load(lanes[3] + k)));
  }
  for (int k = 0; k < tree.size; ++k) x[k] += pull[k];
  const int* common = t.columns + tree.columns;
  int k = 0;
  for (; k + 4 <= count; k += 4) {
    const Lanes four = Sum4(sums[k], sums[k + 1], sums[k + 2], sums[k + 3]);
    for (int l = 0; l < 4; ++l) x[common[k + l]] += four[l];
  }
  for (; k < count; ++k) x[common[k]] += Sum(sums[k]);
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
  for (int q = unit.others_at; q < unit.quads(); ++q) {
    const Lanes3 x = v + Cross(w, Load3(copies.r + begin + 12 * q));
    const Mask there = others > Splat(q - unit.others_at);
    Store3(copies.x + begin + 12 * q, {there ? x.x : zero, there ? x.y : zero, there ? x.z : zero});
  }
}

inline void SpreadOne(const SplitUnit& unit, const SplitCopies& copies, const double* twist) {
  const int owned = unit.begin + 4 * unit.owned, others = unit.begin + 4 * unit.others_at;
  Spread(copies, unit.begin, owned, owned, twist);
  Spread(copies, others, others + static_cast<int>(unit.others[0]), others + 4 * unit.other_quads, twist);
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
  const auto add = [&](int first, int last) {
    for (int q = first; q < last; ++q) {
      const Lanes3 f = Load3(copies.x + begin + 12 * q);
      force = force + f;
      torque = torque + Cross(Load3(copies.r + begin + 12 * q), f);
    }
  };
  add(0, unit.owned);
  add(unit.others_at, unit.quads());
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
  double x[6], y[6], twist[8];
  SumInto(copies, unit.begin, unit.begin + 4 * unit.owned, x);
  SumInto(copies, unit.begin + 4 * unit.others_at, unit.begin + 4 * unit.quads(), y);
  const double* add = unit.has_rows ? pull + unit.dof[0] : b;
  for (int k = 0; k < 6; ++k) x[k] += y[k] + add[k];
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
    if (tree.by_points) {
      if (tree.common == 6) {  // a floating base
        CollectPoints<6>(t, tree, copies, pull + tree.dof, x);
      } else {
        CollectPoints<0>(t, tree, copies, pull + tree.dof, x);
      }
      Multiply(inverse + tree.matrix, tree.stride, tree.size, x, y);
      CopyNumbers(y, tree.size, v + tree.dof);
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
    CopyNumbers(y, tree.size, v + tree.dof);
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
  for (int j = begin; j < end; ++j) {
    const SplitTree& tree = t.trees[j];
    if (tree.by_points) {
      SpreadPoints(t, tree, copies, v + tree.dof);
    } else {
      SpreadLinks(t, tree, copies, v + tree.dof);
    }
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
    for (int i = unit.begin; i < unit.begin + 4 * unit.quads(); i += 4) {
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
  SumMasses(copies, beta, unit.begin, unit.begin + 4 * unit.quads(), sums);
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
  const int end = unit.begin + 4 * unit.quads();
  if (!unit.four) {
    TracePoints(copies, unit.begin, end, inverse);
    return;
  }
  TraceCompliance(copies, unit.begin, end,
                  [&](int row, int column) { return Load(inverse + 4 * SplitTriangle(row, column)); });
}

void AddPointMasses(const SplitTrees& t, int tree_index, const double* beta, double* H) {
  const SplitTree& tree = t.trees[tree_index];
  const int* common = t.columns + tree.columns;
  const auto below = [&](int a, int b) -> double& {
    return H[static_cast<long>(a < b ? a : b) * tree.stride + (a < b ? b : a)];
  };
  for (int a = 0; a < tree.common; ++a) {
    for (int b = 0; b <= a; ++b) {
      Lanes sum = {};
      for (int g = tree.first_group; g < tree.last_group; ++g) {
        const double* J = t.points + t.groups[g].jacobian;
        sum += Load(beta + t.groups[g].slot) * DotPoints(J + 12 * a, J + 12 * b);
      }
      below(common[a], common[b]) += Sum(sum);
    }
  }
  for (int g = tree.first_group; g < tree.last_group; ++g) {
    const SplitGroup& group = t.groups[g];
    const double *J = t.points + group.jacobian, *K = J + 12 * static_cast<long>(tree.common);
    const int* first = t.columns + group.columns;
    const Lanes mass = Load(beta + group.slot);
    for (int a = 0; a < 4 * group.runs; ++a) {
      const Lanes3 scaled = mass * Load3(K + 12 * a);
      const int* own = first + (a & ~3);
      for (int b = 0; b < tree.common; ++b) {
        const Lanes each = DotPoints(J + 12 * b, scaled);
        for (int l = 0; l < 4; ++l) below(own[l] + (a & 3), common[b]) += each[l];
      }
      for (int b = 0; b <= a; ++b) {
        const int* other = first + (b & ~3);
        const Lanes each = DotPoints(K + 12 * b, scaled);
        for (int l = 0; l < 4; ++l) below(own[l] + (a & 3), other[l] + (b & 3)) += each[l];
      }
    }
  }
}

void TraceTreePoints(const SplitTrees& t, int tree_index, const double* matrix, const SplitCopies& copies) {
  const SplitTree& tree = t.trees[tree_index];
  const int* common = t.columns + tree.columns;
  const Lanes two = Splat(2);
  for (int g = tree.first_group; g < tree.last_group; ++g) {
    const SplitGroup& group = t.groups[g];
    const double *J = t.points + group.jacobian, *K = J + 12 * static_cast<long>(tree.common);
    Lanes diagonal = {}, beside = {};
    for (int a = 0; a < tree.common; ++a) {
      const double* column = matrix + static_cast<long>(common[a]) * tree.stride;
      for (int b = 0; b < a; ++b) beside += Splat(column[common[b]]) * DotPoints(J + 12 * a, J + 12 * b);
      diagonal += Splat(column[common[a]]) * DotPoints(J + 12 * a, J + 12 * a);
    }
    const int* first = t.columns + group.columns;
    for (int a = 0; a < 4 * group.runs; ++a) {
      const double* column[4];
      for (int l = 0; l < 4; ++l) {
        column[l] = matrix + static_cast<long>(first[(a & ~3) + l] + (a & 3)) * tree.stride;
      }
      const Lanes3 k = Load3(K + 12 * a);
      for (int b = 0; b < tree.common; ++b) {
        const int c = common[b];
        beside += Lanes{column[0][c], column[1][c], column[2][c], column[3][c]} * DotPoints(J + 12 * b, k);
      }
      for (int b = 0; b <= a; ++b) {
        const int *o = first + (b & ~3), j = b & 3;
        const Lanes each = Lanes{column[0][o[0] + j], column[1][o[1] + j], column[2][o[2] + j], column[3][o[3] + j]} *
                           DotPoints(K + 12 * b, k);
        (b == a ? diagonal : beside) += each;
      }
    }
    Store(copies.x + 3 * static_cast<long>(group.slot), diagonal + two * beside);
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
