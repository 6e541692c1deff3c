#include "tactus/solvers/hybrid/compressed_delassus.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "tactus/core/simd.h"

namespace tactus {

namespace baseline {
extern const CoordinateKernels kCoordinateKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const CoordinateKernels kCoordinateKernels;
}
#endif

const CoordinateKernels& GetCoordinateKernels() {
#if TACTUS_HAVE_V3_KERNELS
  if (ActiveSimdLevel() == SimdLevel::V3) return v3::kCoordinateKernels;
#endif
  return baseline::kCoordinateKernels;
}

namespace {

constexpr int kLargestRank = 64;  // of a compressed group
// Both relative to the constraint's own diagonal: drives of light joints and contacts of whole robots differ by 1e5.
constexpr double kRankTolerance = 1e-11;   // of pivots
constexpr double kReconstruction = 1e-10;  // allowed error of C What C^T
constexpr double kLeastDiagonal = 1e-13;   // of the largest; what is less does not move

// Always the same numbers, between -0.5 and 0.5.
void FillRandom(double* x, int n) {
  unsigned state = 12345;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    x[i] = static_cast<double>(state >> 8) / (1 << 24) - 0.5;
  }
}

bool SamePattern(const DelassusMatrix& W, int i, int j) {
  const int count = W.row_end(i) - W.row_begin(i);
  if (W.row_end(j) - W.row_begin(j) != count) return false;
  for (int k = 0; k < count; ++k) {
    if (W.column(W.row_begin(i) + k) != W.column(W.row_begin(j) + k)) return false;
  }
  return true;
}

}  // namespace

// For each constraint the number of its pattern, in the order of first appearance, into pattern_; returns how many
// there are.
int CompressedDelassus::NumberPatterns(const DelassusMatrix& W, const std::vector<int>& constraints) {
  std::size_t slots = 16;
  while (slots < 2 * constraints.size()) slots *= 2;
  table_.assign(slots, -1);  // open addressing: pattern numbers
  representative_.clear();
  for (std::size_t n = 0; n < constraints.size(); ++n) {
    const int c = constraints[n];
    std::uint64_t hash = 1469598103934665603u;
    for (int k = W.row_begin(c); k < W.row_end(c); ++k) {
      hash = (hash ^ static_cast<std::uint64_t>(W.column(k))) * 1099511628211u;
    }
    std::size_t slot = (hash ^ (hash >> 32)) & (slots - 1);
    while (table_[slot] >= 0 && !SamePattern(W, representative_[table_[slot]], c)) slot = (slot + 1) & (slots - 1);
    if (table_[slot] < 0) {
      table_[slot] = static_cast<int>(representative_.size());
      representative_.push_back(c);
    }
    pattern_[n] = table_[slot];
  }
  return static_cast<int>(representative_.size());
}

// For each row of the constraints from `begin` to `end` one over the largest diagonal entry of its constraint.
void CompressedDelassus::FindWeights(int begin, int end) {
  weight_.clear();
  double largest = 0;
  for (int i = begin; i < end; ++i) {
    double most = 0;
    for (int a = 0; a < dim_[i]; ++a) {
      most = std::max(most, diagonal_[9 * static_cast<std::size_t>(i) + static_cast<std::size_t>(a * dim_[i] + a)]);
    }
    weight_.insert(weight_.end(), static_cast<std::size_t>(dim_[i]), most);
    largest = std::max(largest, most);
  }
  for (double& w : weight_) w = 1 / std::max({w, kLeastDiagonal * largest, 1e-300});
}

// Pivoted Cholesky of scratch_, positive semidefinite n x n (row major): A = L L^T with L n x rank in cholesky_, column
// k of it at k n; pivots, by weight_, in the order of elimination into order_.
void CompressedDelassus::PivotedCholesky(int n) {
  const std::vector<double>& A = scratch_;
  std::vector<double>&L = cholesky_, &remaining = remaining_;
  remaining.resize(n);
  for (int i = 0; i < n; ++i) remaining[i] = A[i * n + i];
  L.clear();
  order_.clear();
  // Ranks above the largest are of no use: contacts on a deformable, mostly, and there are many of them.
  for (int k = 0; k < std::min(n, kLargestRank + 1); ++k) {
    int best = 0;
    for (int i = 1; i < n; ++i) {
      if (remaining[i] * weight_[i] > remaining[best] * weight_[best]) best = i;
    }
    if (!(remaining[best] * weight_[best] > kRankTolerance)) break;
    const double inverse = 1 / std::sqrt(remaining[best]);
    L.resize(static_cast<std::size_t>(k + 1) * n);
    double* column = L.data() + static_cast<std::size_t>(k) * n;
    std::copy(A.begin() + best * n, A.begin() + (best + 1) * n, column);
    for (int m = 0; m < k; ++m) {
      const double* earlier = L.data() + static_cast<std::size_t>(m) * n;
      const double l = earlier[best];
      for (int i = 0; i < n; ++i) column[i] -= l * earlier[i];
    }
    for (int i = 0; i < n; ++i) {
      column[i] *= inverse;
      remaining[i] -= column[i] * column[i];
    }
    order_.push_back(best);
    for (const int used : order_) remaining[used] = -kInfinity;  // what rounding leaves there must not count
  }
}

