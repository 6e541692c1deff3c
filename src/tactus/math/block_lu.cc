#include "tactus/math/block_lu.h"

#include <algorithm>
#include <numeric>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include "tactus/core/simd.h"

namespace tactus {

namespace baseline {
extern const FrontKernels kFrontKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const FrontKernels kFrontKernels;
}
#endif

const FrontKernels& GetFrontKernels() {
#if TACTUS_HAVE_V3_KERNELS
  if (ActiveSimdLevel() == SimdLevel::V3) return v3::kFrontKernels;
#endif
  return baseline::kFrontKernels;
}

namespace {

// Elimination order of the nodes by approximate minimum degree.
std::vector<int> OrderNodes(int n, const std::vector<int>& row_start, const std::vector<int>& columns) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  if (n <= 2) return order;
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> pattern(n, n);
  pattern.resizeNonZeros(static_cast<int>(columns.size()));
  std::copy(row_start.begin(), row_start.end(), pattern.outerIndexPtr());
  std::copy(columns.begin(), columns.end(), pattern.innerIndexPtr());
  std::fill(pattern.valuePtr(), pattern.valuePtr() + columns.size(), 1.0);
  Eigen::AMDOrdering<int>::PermutationType permutation;
  Eigen::AMDOrdering<int>()(pattern.selfadjointView<Eigen::Lower>(), permutation);
  for (int i = 0; i < n; ++i) order[i] = permutation.indices()[i];
  return order;
}

// Cost of eliminating s scalars of a front of n.
double FrontFlops(double s, double n) {
  const double r = n - s;
  return 2.0 / 3 * s * s * s + 2 * s * s * r + 2 * s * r * r;
}

// A front costs about this many flops besides its arithmetic, and r^2 for adding its Schur complement to the parent.
constexpr double kFrontOverhead = 800;

}  // namespace

