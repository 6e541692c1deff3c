#include "tactus/math/square_system.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

namespace tactus {

namespace {

// The pattern, its mirror image and the diagonal.
SquarePattern MakeSymmetric(const SquarePattern& pattern) {
  const int n = pattern.n;
  std::vector<int> count(static_cast<std::size_t>(n) + 1, 0);
  for (const int r : pattern.rows) ++count[r + 1];
  for (int r = 0; r < n; ++r) count[r + 1] += count[r];
  // Columns of the mirror image; they come out ascending.
  std::vector<int> mirror(pattern.rows.size()), next(count.begin(), count.end() - 1);
  for (int c = 0; c < n; ++c) {
    for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k) mirror[next[pattern.rows[k]]++] = c;
  }
  SquarePattern out;
  out.n = n;
  std::vector<int> column;
  for (int c = 0; c < n; ++c) {
    column.clear();
    std::set_union(pattern.rows.begin() + pattern.start[c], pattern.rows.begin() + pattern.start[c + 1],
                   mirror.begin() + count[c], mirror.begin() + count[c + 1], std::back_inserter(column));
    const auto diagonal = std::lower_bound(column.begin(), column.end(), c);
    if (diagonal == column.end() || *diagonal != c) column.insert(diagonal, c);
    out.rows.insert(out.rows.end(), column.begin(), column.end());
    out.start.push_back(static_cast<int>(out.rows.size()));
  }
  return out;
}

}  // namespace

void SquareSystem::SetDense(int n) {
  n_ = n;
  dense_ = true;
  factor_ = Factor::None;
  dense_matrix_.resize(n, n);
}

void SquareSystem::SetPattern(SquarePattern pattern) {
  const double full = static_cast<double>(pattern.n) * pattern.n;
  if (pattern.n <= kDenseSize || static_cast<double>(pattern.rows.size()) > kDenseFill * full) {
    SetDense(pattern.n);
    return;
  }
  const bool same = !dense_ && pattern == given_pattern_;
  n_ = pattern.n;
  dense_ = false;
  factor_ = Factor::None;
  if (same) return;
  pattern_ = MakeSymmetric(pattern);
  given_pattern_ = std::move(pattern);
  cholesky_analyzed_ = block_lu_analyzed_ = lu_analyzed_ = false;
  sparse_matrix_.resize(n_, n_);
  sparse_matrix_.resizeNonZeros(static_cast<Eigen::Index>(pattern_.rows.size()));
  std::copy(pattern_.start.begin(), pattern_.start.end(), sparse_matrix_.outerIndexPtr());
  std::copy(pattern_.rows.begin(), pattern_.rows.end(), sparse_matrix_.innerIndexPtr());
}

int SquareSystem::slot(int row, int column) const {
  if (dense_) return column * n_ + row;
  const auto begin = pattern_.rows.begin() + pattern_.start[column],
             end = pattern_.rows.begin() + pattern_.start[column + 1];
  return static_cast<int>(std::lower_bound(begin, end, row) - pattern_.rows.begin());
}

int SquareSystem::FindSlot(int row, int column) const {
  if (dense_) return column * n_ + row;
  const int k = slot(row, column);
  return k < pattern_.start[column + 1] && pattern_.rows[k] == row ? k : -1;
}

bool SquareSystem::FactorizeCholesky() {
  factor_ = Factor::Cholesky;
  if (dense_) {
    dense_llt_.compute(dense_matrix_);
    return dense_llt_.info() == Eigen::Success && dense_llt_.matrixLLT().diagonal().allFinite();
  }
  if (!cholesky_analyzed_) {
    sparse_cholesky_.Analyze(pattern_.start, pattern_.rows);
    work_.resize(sparse_cholesky_.work_size());
  }
  cholesky_analyzed_ = true;
  return sparse_cholesky_.Factorize(sparse_matrix_.valuePtr());
}

bool SquareSystem::FactorizeLu() {
  factor_ = Factor::Lu;
  if (dense_) {
    dense_lu_.compute(dense_matrix_);
    const auto pivots = dense_lu_.matrixLU().diagonal();
    return pivots.allFinite() && (n_ == 0 || pivots.cwiseAbs().minCoeff() > 0);
  }
  if (FactorizeBlockLu()) {
    factor_ = Factor::BlockLu;
    return true;
  }
  ++num_lu_fallbacks_;
  if (!lu_analyzed_) sparse_lu_.analyzePattern(sparse_matrix_);
  lu_analyzed_ = true;
  sparse_lu_.factorize(sparse_matrix_);
  return sparse_lu_.info() == Eigen::Success;
}

// False where pivots across blocks are needed.
bool SquareSystem::FactorizeBlockLu() {
  if (!block_lu_analyzed_) {
    nodes_ = MakeNodePattern(pattern_.start, pattern_.rows);
    block_lu_.Analyze(nodes_.sizes, nodes_.row_start, nodes_.columns);
  }
  block_lu_analyzed_ = true;
  const double* values = sparse_matrix_.valuePtr();
  const bool factorized = block_lu_.FactorizeEntries([&](int k) {
    // Entry (i, j) is in the columns of node j.
    const int i = nodes_.node[k], j = nodes_.columns[k], stride = block_lu_.entry_stride(k);
    double* to = block_lu_.entry(k);
    for (int b = 0; b < nodes_.sizes[j]; ++b) {
      const double* from = values + pattern_.start[nodes_.first[j] + b] + nodes_.within[nodes_.mirror[k]];
      for (int a = 0; a < nodes_.sizes[i]; ++a) to[a * stride + b] = from[a];
    }
  });
  return factorized && block_lu_.pivot_ratio() >= kPivotRatio;
}

void SquareSystem::SolveInPlace(VectorX* x) const {
  if (factor_ == Factor::Cholesky) {
    if (dense_) {
      dense_llt_.solveInPlace(*x);
    } else {
      sparse_cholesky_.Solve(x->data(), work_.data());
    }
    return;
  }
  if (factor_ == Factor::BlockLu) {
    residual_ = *x;
    block_lu_.Solve(x->data());
    residual_.noalias() -= sparse_matrix_ * *x;
    block_lu_.Solve(residual_.data());
    *x += residual_;
    return;
  }
  if (dense_) {
    solution_ = dense_lu_.solve(*x);
  } else {
    solution_ = sparse_lu_.solve(*x);
  }
  x->swap(solution_);
}

void SquareSystem::Multiply(const VectorX& x, VectorX* y) const {
  if (dense_) {
    y->noalias() = dense_matrix_ * x;
  } else {
    *y = sparse_matrix_ * x;
  }
}

void SquareSystem::MultiplyTransposed(const VectorX& x, VectorX* y) const {
  if (dense_) {
    y->noalias() = dense_matrix_.transpose() * x;
  } else {
    *y = sparse_matrix_.transpose() * x;
  }
}

}  // namespace tactus