void CompressedDelassus::FindGroups(const DelassusMatrix& W, const std::vector<int>& constraints, bool compress) {
  const int count = static_cast<int>(constraints.size());
  std::vector<int>&pattern = pattern_, &next = next_;
  pattern.resize(count);
  std::iota(pattern.begin(), pattern.end(), 0);
  const int num_groups = compress ? NumberPatterns(W, constraints) : count;
  // Same neighbours, same group; groups in the order of their first constraint.
  next.assign(num_groups + 1, 0);
  for (const int g : pattern) ++next[g + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  groups_.assign(num_groups, Group());
  for (int g = 0; g < num_groups; ++g) {
    groups_[g].begin = next[g];
    groups_[g].end = next[g + 1];
  }
  global_.resize(count);
  group_of_.resize(count);
  for (int n = 0; n < count; ++n) {
    const int place = next[pattern[n]]++;
    global_[place] = constraints[n];
    group_of_[place] = pattern[n];
  }
  dim_.resize(count);
  offset_.resize(count);
  diagonal_.resize(9 * static_cast<std::size_t>(count));
  size_ = 0;
  for (Group& g : groups_) {
    g.row = size_;
    for (int i = g.begin; i < g.end; ++i) {
      dim_[i] = W.dim(global_[i]);
      offset_[i] = size_;
      size_ += dim_[i];
      const double* block = W.diagonal_block(global_[i]);
      std::copy(block, block + dim_[i] * dim_[i], diagonal_.begin() + 9 * static_cast<std::ptrdiff_t>(i));
    }
    g.rows = size_ - g.row;
  }
}

void CompressedDelassus::CompressGroup(const DelassusMatrix& W, Group* g) {
  const int n = g->rows;
  const std::size_t first_pivot = pivots_.size();
  g->rank = n;
  for (int i = 0; i < n; ++i) pivots_.push_back(i);
  if (g->end - g->begin == 1) return;
  // W_gg. All rows of the group have the same pattern, so a member's column has the same place in each.
  std::vector<double>& Wgg = scratch_;
  Wgg.assign(static_cast<std::size_t>(n) * n, 0.0);
  const int first = global_[g->begin];
  for (int j = g->begin, place = 0; j < g->end; ++j) {
    const int row_length = W.row_end(first) - W.row_begin(first);
    while (place < row_length && W.column(W.row_begin(first) + place) != global_[j]) ++place;
    if (place == row_length) return;  // members that do not couple: nothing to compress
    for (int i = g->begin; i < g->end; ++i) {
      const double* block = W.block(W.row_begin(global_[i]) + place);
      double* to = Wgg.data() + static_cast<std::size_t>(offset_[i] - g->row) * n + (offset_[j] - g->row);
      for (int a = 0; a < dim_[i]; ++a) {
        for (int b = 0; b < dim_[j]; ++b) to[a * n + b] = block[a * dim_[j] + b];
      }
    }
  }
  std::vector<int>& order = order_;
  std::vector<double>& L = cholesky_;
  FindWeights(g->begin, g->end);
  PivotedCholesky(n);
  const int r = static_cast<int>(order.size());
  if (r == 0 || r == n || r > kLargestRank) return;
  // C = W_gP W_PP^{-1}, W_PP = L_P L_P^T with L_P the pivot rows of L, lower triangular; columns in the order of
  // elimination. From C = L L_P^{-1}, in place of L, by one step of refinement: pivots may be small.
  std::vector<double>&LP = LP_, &WPP = WPP_, &x = x_, &Wx = Wx_;
  LP.resize(static_cast<std::size_t>(r) * r);
  WPP.resize(LP.size());
  x.resize(n);
  Wx.assign(n, 0.0);
  for (int k = 0; k < r; ++k) {
    for (int m = 0; m < r; ++m) {
      LP[k * r + m] = L[static_cast<std::size_t>(m) * n + order[k]];
      WPP[k * r + m] = Wgg[static_cast<std::size_t>(order[k]) * n + order[m]];
    }
  }
  double inverse[kLargestRank];
  for (int k = 0; k < r; ++k) inverse[k] = 1 / LP[k * r + k];
  std::vector<double>& C = L;
  for (int k = r - 1; k >= 0; --k) {
    double* column = C.data() + static_cast<std::size_t>(k) * n;
    for (int i = 0; i < n; ++i) column[i] *= inverse[k];
    for (int m = 0; m < k; ++m) {
      double* earlier = C.data() + static_cast<std::size_t>(m) * n;
      for (int i = 0; i < n; ++i) earlier[i] -= LP[k * r + m] * column[i];
    }
  }
  for (int i = 0; i < n; ++i) {
    double z[kLargestRank];
    if (std::find(order.begin(), order.end(), i) != order.end()) continue;  // a unit row
    for (int k = 0; k < r; ++k) {
      double sum = Wgg[static_cast<std::size_t>(i) * n + order[k]];
      for (int m = 0; m < r; ++m) sum -= C[static_cast<std::size_t>(m) * n + i] * WPP[m * r + k];
      for (int m = 0; m < k; ++m) sum -= LP[k * r + m] * z[m];
      z[k] = sum * inverse[k];
    }
    for (int k = r - 1; k >= 0; --k) {
      for (int m = k + 1; m < r; ++m) z[k] -= LP[m * r + k] * z[m];
      z[k] *= inverse[k];
      C[static_cast<std::size_t>(k) * n + i] += z[k];
    }
  }
  for (int k = 0; k < r; ++k) {
    for (int m = 0; m < r; ++m) C[static_cast<std::size_t>(k) * n + order[m]] = m == k ? 1 : 0;
  }
  // A random vector tells whether W_gg x = C (W_gg x)_P.
  double error = 0;
  FillRandom(x.data(), n);
  for (int i = 0; i < n; ++i) x[i] *= std::sqrt(weight_[i]);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) Wx[i] += Wgg[i * n + j] * x[j];
  }
  for (int i = 0; i < n; ++i) {
    double sum = -Wx[i];
    for (int k = 0; k < r; ++k) sum += C[k * n + i] * Wx[order[k]];
    error = std::isfinite(sum) ? std::max(error, std::abs(sum) * std::sqrt(weight_[i])) : kInfinity;
  }
  if (!(error <= kReconstruction * std::sqrt(static_cast<double>(n)))) return;
  g->rank = r;
  g->basis = basis_.size();
  pivots_.resize(first_pivot);
  pivots_.insert(pivots_.end(), order.begin(), order.end());
  std::sort(pivots_.begin() + static_cast<std::ptrdiff_t>(first_pivot), pivots_.end());
  for (int i = 0; i < n; ++i) {
    for (std::size_t p = first_pivot; p < pivots_.size(); ++p) {
      const auto k = std::find(order.begin(), order.end(), pivots_[p]) - order.begin();
      basis_.push_back(C[static_cast<std::size_t>(k) * n + i]);
    }
  }
}

