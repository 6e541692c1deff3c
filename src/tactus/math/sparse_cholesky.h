// Cholesky factorization of a symmetric positive definite matrix given by scalars: BlockCholesky on the dense blocks
// found in its pattern.
#pragma once

#include <span>
#include <vector>

#include "tactus/math/block_cholesky.h"
#include "tactus/math/node_pattern.h"

namespace tactus {

class SparseCholesky {
 public:
  /// Compressed by columns (or rows, which is the same), ascending, structurally symmetric, with a full diagonal.
  void Analyze(std::span<const int> start, std::span<const int> rows);
  const BlockCholesky& blocks() const { return cholesky_; }

  /// Values in the order of the pattern; those on and below the diagonal are read. False if the matrix is not positive
  /// definite, numerically. Allocates nothing.
  [[nodiscard]] bool Factorize(const double* values);
  /// x <- A^{-1} x, with work_size() numbers of memory. Threads may share a factor.
  void Solve(double* x, double* work) const { cholesky_.Solve(x, work); }
  Eigen::Index work_size() const { return cholesky_.work_size(); }
  /// Several right-hand sides: see BlockCholesky.
  void SolveColumns(double* x, Eigen::Index columns, Eigen::Index stride, double* work) const {
    cholesky_.SolveColumns(x, columns, stride, work);
  }
  void CalcSquares(const double* x, Eigen::Index columns, Eigen::Index stride, double* squares, double* work) const {
    cholesky_.CalcSquares(x, columns, stride, squares, work);
  }
  Eigen::Index columns_work_size() const { return cholesky_.columns_work_size(); }

 private:
  void CopyBlock(int k, const double* values);

  NodePattern nodes_;
  std::vector<int> start_;
  BlockCholesky cholesky_;
};

}  // namespace tactus
