// The block-diagonal matrix A of A v = b + J^T lambda: one symmetric positive definite block per subsystem.
#pragma once

#include <memory>
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

/// A = diag(A_1, ..., A_s). Immutable once the problem is built, apart from its factor.
class MassMatrix {
 public:
  /// Appends a dense symmetric block (Free when 6x6 and `free_body`); returns the subsystem's index.
  int AddDense(const Eigen::Ref<const MatrixX>& A, bool free_body = false);
  /// Appends a branch-sparse block; parent[i] < i is the parent dof of dof i, -1 at a root.
  int AddTree(const Eigen::Ref<const MatrixX>& A, const std::vector<int>& parent,
              const TreeMechanism* mechanism = nullptr);
  int AddSparse(const SparseMatrix& A);

  /// Forgets everything but its memory.
  void Clear();

  int num_subsystems() const { return static_cast<int>(subsystems_.size()); }
  int num_dofs() const { return num_dofs_; }
  const std::vector<Subsystem>& subsystems() const { return subsystems_; }
  const Subsystem& subsystem(int j) const { return subsystems_[j]; }
  /// The block of a subsystem that is not Sparse.
  Eigen::Map<const MatrixX> dense_block(int j) const;
  const SparseMatrix& sparse_block(int j) const { return sparse_[subsystems_[j].storage]; }
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

  /// Factorizes every block; returns -1, or the index of the first subsystem that is not positive definite.
  [[nodiscard]] int Factorize();
  bool factorized() const { return factorized_; }
  /// x <- A^{-1} x, in place.
  void SolveInPlace(Eigen::Ref<VectorX> x) const;
  /// X_j <- A_j^{-1} X_j for the columns of one subsystem (X has subsystem(j).size rows).
  void SolveSubsystem(int j, Eigen::Ref<MatrixX> X) const;

 private:
  int Append(SubsystemKind kind, int size, int storage);

  std::vector<Subsystem> subsystems_;
  std::vector<int> subsystem_of_dof_;
  int num_dofs_ = 0;
  std::vector<double> values_;   // dense blocks, column major
  std::vector<double> factors_;  // their factors, same offsets
  std::vector<std::vector<int>> tree_parent_;
  std::vector<TreeMechanism> mechanisms_;  // as long as tree_parent_; of no size: none
  std::vector<SparseMatrix> sparse_;
  std::vector<std::shared_ptr<const SparseCholesky>> sparse_factors_;
  bool factorized_ = false;
};

}  // namespace tactus
