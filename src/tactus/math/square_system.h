// A square linear system whose pattern is fixed and whose values change: what every Newton step solves.
#pragma once

#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/SparseLU>

#include "tactus/core/types.h"
#include "tactus/math/sparse_cholesky.h"

namespace tactus {

/// Column-compressed pattern, rows ascending within a column. Structurally symmetric, with a full diagonal.
struct SquarePattern {
  int n = 0;
  std::vector<int> start{0};  ///< column -> first entry of `rows`
  std::vector<int> rows;
  bool operator==(const SquarePattern&) const = default;
};

/// H x = y. Dense when H is small or full, sparse otherwise; the caller writes values through slots and need not know.
/// The symbolic analysis of a sparse pattern is kept as long as the pattern stays the same; once there, factorizing by
/// Cholesky and solving allocate nothing.
class SquareSystem {
 public:
  /// Largest n that is always dense, and the fill from which larger systems are.
  static constexpr int kDenseSize = 150;
  static constexpr double kDenseFill = 0.4;

  /// A dense system; all entries exist.
  void SetDense(int n);
  /// Chooses the storage from the pattern. Values are undefined afterwards.
  void SetPattern(SquarePattern pattern);

  int size() const { return n_; }
  bool dense() const { return dense_; }
  /// Where entry (row, column) lives in values(); it must be in the pattern.
  int slot(int row, int column) const;
  double* values() { return dense_ ? dense_matrix_.data() : sparse_matrix_.valuePtr(); }
  int num_values() const { return dense_ ? n_ * n_ : static_cast<int>(pattern_.rows.size()); }

  /// H symmetric positive definite (the lower triangle is read). False if it is not, numerically.
  [[nodiscard]] bool FactorizeCholesky();
  /// Any H, with partial pivoting. False if a pivot vanishes.
  [[nodiscard]] bool FactorizeLu();
  /// x <- H^{-1} x by the last factorization.
  void SolveInPlace(VectorX* x) const;

  void Multiply(const VectorX& x, VectorX* y) const;
  void MultiplyTransposed(const VectorX& x, VectorX* y) const;

 private:
  using Sparse = Eigen::SparseMatrix<double>;
  enum class Factor { None, Cholesky, Lu };

  int n_ = 0;
  bool dense_ = true;
  Factor factor_ = Factor::None;
  MatrixX dense_matrix_;
  Eigen::LLT<MatrixX> dense_llt_;
  Eigen::PartialPivLU<MatrixX> dense_lu_;
  SquarePattern pattern_;
  Sparse sparse_matrix_;
  SparseCholesky sparse_cholesky_;
  Eigen::SparseLU<Sparse> sparse_lu_;
  bool cholesky_analyzed_ = false, lu_analyzed_ = false;
  mutable VectorX solution_, work_;
};

}  // namespace tactus
