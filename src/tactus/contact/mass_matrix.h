// The block-diagonal matrix A of A v = b + J^T lambda: one symmetric positive definite block per subsystem.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "tactus/contact/tree_mechanism.h"
#include "tactus/core/types.h"
#include "tactus/math/sparse_cholesky.h"

namespace tactus {

/// How a subsystem stores its block A_j.
enum class SubsystemKind {
  Free,    ///< one free rigid body, dense 6x6
  Dense,   ///< any small dense block
  Tree,    ///< branch-sparse: A(i, k) != 0 only if one of i, k is an ancestor of the other
  Sparse,  ///< general sparse (deformables)
};

/// Where a subsystem lives in the vector of generalized velocities.
struct Subsystem {
  SubsystemKind kind = SubsystemKind::Dense;
  int dof = 0;      ///< first dof
  int size = 0;     ///< number of dofs
  int storage = 0;  ///< Sparse: index of its matrix; other kinds: offset of its column-major values
};

/// The block of a Sparse subsystem. Large ones are expensive to factorize and some solvers never ask for that, so the
/// factor is made when it is first wanted. Threads may ask at the same time; copies of a problem share it.
class SparseBlock {
 public:
  /// `inertia` as in MassMatrix::AddSparse.
  SparseBlock(const SparseMatrix& A, const VectorX& inertia) { Assign(A, inertia); }

  /// Another matrix. One of the same pattern allocates nothing, and is factorized without another analysis.
  void Assign(const SparseMatrix& A, const VectorX& inertia);

  const SparseMatrix& matrix() const { return matrix_; }
  const VectorX& diagonal() const { return diagonal_; }
  const VectorX& inertia() const { return inertia_; }
  /// max |A - A^T| / max |A|.
  double CalcAsymmetry() const;
  /// Null if the matrix is not positive definite, numerically.
  const SparseCholesky* factor() const;
  /// X <- A^{-1} X; false if it is not positive definite.
  [[nodiscard]] bool Solve(Eigen::Ref<MatrixX> X) const;
  /// squares[c] = x_c^T A^{-1} x_c; false if it is not positive definite.
  [[nodiscard]] bool CalcSquares(const Eigen::Ref<const MatrixX>& X, double* squares) const;

 private:
  enum class Factor { Unknown, Good, Bad };
  void AnalyzePattern();
  bool Factorize() const;
  VectorX TakeWork(Eigen::Index size) const;
  void ReturnWork(VectorX work) const;

  SparseMatrix matrix_;
  VectorX inertia_, diagonal_;
  std::vector<int> mirror_;          // entry (j, i) of entry (i, j); -1: not there
  std::vector<int> diagonal_place_;  // of entry (i, i); -1: not there
  bool symmetric_ = false;           // the pattern is
  mutable std::mutex mutex_;
  mutable std::atomic<Factor> state_ = Factor::Unknown;
  mutable bool analyzed_ = false;
  mutable SparseCholesky cholesky_;
  mutable std::vector<VectorX> work_;  // of solves, for as many threads as were in them at a time
  mutable std::vector<double> lower_;  // values of A^T: what is below the diagonal by columns
};

/// A = diag(A_1, ..., A_s). Immutable once the problem is built, apart from its factor.
class MassMatrix {
 public:
  /// Appends a dense symmetric block (Free when 6x6 and `free_body`); returns the subsystem's index.
  int AddDense(const Eigen::Ref<const MatrixX>& A, bool free_body = false);
  /// Appends a branch-sparse block; parent[i] < i is the parent dof of dof i, -1 at a root.
  int AddTree(const Eigen::Ref<const MatrixX>& A, const std::vector<int>& parent,
              const TreeMechanism* mechanism = nullptr);
  /// `inertia` is the diagonal of the lumped mass matrix M/(1 - theta) within A, or empty: residuals of the dynamics
  /// are measured by it. Where elastic stiffness outweighs inertia, diag(A) in its place would hide errors of slow
  /// motions.
  int AddSparse(const SparseMatrix& A, const VectorX& inertia = {});