void BlockLu::Analyze(const std::vector<int>& sizes, const std::vector<int>& row_start,
                      const std::vector<int>& columns) {
  const int n = static_cast<int>(sizes.size());
  sizes_ = sizes;
  offset_.assign(n + 1, 0);
  for (int i = 0; i < n; ++i) offset_[i + 1] = offset_[i] + sizes[i];
  total_ = offset_[n];

  const std::vector<int> order = OrderNodes(n, row_start, columns);
  std::vector<int> rank(n);
  for (int k = 0; k < n; ++k) rank[order[k]] = k;

  // Column structures in ranks: below[k] = later nodes coupled with the k-th once the earlier ones are eliminated.
  std::vector<std::vector<int>> below(n), children(n);
  std::vector<int> parent(n, -1), mark(n, -1), weight_below(n, 0);
  for (int k = 0; k < n; ++k) {
    const int node = order[k];
    mark[k] = k;
    const auto add = [&](int j) {
      if (j > k && mark[j] != k) {
        mark[j] = k;
        below[k].push_back(j);
      }
    };
    for (int e = row_start[node]; e < row_start[node + 1]; ++e) add(rank[columns[e]]);
    for (const int c : children[k]) {
      for (const int j : below[c]) add(j);
    }
    std::sort(below[k].begin(), below[k].end());
    for (const int j : below[k]) weight_below[k] += sizes[order[j]];
    if (!below[k].empty()) {
      parent[k] = below[k].front();
      children[parent[k]].push_back(k);
    }
  }

  // Supernodes: a node joins its parent's front where that costs less than a front of its own.
  std::vector<int> front_of(n);  // the highest node of the front
  std::vector<int> front_size(n, 0);
  for (int k = n - 1; k >= 0; --k) {
    const int s = sizes[order[k]];
    front_of[k] = k;
    if (parent[k] >= 0) {
      const int top = front_of[parent[k]];
      const double apart = FrontFlops(s, s + weight_below[k]) +
                           FrontFlops(front_size[top], front_size[top] + weight_below[top]) + kFrontOverhead +
                           static_cast<double>(weight_below[k]) * weight_below[k];
      const double merged_size = front_size[top] + s;
      if (FrontFlops(merged_size, merged_size + weight_below[top]) <= apart) front_of[k] = top;
    }
    front_size[front_of[k]] += s;
  }
  std::vector<std::vector<int>> members(n);
  for (int k = 0; k < n; ++k) members[front_of[k]].push_back(k);

  // Fronts in postorder of their tops: children have smaller tops' members, and a top's parent front has a larger top.
  fronts_.clear();
  indices_.clear();
  rows_.clear();
  runs_.clear();
  flops_ = 0;
  std::vector<int> front_index(n, -1);
  permuted_.assign(total_, 0);
  std::vector<int> position(n);  // rank -> first permuted scalar
  int next = 0;
  std::size_t place = 0;
  for (int top = 0; top < n; ++top) {
    if (members[top].empty()) continue;
    Front f;
    f.first = next;
    for (const int k : members[top]) {
      position[k] = next;
      for (int a = 0; a < sizes[order[k]]; ++a) permuted_[offset_[order[k]] + a] = next + a;
      next += sizes[order[k]];
    }
    f.s = next - f.first;
    f.n = f.s + weight_below[top];
    f.place = place;
    place += static_cast<std::size_t>(f.n) * FrontStride(f.n) + 8;
    flops_ += FrontFlops(f.s, f.n);
    front_index[top] = static_cast<int>(fronts_.size());
    fronts_.push_back(f);
  }
  std::vector<int> tops;
  for (int top = 0; top < n; ++top) {
    if (!members[top].empty()) tops.push_back(top);
  }
  for (std::size_t q = 0; q < tops.size(); ++q) {
    Front& f = fronts_[q];
    const int top = tops[q];
    f.index_start = static_cast<int>(indices_.size());
    for (const int j : below[top]) {
      for (int a = 0; a < sizes[order[j]]; ++a) indices_.push_back(position[j] + a);
    }
    // A node that joined a later front comes later than its rank says.
    std::sort(indices_.begin() + f.index_start, indices_.end());
    if (below[top].empty()) continue;
    f.parent = front_index[front_of[parent[top]]];
  }
  // Where each scalar below a front lies in its parent's front.
  for (Front& f : fronts_) {
    f.rows_start = static_cast<int>(rows_.size());
    f.run_start = static_cast<int>(runs_.size());
    if (f.parent < 0) continue;
    const Front& p = fronts_[f.parent];
    const int* below_parent = indices_.data() + p.index_start;
    for (int i = 0; i < f.n - f.s; ++i) {
      const int scalar = indices_[f.index_start + i];
      int row;
      if (scalar < p.first + p.s) {
        row = scalar - p.first;
      } else {
        row = p.s + static_cast<int>(std::lower_bound(below_parent, below_parent + (p.n - p.s), scalar) - below_parent);
      }
      rows_.push_back(row);
      if (f.num_runs > 0 && runs_.back().to + runs_.back().length == row) {
        ++runs_.back().length;
      } else {
        runs_.push_back({i, row, 1});
        ++f.num_runs;
      }
    }
  }
  // Where pattern entries live: in the front of the earlier of their two nodes.
  entry_place_.resize(columns.size());
  entry_stride_.resize(columns.size());
  const auto local = [&](const Front& f, int scalar) {
    if (scalar < f.first + f.s) return scalar - f.first;
    const int* begin = indices_.data() + f.index_start;
    return f.s + static_cast<int>(std::lower_bound(begin, begin + (f.n - f.s), scalar) - begin);
  };
  std::vector<std::vector<int>> entries(fronts_.size());
  for (int i = 0; i < n; ++i) {
    for (int e = row_start[i]; e < row_start[i + 1]; ++e) {
      const int a = rank[i], b = rank[columns[e]];
      const int front = front_index[front_of[std::min(a, b)]];
      const Front& f = fronts_[front];
      entries[front].push_back(e);
      entry_stride_[e] = FrontStride(f.n);
      entry_place_[e] =
          f.place + static_cast<std::size_t>(local(f, position[a])) * entry_stride_[e] + local(f, position[b]);
    }
  }
  front_entries_.clear();
  for (std::size_t q = 0; q < fronts_.size(); ++q) {
    fronts_[q].entry_start = static_cast<int>(front_entries_.size());
    front_entries_.insert(front_entries_.end(), entries[q].begin(), entries[q].end());
    fronts_[q].entry_end = static_cast<int>(front_entries_.size());
  }
  // Children of each front, in order.
  children_.resize(fronts_.size());
  std::vector<int> count(fronts_.size() + 1, 0);
  for (const Front& f : fronts_) {
    if (f.parent >= 0) ++count[f.parent + 1];
  }
  for (std::size_t q = 0; q < fronts_.size(); ++q) {
    count[q + 1] += count[q];
    fronts_[q].child_start = fronts_[q].child_end = count[q];
  }
  for (std::size_t q = 0; q < fronts_.size(); ++q) {
    if (fronts_[q].parent >= 0) children_[fronts_[fronts_[q].parent].child_end++] = static_cast<int>(q);
  }
  arena_.assign(place, 0.0);
  pivots_.assign(total_, 0);
  work_.assign(total_, 0.0);
  int widest = 0;
  for (const Front& f : fronts_) widest = std::max(widest, f.n - f.s);
  below_.assign(widest, 0.0);
}

