#include "tactus/solvers/hybrid/compressed_delassus.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <Eigen/Cholesky>

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

constexpr int kLargestRank = 64;           // of a compressed group
constexpr double kRankTolerance = 1e-11;   // pivot relative to the largest diagonal entry of the group
constexpr double kReconstruction = 1e-10;  // allowed error of C What C^T relative to the diagonal

// Entry (row, column) of W between two constraints; null where they do not couple.
const double* FindBlock(const DelassusMatrix& W, int i, int j) {
  int lo = W.row_begin(i), hi = W.row_end(i);
  while (lo < hi) {
    const int mid = (lo + hi) / 2;
    if (W.column(mid) < j) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  return lo < W.row_end(i) && W.column(lo) == j ? W.block(lo) : nullptr;
}

// Rank r and pivots of a positive semidefinite matrix by pivoted Cholesky.
std::vector<int> PivotRows(MatrixX A) {
  const int n = static_cast<int>(A.rows());
  const double scale = A.diagonal().maxCoeff();
  std::vector<int> pivots;
  std::vector<bool> used(n, false);
  for (int k = 0; k < n; ++k) {
    int best = -1;
    for (int i = 0; i < n; ++i) {
      if (!used[i] && (best < 0 || A(i, i) > A(best, best))) best = i;
    }
    if (!(A(best, best) > kRankTolerance * scale)) break;
    used[best] = true;
    pivots.push_back(best);
    const VectorX column = A.col(best) / std::sqrt(A(best, best));
    A.noalias() -= column * column.transpose();
  }
  std::sort(pivots.begin(), pivots.end());
  return pivots;
}

}  // namespace

void CompressedDelassus::FindGroups(const DelassusMatrix& W, const std::vector<int>& constraints, bool compress) {
  global_.clear();
  groups_.clear();
  std::vector<std::vector<int>> members;
  if (compress) {
    // Same neighbours, same group; groups in the order of their first constraint.
    std::map<std::vector<int>, int> group_of_pattern;
    std::vector<int> pattern;
    for (const int c : constraints) {
      pattern.clear();
      for (int k = W.row_begin(c); k < W.row_end(c); ++k) pattern.push_back(W.column(k));
      const auto [it, added] = group_of_pattern.try_emplace(pattern, static_cast<int>(members.size()));
      if (added) members.emplace_back();
      members[it->second].push_back(c);
    }
  } else {
    for (const int c : constraints) members.push_back({c});
  }
  dim_.clear();
  offset_.clear();
  group_of_.clear();
  size_ = 0;
  for (const std::vector<int>& list : members) {
    Group g;
    g.begin = static_cast<int>(global_.size());
    g.row = size_;
    for (const int c : list) {
      global_.push_back(c);
      dim_.push_back(W.dim(c));
      offset_.push_back(size_);
      group_of_.push_back(static_cast<int>(groups_.size()));
      size_ += W.dim(c);
    }
    g.end = static_cast<int>(global_.size());
    g.rows = size_ - g.row;
    groups_.push_back(g);
  }
  diagonal_.resize(9 * global_.size());
  for (std::size_t i = 0; i < global_.size(); ++i) {
    const double* block = W.diagonal_block(global_[i]);
    std::copy(block, block + dim_[i] * dim_[i], diagonal_.begin() + static_cast<std::ptrdiff_t>(9 * i));
  }
}

void CompressedDelassus::CompressGroup(const DelassusMatrix& W, Group* g, std::vector<int>* pivots) {
  g->rank = g->rows;
  pivots->resize(g->rows);
  for (int k = 0; k < g->rows; ++k) (*pivots)[k] = k;
  if (g->end - g->begin == 1) return;
  MatrixX Wgg = MatrixX::Zero(g->rows, g->rows);
  for (int i = g->begin; i < g->end; ++i) {
    for (int j = g->begin; j < g->end; ++j) {
      const double* block = FindBlock(W, global_[i], global_[j]);
      if (!block) continue;
      for (int a = 0; a < dim_[i]; ++a) {
        for (int b = 0; b < dim_[j]; ++b)
          Wgg(offset_[i] - g->row + a, offset_[j] - g->row + b) = block[a * dim_[j] + b];
      }
    }
  }
  const std::vector<int> chosen = PivotRows(Wgg);
  const int r = static_cast<int>(chosen.size());
  if (r == 0 || r == g->rows || r > kLargestRank) return;
  MatrixX WPP(r, r), WgP(g->rows, r);
  for (int c = 0; c < r; ++c) {
    WgP.col(c) = Wgg.col(chosen[c]);
    for (int k = 0; k < r; ++k) WPP(k, c) = Wgg(chosen[k], chosen[c]);
  }
  MatrixX C = WPP.ldlt().solve(WgP.transpose()).transpose();
  for (int c = 0; c < r; ++c) {
    C.row(chosen[c]).setZero();
    C(chosen[c], c) = 1;
  }
  if (!C.allFinite() || (C * WgP.transpose() - Wgg).cwiseAbs().maxCoeff() > kReconstruction * Wgg.diagonal().maxCoeff())
    return;
  g->rank = r;
  *pivots = chosen;
  g->basis = basis_.size();
  const RowMatrixX rows = C;
  basis_.insert(basis_.end(), rows.data(), rows.data() + rows.size());
}

