// Symmetric positive definite matrices of which only neighbouring blocks of 6 couple: rods, chains. Factorized and
// solved in time that grows with the number of blocks:
//
//     D_0 = A_00,   C_i = A_{i,i-1} D_{i-1}^{-1},   D_i = A_ii - C_i A_{i,i-1}^T,   A = (1 + C) D (1 + C)^T
//
// The inverses of D are kept, so that a solve is three products of 6 x 6 a block, and no division.
#pragma once

#include <vector>

#include "tactus/core/types.h"
#include "tactus/math/block_tridiagonal_kernels_api.h"

namespace tactus {

class BlockTridiagonal {
 public:
  static constexpr int kSize = 6;
  /// Numbers a block in vectors given to Solve.
  static constexpr int kStride = TridiagonalFactor::kColumn;

  /// True if entries couple neighbouring blocks only. The last block may be smaller than 6.
  static bool Fits(const SparseMatrix& A);

  /// Takes the values of a matrix that fits. What fills up the last block has a diagonal of one.
  void Assign(const SparseMatrix& A);
  /// Adds to the diagonal block i, before Factorize.
  void AddToBlock(int i, const Eigen::Ref<const Matrix6>& B) { diagonal_[i] += B; }
  int num_blocks() const { return static_cast<int>(diagonal_.size()); }
  int work_size() const { return kStride * num_blocks(); }

  /// False if the matrix is not positive definite, numerically.
  [[nodiscard]] bool Factorize();
  /// x <- A^{-1} x, with kStride numbers a block, the last two of each zero.
  void Solve(double* x) const { kernels_->solve(factor(), x); }
  /// The diagonal blocks of A^{-1}, once factorized: G_i = D_i^{-1} + C_{i+1}^T G_{i+1} C_{i+1}, from the last one.
  void CalcInverseBlocks(std::vector<Matrix6>* blocks) const;

 private:
  TridiagonalFactor factor() const {
    return {coupling_.data(), coupling_transposed_.data(), inverse_.data(), num_blocks()};
  }

  const TridiagonalKernels* kernels_ = &GetTridiagonalKernels();
  std::vector<Matrix6> diagonal_, below_;  // A_ii, A_{i,i-1}
  std::vector<double> coupling_, coupling_transposed_, inverse_;
};

}  // namespace tactus