void CompressedDelassus::FillCoordinateMatrix(const DelassusMatrix& W) {
  // Constraint and component of each pivot row; those of a group are as many as its coordinates, and in their order.
  pivot_rows_.clear();
  for (const Group& g : groups_) {
    int i = g.begin;
    for (int k = g.coordinate; k < g.coordinate + g.rank; ++k) {
      while (i + 1 < g.end && offset_[i + 1] - g.row <= pivots_[k]) ++i;
      pivot_rows_.push_back({i, pivots_[k] - (offset_[i] - g.row)});
    }
  }
  entry_coordinate_.clear();
  entry_rank_.clear();
  entry_group_.clear();
  row_start_.assign(1, 0);
  columns_.clear();
  value_start_.clear();
  values_.clear();
  std::vector<int>&local = local_, &place = place_, &seen = seen_;
  local.assign(W.num_constraints(), -1);
  place.assign(global_.size(), -1);
  seen.assign(groups_.size(), -1);
  for (std::size_t i = 0; i < global_.size(); ++i) local[global_[i]] = static_cast<int>(i);
  for (int gi = 0; gi < static_cast<int>(groups_.size()); ++gi) {
    const int begin = static_cast<int>(columns_.size()), first = global_[groups_[gi].begin];
    seen[gi] = gi;
    columns_.push_back(gi);
    // The pattern is that of any row of the group; place[j] is where constraint j stands in it.
    for (int k = W.row_begin(first); k < W.row_end(first); ++k) {
      const int j = local[W.column(k)];
      if (j < 0) continue;
      place[j] = k - W.row_begin(first);
      if (seen[group_of_[j]] == gi) continue;
      seen[group_of_[j]] = gi;
      columns_.push_back(group_of_[j]);
    }
    std::sort(columns_.begin() + begin, columns_.end());
    for (int k = begin; k < static_cast<int>(columns_.size()); ++k) {
      const Group& h = groups_[columns_[k]];
      value_start_.push_back(values_.size());
      entry_coordinate_.push_back(h.coordinate);
      entry_rank_.push_back(h.rank);
      entry_group_.push_back(gi);
      for (int q = h.coordinate; q < h.coordinate + h.rank; ++q) {  // column major
        const auto [j, b] = pivot_rows_[q];
        for (int p = groups_[gi].coordinate; p < groups_[gi].coordinate + groups_[gi].rank; ++p) {
          const auto [i, a] = pivot_rows_[p];
          values_.push_back(place[j] >= 0 ? W.block(W.row_begin(global_[i]) + place[j])[a * dim_[j] + b] : 0.0);
        }
      }
    }
    for (int k = W.row_begin(first); k < W.row_end(first); ++k) {
      const int j = local[W.column(k)];
      if (j >= 0) place[j] = -1;
    }
    row_start_.push_back(static_cast<int>(columns_.size()));
  }
}