void BlockLu::Clear() { std::fill(arena_.begin(), arena_.end(), 0.0); }

void BlockLu::ClearFront(const Front& f) {
  double* F = arena_.data() + f.place;
  std::fill(F, F + static_cast<std::size_t>(f.n) * FrontStride(f.n), 0.0);
}

bool BlockLu::Eliminate(const Front& f) {
  const FrontKernels& kernels = *kernels_;
  double* F = arena_.data() + f.place;
  const int stride = FrontStride(f.n);
  for (int q = f.child_start; q < f.child_end; ++q) {
    const Front& c = fronts_[children_[q]];
    const int child_stride = FrontStride(c.n);
    kernels.extend_add(arena_.data() + c.place + static_cast<std::size_t>(c.s) * child_stride + c.s, child_stride,
                       c.n - c.s, rows_.data() + c.rows_start, runs_.data() + c.run_start, c.num_runs, F, stride);
  }
  const double ratio = kernels.partial_lu(F, stride, f.s, f.n, pivots_.data() + f.first);
  pivot_ratio_ = std::min(pivot_ratio_, ratio);
  return ratio != 0;
}

bool BlockLu::Factorize() {
  pivot_ratio_ = 1;
  for (const Front& f : fronts_) {
    if (!Eliminate(f)) return false;
  }
  return true;
}

void BlockLu::Solve(double* x) {
  const FrontKernels& kernels = *kernels_;
  double* y = work_.data();
  for (int i = 0; i < total_; ++i) y[permuted_[i]] = x[i];
  for (const Front& f : fronts_) {
    const int r = f.n - f.s;
    std::fill(below_.begin(), below_.begin() + r, 0.0);
    kernels.forward(arena_.data() + f.place, FrontStride(f.n), f.s, f.n, pivots_.data() + f.first, y + f.first,
                    below_.data());
    const int* index = indices_.data() + f.index_start;
    for (int i = 0; i < r; ++i) y[index[i]] += below_[i];
  }
  for (auto f = fronts_.rbegin(); f != fronts_.rend(); ++f) {
    const int r = f->n - f->s;
    const int* index = indices_.data() + f->index_start;
    for (int i = 0; i < r; ++i) below_[i] = y[index[i]];
    kernels.backward(arena_.data() + f->place, FrontStride(f->n), f->s, f->n, below_.data(), y + f->first);
  }
  for (int i = 0; i < total_; ++i) x[i] = y[permuted_[i]];
}

}  // namespace tactus
