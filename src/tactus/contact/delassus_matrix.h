// W = J A^{-1} J^T as a block-sparse matrix: blocks of dim_i x dim_k (3 or 1), one per pair of coupled constraints.
#pragma once

#include <vector>

#include "tactus/contact/contact_problem.h"

namespace tactus {

/// Block-CSR storage; all blocks are row major; columns ascend within a block row and the diagonal block is always
/// there.
class DelassusMatrix {
 public:
  DelassusMatrix() = default;
  /// Assembles from A and J, or re-blocks the W of a Delassus pair.
  explicit DelassusMatrix(const ContactProblem& problem) { Assign(problem); }
  /// The same in place: memory is reused.
  void Assign(const ContactProblem& problem);
  /// Numbers that W of a problem with A and J would hold, at most: known before any is computed. Keeps what is
  /// assigned.
  double CountEntries(const ContactProblem& problem);

  int num_constraints() const { return static_cast<int>(offset_.size()) - 1; }
  int size() const { return offset_.empty() ? 0 : offset_.back(); }
  int dim(int i) const { return offset_[i + 1] - offset_[i]; }
  int offset(int i) const { return offset_[i]; }

  int row_begin(int i) const { return row_start_[i]; }
  int row_end(int i) const { return row_start_[i + 1]; }
  /// Constraint of entry k in [row_begin, row_end).
  int column(int k) const { return columns_[k]; }
  /// dim(i) x dim(column(k)), row major.
  const double* block(int k) const { return values_.data() + value_start_[k]; }
  const double* diagonal_block(int i) const { return block(diagonal_[i]); }
  /// dim_i / trace(W_ii), the local effective mass rho_i; 1/(mean of the rest) where the trace vanishes.
  const std::vector<double>& rho() const { return rho_; }

  /// u = W r.
  void Multiply(const ConstVectorRef& r, VectorX* u) const;
  /// Block row i of W r, into u[0..dim).
  void MultiplyRow(int i, const double* r, double* u) const;

 private:
  void SolveSparsePieces(const ContactProblem& problem);
  void AssignFromW(const ContactProblem& problem);
  void FinishBlocks();

  // X_i = A^{-1} J_i^T of a constraint i in one subsystem that it touches: columns [first, first + count) of its list.
  struct Piece {
    int subsystem = 0, first = 0, count = 0;
    std::size_t X = 0;  // in solved_: rows of the subsystem times dim_i, column major
  };

  std::vector<int> offset_;
  std::vector<int> row_start_, columns_, diagonal_;
  std::vector<std::size_t> value_start_;
  std::vector<double> values_, rho_;
  // Memory of Assign.
  std::vector<Piece> pieces_;
  std::vector<int> piece_start_, touching_start_, touching_, slot_, constraint_of_;
  std::vector<double> solved_, rows_of_subsystem_;
};

/// Memory of CalcEffectiveMass.
struct EffectiveMassWorkspace {
  Matrix6X columns;  ///< of links
  MatrixX solved;
  std::vector<double> row;
  std::vector<Matrix6> compliance;  ///< of bodies: J_b A^{-1} J_b^T, for a wrench at the reference
  std::vector<char> known;          ///< which of them
  /// Rows of J that wait for a solve with their Sparse subsystem: several at a time take less time.
  struct Waiting {
    int constraint = 0, begin = 0, end = 0;  ///< columns of the constraint
    int row = 0;                             ///< of its rows
  };
  MatrixX batch;                              ///< all dofs, a column a row of J
  std::vector<std::vector<Waiting>> waiting;  ///< by subsystem
  std::vector<double> trace;                  ///< of constraints
};

/// rho_i = dim_i / trace(J_i A^{-1} J_i^T) for every constraint, without assembling W. `diagonal_only` uses A's
/// diagonal in place of A (two-field residual: no factorization).
std::vector<double> CalcEffectiveMass(const ContactProblem& problem, bool diagonal_only = false);
/// With `diagonal_only`, into given memory.
void CalcDiagonalEffectiveMass(const ContactProblem& problem, std::vector<double>* rho, VectorX* diagonal);
/// Without, into given memory.
void CalcEffectiveMass(const ContactProblem& problem, std::vector<double>* rho, EffectiveMassWorkspace* workspace);

}  // namespace tactus
