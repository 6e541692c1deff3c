// A contact problem in parts that know of each other only through copies: constraint i holds a copy z_ij of J_ij v_j
// for every part j it acts on (theory, SubADMM). The parts' matrices A_j + sum_i beta_i J_ij^T J_ij are factorized
// here.
#pragma once

#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/solvers/newton_common/body_space_system.h"

namespace tactus {

/// What a constraint has copies of.
enum class Split {
  Body,       ///< every body it touches, and every joint velocity of a row that spans branches: trees stay sparse
  Subsystem,  ///< every subsystem it acts on
  None,       ///< all velocities at once: one matrix for everything
};

class SplitSystem {
 public:
  /// Lists the copies of a problem with dynamics. `problem` must outlive this.
  void Reset(const ContactProblem& problem, Split split);

  int num_copies() const { return static_cast<int>(copies_.size()); }
  /// Copies of constraint i are [first_copy(i), first_copy(i + 1)).
  int first_copy(int i) const { return first_copy_[i]; }
  int num_copies(int i) const { return first_copy_[i + 1] - first_copy_[i]; }
  /// Copy k has dim(i) numbers from here on in z and y.
  int place(int k) const { return copies_[k].place; }
  /// Length of z and y.
  int size() const { return size_; }

  /// The subsystem a copy is of, -1 where nothing is split.
  int subsystem(int k) const { return copies_[k].subsystem; }
  /// Squares of a copy's entries of J, added up.
  double CalcSquare(int k) const;

  /// Factorizes all parts' matrices for one beta a copy. False if one is not positive definite, numerically.
  [[nodiscard]] bool Factorize(const VectorX& beta);

  /// y_ij = J_ij v_j.
  void MultiplyJ(const VectorX& v, VectorX* y) const;
  /// v += sum J_ij^T y_ij.
  void AddMultiplyJT(const VectorX& y, VectorX* v) const;
  /// v <- (A + sum beta J^T J)^{-1} v.
  void SolveInPlace(VectorX* v) const;

 private:
  struct Copy {
    int constraint = 0, dim = 0, subsystem = 0;
    int begin = 0, end = 0;  // in columns_: local to the subsystem, or dofs where nothing is split
    std::size_t values = 0;  // dim x count, row major
    int place = 0;
  };
  void AddBodyCopies(int contact);
  void AddSubsystemCopies(int i);
  void AddCopy(int i, int subsystem, const int* dofs, const double* block, int count, int stride, int first);
  void AddProducts(int subsystem, const VectorX& beta, MatrixX* H) const;
  bool KeepsPattern(int i, int subsystem, const int* dofs, int count) const;
  bool InPattern(int subsystem, const int* dofs, int count) const;
  bool OnOnePath(int subsystem, const int* dofs, int count) const;

  const ContactProblem* problem_ = nullptr;
  Split split_ = Split::Body;
  std::vector<Copy> copies_;
  std::vector<int> first_copy_, columns_;
  std::vector<double> values_;
  std::vector<std::vector<int>> of_subsystem_;  // copies
  int size_ = 0;
  MassMatrix parts_;
  BodySpaceSystem whole_;
  VectorX blocks_;
  std::vector<int> dofs_;
  std::vector<double> block_;
};

}  // namespace tactus