  /// Forgets everything but its memory.
  void Clear();

  int num_subsystems() const { return static_cast<int>(subsystems_.size()); }
  int num_dofs() const { return num_dofs_; }
  const std::vector<Subsystem>& subsystems() const { return subsystems_; }
  const Subsystem& subsystem(int j) const { return subsystems_[j]; }
  /// The block of a subsystem that is not Sparse.
  Eigen::Map<const MatrixX> dense_block(int j) const;
  const SparseMatrix& sparse_block(int j) const { return sparse_[subsystems_[j].storage]->matrix(); }
  const SparseBlock& sparse(int j) const { return *sparse_[subsystems_[j].storage]; }
  bool has_sparse() const { return num_sparse_ > 0; }
  /// Parent dofs of a Tree subsystem, local indices.
  const std::vector<int>& tree_parent(int j) const { return tree_parent_[j]; }
  /// What a Tree subsystem's block is made of, null where that is not known.
  const TreeMechanism* mechanism(int j) const { return mechanisms_[j].size() > 0 ? &mechanisms_[j] : nullptr; }
  /// Index of the subsystem that holds a dof.
  int subsystem_of_dof(int dof) const { return subsystem_of_dof_[dof]; }

  /// y = A x.
  void Multiply(const ConstVectorRef& x, VectorX* y) const;
  /// diag(A).
  VectorX diagonal() const;
  void CalcDiagonal(VectorX* d) const;
  /// The same, but the inertia of Sparse subsystems where it is known.
  void CalcInertia(VectorX* d) const;
  /// The inertia of a Sparse subsystem; empty if it is not known.
  const VectorX& sparse_inertia(int j) const { return sparse_[subsystems_[j].storage]->inertia(); }

  /// Factorizes every block but Sparse ones; returns -1, or the index of the first subsystem that is not positive
  /// definite.
  [[nodiscard]] int FactorizeDense();
  /// Makes the factors of Sparse blocks that are not there yet; returns as FactorizeDense. Thread-safe.
  [[nodiscard]] int FactorizeSparse() const;
  /// Both.
  [[nodiscard]] int Factorize();
  /// x <- A^{-1} x, in place. The first use factorizes Sparse blocks, and throws NumericalError if that fails.
  void SolveInPlace(Eigen::Ref<VectorX> x) const;
  /// X_j <- A_j^{-1} X_j for the columns of one subsystem (X has subsystem(j).size rows).
  void SolveSubsystem(int j, Eigen::Ref<MatrixX> X) const;
  /// x^T A_j^{-1} x of a subsystem that is not Sparse; x is lost. Zeros cost nothing.
  double CalcSquare(int j, double* x) const;
  /// C = J A_j^{-1} J^T of a link of a Tree; no memory is taken once `work` is large enough.
  void CalcLinkCompliance(int j, const Matrix6X& J, Matrix6X* work, Matrix6* C) const;
  /// squares[c] = x_c^T A_j^{-1} x_c for columns of a Sparse subsystem, which takes half of what a solve does.
  void CalcSquares(int j, const Eigen::Ref<const MatrixX>& X, double* squares) const;

 private:
  int Append(SubsystemKind kind, int size, int storage);

  std::vector<Subsystem> subsystems_;
  std::vector<int> subsystem_of_dof_;
  int num_dofs_ = 0;
  std::vector<double> values_;   // dense blocks, column major
  std::vector<double> factors_;  // their factors, same offsets
  std::vector<std::vector<int>> tree_parent_;
  std::vector<TreeMechanism> mechanisms_;             // as long as tree_parent_; of no size: none
  std::vector<std::shared_ptr<SparseBlock>> sparse_;  // the first num_sparse_ are in use, the others memory to use
  int num_sparse_ = 0;
};

}  // namespace tactus