void CompressedDelassus::FillCoordinateMatrix(const DelassusMatrix& W, const std::vector<std::vector<int>>& pivots) {
  // Constraint and component of each pivot row.
  std::vector<std::vector<std::pair<int, int>>> rows(groups_.size());
  for (std::size_t gi = 0; gi < groups_.size(); ++gi) {
    int i = groups_[gi].begin;
    for (const int pivot : pivots[gi]) {
      while (i + 1 < groups_[gi].end && offset_[i + 1] - groups_[gi].row <= pivot) ++i;
      rows[gi].emplace_back(i, pivot - (offset_[i] - groups_[gi].row));
    }
  }
  entry_coordinate_.clear();
  entry_rank_.clear();
  row_start_.assign(1, 0);
  columns_.clear();
  value_start_.clear();
  values_.clear();
  std::vector<int> local(W.num_constraints(), -1), seen(groups_.size(), -1);
  for (std::size_t i = 0; i < global_.size(); ++i) local[global_[i]] = static_cast<int>(i);
  for (int gi = 0; gi < static_cast<int>(groups_.size()); ++gi) {
    const Group& g = groups_[gi];
    const int begin = static_cast<int>(columns_.size());
    seen[gi] = gi;
    columns_.push_back(gi);
    for (int i = g.begin; i < g.end; ++i) {
      for (int k = W.row_begin(global_[i]); k < W.row_end(global_[i]); ++k) {
        const int j = local[W.column(k)];
        if (j < 0 || seen[group_of_[j]] == gi) continue;
        seen[group_of_[j]] = gi;
        columns_.push_back(group_of_[j]);
      }
    }
    std::sort(columns_.begin() + begin, columns_.end());
    for (int k = begin; k < static_cast<int>(columns_.size()); ++k) {
      const Group& h = groups_[columns_[k]];
      value_start_.push_back(values_.size());
      entry_coordinate_.push_back(h.coordinate);
      entry_rank_.push_back(h.rank);
      for (const auto& [j, b] : rows[columns_[k]]) {  // column major
        int cached = -1;
        const double* block = nullptr;
        for (const auto& [i, a] : rows[gi]) {
          if (i != cached) {
            block = FindBlock(W, global_[i], global_[j]);
            cached = i;
          }
          values_.push_back(block ? block[a * dim_[j] + b] : 0.0);
        }
      }
    }
    row_start_.push_back(static_cast<int>(columns_.size()));
  }
}

bool CompressedDelassus::ReconstructionHolds(const DelassusMatrix& W) const {
  // A random vector tells: W r against C What C^T r, in the scale of |W||r|.
  VectorX r(size_), exact(size_);
  unsigned state = 12345;
  for (int i = 0; i < size_; ++i) {
    state = state * 1664525u + 1013904223u;
    r[i] = static_cast<double>(state >> 8) / (1 << 24) - 0.5;
  }
  std::vector<double> global(W.size(), 0.0);
  for (std::size_t i = 0; i < global_.size(); ++i) {
    for (int a = 0; a < dim_[i]; ++a) global[W.offset(global_[i]) + a] = r[offset_[i] + a];
  }
  double largest = 0;
  for (std::size_t i = 0; i < global_.size(); ++i) {
    W.MultiplyRow(global_[i], global.data(), exact.data() + offset_[i]);
    for (int a = 0; a < dim_[i]; ++a) largest = std::max(largest, diagonal_[9 * i + a * dim_[i] + a]);
  }
  std::vector<double> s(rank_), y(rank_);
  VectorX u(size_);
  ToCoordinates(r, s.data());
  MultiplyCoordinates(s.data(), y.data());
  FromCoordinates(y.data(), &u);
  return (u - exact).cwiseAbs().maxCoeff() <= kReconstruction * largest * std::sqrt(static_cast<double>(size_));
}

void CompressedDelassus::Build(const DelassusMatrix& W, const std::vector<int>& constraints, bool compress) {
  FindGroups(W, constraints, compress);
  basis_.clear();
  std::vector<std::vector<int>> pivots(groups_.size());
  rank_ = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    CompressGroup(W, &groups_[g], &pivots[g]);
    groups_[g].coordinate = rank_;
    rank_ += groups_[g].rank;
  }
  FillCoordinateMatrix(W, pivots);
  s_.assign(rank_, 0.0);
  y_.assign(rank_, 0.0);
  if (rank_ < size_ && !ReconstructionHolds(W)) {
    Build(W, constraints, false);
    return;
  }
  std::vector<int> sizes(groups_.size());
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

void CompressedDelassus::ToCoordinates(const VectorX& r, double* s) const {
  for (const Group& g : groups_) {
    double* out = s + g.coordinate;
    const double* x = r.data() + g.row;
    if (g.identity()) {
      std::copy(x, x + g.rows, out);
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
    const double* C = basis_.data() + g.basis;
    for (int a = 0; a < g.rows; ++a) {
      double sum = 0;
      for (int c = 0; c < g.rank; ++c) sum += C[a * g.rank + c] * in[c];
      out[a] = sum;
    }
  }
}

void CompressedDelassus::MultiplyCoordinateRow(int gi, const double* s, double* y) const {
  const int begin = row_start_[gi];
  kernels_->multiply_row(groups_[gi].rank, row_start_[gi + 1] - begin, values_.data(), value_start_.data() + begin,
                         entry_coordinate_.data() + begin, entry_rank_.data() + begin, s, y);
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
  lu_.Clear();
  for (std::size_t gi = 0; gi < groups_.size(); ++gi) {
    const int rows = groups_[gi].rank;
    for (int k = row_start_[gi]; k < row_start_[gi + 1]; ++k) {
      const int h = columns_[k], cols = groups_[h].rank;
      const double* B = values_.data() + value_start_[k];
      const double* K = K_.data() + K_start_[h];
      double* S = lu_.entry(k);
      const int stride = lu_.entry_stride(k);
      kernels_->add_product(rows, cols, B, K, S, stride);
      if (h == static_cast<int>(gi)) {
        for (int a = 0; a < rows; ++a) S[a * stride + a] += 1;
      }
    }
  }
  return lu_.Factorize();
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
