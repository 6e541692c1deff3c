// The articulated-body algorithm for one tree of SubADMM (paper 000, remark 1): A v = x without A, along the joints.
//
// A tree's inertias and penalties make one 6 x 6 matrix a dof. What is left of them when the joints below are free, the
// articulated inertias, depends on beta only: they are found once, and an iteration is a sweep towards the root with
// forces and one back with velocities, of some 50 operations a dof.
#pragma once

#include <vector>

#include "tactus/contact/tree_mechanism.h"
#include "tactus/core/aligned_vector.h"
#include "tactus/solvers/subadmm/articulated_kernels_api.h"

namespace tactus {

class ArticulatedTree {
 public:
  /// `mechanism` and `parent` must outlive this. Factorizes A.
  [[nodiscard]] bool Reset(const TreeMechanism& mechanism, const std::vector<int>& parent);

  // Links that are touched, one after the other from `first` on: the dofs that carry them.
  void ResetLinks(int first);
  void AddLink(int dof) { link_node_.push_back(dof + 1); }
  int num_links() const { return static_cast<int>(link_node_.size()); }
  int link_dof(int k) const { return link_node_[k] - 1; }

  // A with penalties: point masses on what a dof carries, given as sums of beta, beta r, beta r r^T (SplitKernels::
  // sum_masses) with r from the mechanism's origin; beta w w^T; beta on a dof.
  void StartPenalties();
  void AddPoints(int dof, const double* sums);
  void AddWrench(int dof, double beta, const Vector6& w) { inertia_[dof].noalias() += beta * w * w.transpose(); }
  void AddDiagonal(int dof, double beta) { diagonal_[dof] += beta; }
  [[nodiscard]] bool FactorizePenalties() { return Factorize(&penalized_); }

  /// v = A^{-1} (pull + J^T of what pulls at copies of links), with penalties or without.
  void Solve(bool penalized, const SplitLink* links, const SplitCopies& copies, const double* pull, double* v) {
    kernels_->solve(Joints(penalized ? penalized_ : mass_), Links(links), copies, pull, v);
  }
  void Spread(const SplitLink* links, const SplitCopies& copies, const double* v) {
    kernels_->spread(Joints(mass_), Links(links), copies, v);
  }

  /// Of all dofs, of A without penalties: 6 x 6 compliances of what they carry, and the diagonal of A^{-1}.
  void CalcCompliances();
  const Matrix6& compliance(int dof) const { return compliance_[dof + 1]; }
  double inverse_diagonal(int dof) const { return inverse_diagonal_[dof]; }
  /// x . A^{-1} x of a vector with these entries.
  double CalcQuadratic(const int* dofs, const double* values, int count, int first_dof);

 private:
  struct Factor {
    AlignedVector<double> gain, inverse;
  };
  bool Factorize(Factor* factor);
  SplitJoints Joints(const Factor& factor) {
    return {mechanism_->size(),    node_parent_.data(), motion_.data(), factor.gain.data(),
            factor.inverse.data(), force_.data(),       twist_.data()};
  }
  SplitJointLinks Links(const SplitLink* links) const {
    return {links + first_link_, link_node_.data(), 0, num_links()};
  }

  const ArticulatedKernels* kernels_ = &GetArticulatedKernels();
  const TreeMechanism* mechanism_ = nullptr;
  std::vector<int> node_parent_, link_node_;
  int first_link_ = 0;
  AlignedVector<double> motion_, force_, twist_;
  Factor mass_, penalized_;
  std::vector<Matrix6> inertia_, compliance_;
  std::vector<double> diagonal_, inverse_diagonal_;
  VectorX x_, y_;
};

}  // namespace tactus
