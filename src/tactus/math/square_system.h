// A square linear system whose pattern is fixed and whose values change: what every Newton step solves.
#pragma once

#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/SparseLU>

#include "tactus/core/types.h"
#include "tactus/math/block_lu.h"
#include "tactus/math/node_pattern.h"
#include "tactus/math/sparse_cholesky.h"

namespace tactus {

/// Column-compressed pattern, rows ascending within a column.
struct SquarePattern {
  int n = 0;
  std::vector<int> start{0};  ///< column -> first entry of `rows`
  std::vector<int> rows;
  bool operator==(const SquarePattern&) const = default;
};

/// H x = y. Dense when H is small or full, sparse otherwise; the caller writes values through slots and need not know.
/// The symbolic analysis of a sparse pattern is kept as long as the pattern stays the same; once there, factorizing and
/// solving allocate nothing, but for the LU of last resort.
class SquareSystem {
 public:
  /// Largest n that is always dense, and the fill from which larger systems are.
  static constexpr int kDenseSize = 150;
  static constexpr double kDenseFill = 0.4;
  /// Smallest pivot, relative to its column, that LU by blocks is trusted with. Newton systems with large penalties
  /// have ratios of mostly 1e-5 to 1e-2, and relative residuals below 2e-13 above this bound before refinement.
  static constexpr double kPivotRatio = 1e-6;

  /// A dense system; all entries exist.
  void SetDense(int n);
  /// Chooses the storage from the pattern. Entries are added where it lacks the diagonal or its mirror image: matrices
  /// of other programs are often symmetric in value only. All values are undefined afterwards, those of added entries
  /// too.
  void SetPattern(SquarePattern pattern);

  int size() const { return n_; }
  bool dense() const { return dense_; }
  /// Where entry (row, column) lives in values(); it must be in the pattern.
  int slot(int row, int column) const;
  /// The same, or -1 if it is not.
  int FindSlot(int row, int column) const;
  double* values() { return dense_ ? dense_matrix_.data() : sparse_matrix_.valuePtr(); }
  int num_values() const { return dense_ ? n_ * n_ : static_cast<int>(pattern_.rows.size()); }

  /// H symmetric positive definite (the lower triangle is read). False if it is not, numerically.
  [[nodiscard]] bool FactorizeCholesky();
  /// Any H. Sparse: BlockLu, which pivots within blocks, with one step of refinement; where kPivotRatio says that this
  /// is not enough, Eigen's LU with partial pivoting. False if a pivot vanishes.
  [[nodiscard]] bool FactorizeLu();
  /// How many sparse factorizations needed pivoting across blocks, since construction.
  int num_lu_fallbacks() const { return num_lu_fallbacks_; }
  /// x <- H^{-1} x by the last factorization.
  void SolveInPlace(VectorX* x) const;

  void Multiply(const VectorX& x, VectorX* y) const;
  void MultiplyTransposed(const VectorX& x, VectorX* y) const;

 private:
  bool FactorizeBlockLu();

  using Sparse = Eigen::SparseMatrix<double>;
  enum class Factor { None, Cholesky, BlockLu, Lu };

  int n_ = 0;
  bool dense_ = true;
  Factor factor_ = Factor::None;
  MatrixX dense_matrix_;
  Eigen::LLT<MatrixX> dense_llt_;
  Eigen::PartialPivLU<MatrixX> dense_lu_;
  SquarePattern given_pattern_, pattern_;  // as given, and with what symmetry needs
  Sparse sparse_matrix_;
  SparseCholesky sparse_cholesky_;
  NodePattern nodes_;         // of block_lu_
  mutable BlockLu block_lu_;  // Solve uses its memory
  Eigen::SparseLU<Sparse> sparse_lu_;
  bool cholesky_analyzed_ = false, block_lu_analyzed_ = false, lu_analyzed_ = false;
  int num_lu_fallbacks_ = 0;
  mutable VectorX solution_, work_, residual_;
};

}  // namespace tactus
