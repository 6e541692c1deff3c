// An iteration of SubADMM for rigid bodies and small trees, split by body, in vector kernels. SplitSystem does the same
// for everything, plainly; the iterates agree up to rounding.
#pragma once

#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/solvers/first_order/admm_solver.h"
#include "tactus/solvers/subadmm/split_kernels_api.h"

namespace tactus {

class BodySplitEngine {
 public:
  /// Contacts known as geometry, on free bodies and trees of at most kLargestTree dofs.
  static bool Supports(const ContactProblem& problem);
  static constexpr int kLargestTree = 64;

  /// Sorts copies by body. `problem` must outlive this.
  void Build(const ContactProblem& problem);
  /// Copies become J_ij v.
  void Start(const VectorX& lambda, const VectorX& v);
  /// One beta a constraint. False if a matrix is not positive definite, numerically. Impulses and copies stay.
  [[nodiscard]] bool Factorize(const VectorX& beta);
  void Iterate(double alpha);
  void ExportImpulses(VectorX* lambda) const;

  /// Of the iteration before, if KeepCopies() was called before it.
  AdmmBalance CalcBalance(const std::vector<double>& rho, const VectorX& sigma_free) const;
  void KeepCopies() { kept_ = contact_data_, kept_rows_ = row_z_; }

 private:
  struct Link {
    int begin = 0, end = 0;  // copies
    int subsystem = 0;
    int columns = 0, count = 0;  // in link_columns_: dofs within the subsystem that move it
    std::size_t jacobian = 0;    // in link_jacobians_: J^T, six columns of `stride`
    int stride = 0;
  };
  struct Tree {
    int subsystem = 0, first_link = 0, last_link = 0;
    std::size_t inverse = 0;  // in tree_inverses_: column major, `stride` apart
    int stride = 0;
  };
  struct RowCopy {
    int row = 0, dof = 0;    // first dof of its subsystem
    int begin = 0, end = 0;  // in row_columns_, row_values_
  };

  void SortCopies();
  void FillContacts();
  void FillRows();
  void AddRowCopies(int row);
  SplitCopies Copies();
  SplitContacts Contacts();
  double* contact_array(int which) { return contact_data_.data() + static_cast<std::size_t>(which) * padded_; }
  const double* contact_array(int which) const {
    return contact_data_.data() + static_cast<std::size_t>(which) * padded_;
  }
  void CollectPull();
  void SolveTrees();
  void ProjectRows(double alpha);
  void SetPulls();
  bool InvertH(double* out, int stride);

  const ContactProblem* problem_ = nullptr;
  const SplitKernels* kernels_ = &GetSplitKernels();
  int num_contacts_ = 0, padded_ = 0, slots_ = 0;
  std::vector<SplitBody> bodies_;
  std::vector<double> inverses_;
  std::vector<Link> links_;
  std::vector<int> link_columns_;
  std::vector<double> link_jacobians_;
  std::vector<Tree> trees_;
  std::vector<double> tree_inverses_;
  std::vector<int> begin_of_body_, count_of_body_;  // copies of ContactProblem's bodies
  std::vector<double> copy_data_;                   // r, p, c: 9 x slots
  std::vector<int> slot_a_, slot_b_;
  std::vector<double> sign_;                 // -1 where the problem has the world as body a
  std::vector<double> contact_data_, kept_;  // arrays of `padded_`
  std::vector<int> copy_count_;
  std::vector<RowCopy> row_copies_;
  std::vector<int> row_first_, row_columns_;
  std::vector<double> row_values_, row_z_, row_y_, kept_rows_, row_lambda_;
  VectorX beta_, pull_, v_;
  MatrixX H_, inverse_;
};

}  // namespace tactus