bool CompressedDelassus::ReconstructionHolds(const DelassusMatrix& W) {
  // A random vector tells: W r against C What C^T r, each row in the scale of its constraint.
  VectorX &r = residual_, &exact = correction_, &u = product_;
  r.resize(size_);
  exact.resize(size_);
  u.resize(size_);
  FillRandom(r.data(), size_);
  FindWeights(0, static_cast<int>(global_.size()));
  const Eigen::Map<const VectorX> weight(weight_.data(), size_);
  r.array() *= weight.array().sqrt();
  std::vector<double>& global = random_;
  global.assign(W.size(), 0.0);
  for (std::size_t i = 0; i < global_.size(); ++i) {
    for (int a = 0; a < dim_[i]; ++a) global[W.offset(global_[i]) + a] = r[offset_[i] + a];
  }
  for (std::size_t i = 0; i < global_.size(); ++i) {
    W.MultiplyRow(global_[i], global.data(), exact.data() + offset_[i]);
  }
  ToCoordinates(r, s_.data());
  MultiplyCoordinates(s_.data(), y_.data());
  FromCoordinates(y_.data(), &u);
  const double error = ((u - exact).array().abs() * weight.array().sqrt()).maxCoeff();
  return error <= kReconstruction * std::sqrt(static_cast<double>(size_));
}

// Bases of the groups; large ones that cannot be compressed are quicker in parts.
void CompressedDelassus::SplitGroups(const DelassusMatrix& W) {
  basis_.clear();
  pivots_.clear();
  split_.clear();
  rank_ = 0;
  for (Group& whole : groups_) {
    CompressGroup(W, &whole);
    const bool split = whole.identity() && whole.rank > kPaddedRank;
    if (split) pivots_.resize(pivots_.size() - static_cast<std::size_t>(whole.rank));
    for (int i = whole.begin; i < whole.end; i = split_.back().end) {
      Group g = whole;
      if (split) {
        g.begin = i;
        g.end = i + 1;
        g.row = offset_[i];
        g.rank = g.rows = dim_[i];
        for (int a = 0; a < dim_[i]; ++a) pivots_.push_back(a);
      }
      g.coordinate = rank_;
      rank_ += g.rank;
      for (int k = g.begin; k < g.end; ++k) group_of_[k] = static_cast<int>(split_.size());
      split_.push_back(g);
    }
  }
  groups_.swap(split_);
}

void CompressedDelassus::Build(const DelassusMatrix& W, const std::vector<int>& constraints, bool compress) {
  FindGroups(W, constraints, compress);
  SplitGroups(W);
  FillCoordinateMatrix(W);
  s_.assign(rank_, 0.0);
  y_.assign(rank_, 0.0);
  if (rank_ < size_ && !ReconstructionHolds(W)) {
    Build(W, constraints, false);
    return;
  }
  FillContactBases();
  std::vector<int>& sizes = sizes_;
  sizes.resize(groups_.size());
  K_start_.resize(groups_.size());
  std::size_t total = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    sizes[g] = groups_[g].rank;
    K_start_[g] = total;
    total += static_cast<std::size_t>(sizes[g]) * sizes[g];
  }
  K_.assign(total, 0.0);
  lu_.Analyze(sizes, row_start_, columns_);
}

