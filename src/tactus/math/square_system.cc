#include "tactus/math/square_system.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tactus {

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
  const bool same = !dense_ && pattern == pattern_;
  n_ = pattern.n;
  dense_ = false;
  factor_ = Factor::None;
  if (same) return;
  pattern_ = std::move(pattern);
  cholesky_analyzed_ = lu_analyzed_ = false;
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
  if (!lu_analyzed_) sparse_lu_.analyzePattern(sparse_matrix_);
  lu_analyzed_ = true;
  sparse_lu_.factorize(sparse_matrix_);
  return sparse_lu_.info() == Eigen::Success;
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