void CompressedDelassus::FillContactBases() {
  contact_basis_.assign(global_.size(), ContactBasis());
  contact_groups_.clear();
  contacts_only_ = true;
  for (std::size_t gi = 0; gi < groups_.size(); ++gi) {
    Group& g = groups_[gi];
    g.contacts = g.rank <= kPaddedRank &&
                 std::all_of(dim_.begin() + g.begin, dim_.begin() + g.end, [](int dim) { return dim == 3; });
    if (!g.contacts) {
      contacts_only_ = false;
      continue;
    }
    const int* diagonal_entry =
        std::lower_bound(columns_.data() + row_start_[gi], columns_.data() + row_start_[gi + 1], static_cast<int>(gi));
    const double* What = values_.data() + value_start_[diagonal_entry - columns_.data()];
    for (int i = g.begin; i < g.end; ++i) {
      ContactBasis& b = contact_basis_[i];
      for (int a = 0; a < 3; ++a) {
        const int row = offset_[i] - g.row + a;
        if (g.identity()) {
          b.C[a][row] = 1;
        } else {
          const double* C = basis_.data() + g.basis + static_cast<std::size_t>(row) * g.rank;
          std::copy(C, C + g.rank, b.C[a]);
        }
        for (int k = 0; k < g.rank; ++k) {
          for (int c = 0; c < g.rank; ++c) b.WC[a][c] += What[k * g.rank + c] * b.C[a][k];
        }
      }
    }
    contact_groups_.push_back({g.begin, g.end, g.rank, g.coordinate, row_start_[gi], row_start_[gi + 1]});
  }
}

void CompressedDelassus::SweepContacts(const VectorX& q, int count, double relaxation, double tolerance,
                                       const SingleContact* local, VectorX* r) {
  ToCoordinates(*r, s_.data());
  for (int k = 0; k < count; ++k) {
    kernels_->sweep(contact_groups_.data(), static_cast<int>(contact_groups_.size()), k % 2 == 1, relaxation, tolerance,
                    coordinate_rows(), contact_basis_.data(), local, diagonal_.data(), q.data(), s_.data(), r->data());
  }
}

void CompressedDelassus::ToCoordinates(const VectorX& r, double* s) const {
  for (const Group& g : groups_) {
    double* out = s + g.coordinate;
    const double* x = r.data() + g.row;
    if (g.identity()) {
      std::copy(x, x + g.rows, out);
      continue;
    }
    if (g.contacts) {
      kernels_->to_coordinates(g.begin, g.end, g.rank, contact_basis_.data(), x, out);
      continue;
    }
    const double* C = basis_.data() + g.basis;
    std::fill(out, out + g.rank, 0.0);
    for (int a = 0; a < g.rows; ++a) {
      for (int c = 0; c < g.rank; ++c) out[c] += C[a * g.rank + c] * x[a];
    }
  }
}

void CompressedDelassus::FromCoordinates(const double* y, VectorX* u) const {
  for (const Group& g : groups_) {
    const double* in = y + g.coordinate;
    double* out = u->data() + g.row;
    if (g.identity()) {
      std::copy(in, in + g.rows, out);
      continue;
    }
    if (g.contacts) {
      kernels_->from_coordinates(g.begin, g.end, g.rank, contact_basis_.data(), in, out);
      continue;
    }
    const double* C = basis_.data() + g.basis;
    for (int a = 0; a < g.rows; ++a) {
      double sum = 0;
      for (int c = 0; c < g.rank; ++c) sum += C[a * g.rank + c] * in[c];
      out[a] = sum;
    }
  }
}

void CompressedDelassus::MultiplyCoordinateRow(int gi, const double* s, double* y) const {
  kernels_->multiply_row(groups_[gi].rank, coordinate_rows(), row_start_[gi], row_start_[gi + 1], s, y);
}

void CompressedDelassus::MultiplyCoordinates(const double* s, double* y) const {
  for (int g = 0; g < static_cast<int>(groups_.size()); ++g) MultiplyCoordinateRow(g, s, y + groups_[g].coordinate);
}

void CompressedDelassus::Multiply(const VectorX& r, VectorX* u) {
  u->resize(size_);
  ToCoordinates(r, s_.data());
  MultiplyCoordinates(s_.data(), y_.data());
  FromCoordinates(y_.data(), u);
}

bool CompressedDelassus::Factorize(const std::vector<double>& G) {
  // K_g = sum_i C_i^T G_i C_i.
  std::fill(K_.begin(), K_.end(), 0.0);
  for (std::size_t gi = 0; gi < groups_.size(); ++gi) {
    const Group& g = groups_[gi];
    double* K = K_.data() + K_start_[gi];
    const int r = g.rank;
    if (g.contacts && !g.identity()) {
      kernels_->gram(g.begin, g.end, r, contact_basis_.data(), G.data(), K);
      continue;
    }
    for (int i = g.begin; i < g.end; ++i) {
      const int d = dim_[i], local = offset_[i] - g.row;
      const double* Gi = G.data() + 9 * static_cast<std::size_t>(i);
      if (g.identity()) {
        for (int a = 0; a < d; ++a) {
          for (int b = 0; b < d; ++b) K[(local + a) * r + local + b] = Gi[a * d + b];
        }
        continue;
      }
      const double* C = basis_.data() + g.basis + static_cast<std::size_t>(local) * r;
      for (int a = 0; a < d; ++a) {
        double row[kLargestRank] = {};
        bool any = false;
        for (int b = 0; b < d; ++b) {
          const double value = Gi[a * d + b];
          if (value == 0) continue;
          any = true;
          for (int c = 0; c < r; ++c) row[c] += value * C[b * r + c];
        }
        if (!any) continue;
        for (int k = 0; k < r; ++k) {
          const double c = C[a * r + k];
          if (c == 0) continue;
          for (int j = 0; j < r; ++j) K[k * r + j] += c * row[j];
        }
      }
    }
  }
  // S = I + What K, block by block into the fronts.
  return lu_.FactorizeEntries([&](int k) {
    const int gi = entry_group_[k], h = columns_[k], rows = groups_[gi].rank;
    double* S = lu_.entry(k);
    const int stride = lu_.entry_stride(k);
    kernels_->add_product(rows, groups_[h].rank, values_.data() + value_start_[k], K_.data() + K_start_[h], S, stride);
    if (h == gi) {
      for (int a = 0; a < rows; ++a) S[a * stride + a] += 1;
    }
  });
}

void CompressedDelassus::SolveOnce(const std::vector<double>& G, const VectorX& g, VectorX* d) {
  ToCoordinates(g, s_.data());
  MultiplyCoordinates(s_.data(), y_.data());
  lu_.Solve(y_.data());
  product_.resize(size_);
  FromCoordinates(y_.data(), &product_);
  d->resize(size_);
  for (std::size_t i = 0; i < global_.size(); ++i) {
    const int o = offset_[i], n = dim_[i];
    const double* Gi = G.data() + 9 * i;
    for (int a = 0; a < n; ++a) {
      double sum = g[o + a];
      for (int b = 0; b < n; ++b) sum -= Gi[a * n + b] * product_[o + b];
      (*d)[o + a] = sum;
    }
  }
}

bool CompressedDelassus::SolveNewton(const std::vector<double>& G, const VectorX& g, VectorX* d, VectorX* z) {
  if (!Factorize(G)) return false;
  SolveOnce(G, g, d);
  const double scale = g.norm();
  // Pivots stay within their blocks: where that was far from enough, refine more, and refuse what does not solve.
  const int refinements = lu_.pivot_ratio() < 1e-6 ? 3 : 1;
  for (int refinement = 0;; ++refinement) {
    Multiply(*d, z);
    residual_.resize(size_);
    for (std::size_t i = 0; i < global_.size(); ++i) {
      const int o = offset_[i], n = dim_[i];
      const double* Gi = G.data() + 9 * i;
      for (int a = 0; a < n; ++a) {
        double sum = g[o + a] - (*d)[o + a];
        for (int b = 0; b < n; ++b) sum -= Gi[a * n + b] * (*z)[o + b];
        residual_[o + a] = sum;
      }
    }
    const double error = residual_.norm();
    if (!(error > 1e-9 * scale)) break;
    if (refinement == refinements) {
      if (error > 1e-2 * scale) return false;
      break;
    }
    SolveOnce(G, residual_, &correction_);
    *d += correction_;
  }
  return d->allFinite();
}

}  // namespace tactus
