// An iteration of SubADMM for rigid bodies and small trees, split by body, in vector kernels and several threads.
// SplitSystem does the same for everything, plainly; the iterates agree up to rounding.
//
// Parts are trees, then free bodies. An iteration has two rounds: every part finds its velocities from what pulls at
// its copies, then every constraint finds its impulse and what pulls. What is computed does not depend on who computes
// it. Bodies are sorted by where they are, contacts by their bodies, so that threads have little to do with each other.
#pragma once

#include <memory>
#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/core/thread_team.h"
#include "tactus/solvers/first_order/admm_solver.h"
#include "tactus/solvers/first_order/iterate_score.h"
#include "tactus/solvers/subadmm/split_kernels_api.h"

namespace tactus {

class BodySplitEngine {
 public:
  /// Contacts known as geometry, on free bodies and trees of at most kSplitLargestTree dofs.
  static bool Supports(const ContactProblem& problem);

  /// Sorts copies by body, inverts A, finds effective masses. `problem` must outlive this. Up to `threads` of them work
  /// until Finish, fewer where there is little to do.
  void Build(const ContactProblem& problem, int threads);
  void Finish();

  /// Of an iteration in one thread, in cycles of a processor, roughly.
  double CalcCost() const;
  /// Dimension over trace of W_ii, by constraint.
  const std::vector<double>& rho() const { return rho_; }
  /// max |sigma_free|, or a little less [m/s].
  double velocity_scale() const { return velocity_scale_; }

  /// Impulses, and copies of the motion they make, or of `velocity` if there is one.
  void Start(const VectorX& lambda, const VectorX* velocity);
  /// One beta a constraint. False if a matrix is not positive definite, numerically. Impulses and copies stay.
  [[nodiscard]] bool Factorize(const VectorX& beta);
  void Iterate(int count, double alpha);

  /// The judge's natural_rho, of the motion that impulses make.
  ScoreResult CalcScore();
  void KeepBest();
  /// lambda . sigma of contacts and rigid rows: where it is positive they add energy.
  double best_power() const { return best_power_; }
  void ExportImpulses(VectorX* lambda) const { Export(contact_data_, joint_lambda_, other_lambda_, lambda); }
  void ExportBest(VectorX* lambda) const { Export(best_contacts_, best_rows_, best_other_, lambda); }

  /// Of the last iteration, if KeepCopies() was called before it.
  AdmmBalance CalcBalance(double alpha) const;
  void KeepCopies();

 private:
  // A row's share in one part, for rows that are not on a single dof.
  struct RowCopy {
    int other = 0;           // in other_row_
    int dof = 0;             // first of its subsystem
    int begin = 0, end = 0;  // in row_columns_, row_values_
  };
  struct Range {
    int begin = 0, end = 0;
  };
  // What one thread does at a time.
  struct Share {
    Range trees, bodies, rowed, contacts, joints, others, chunks;
  };

  // Building.
  void SortParts();
  void SortBodies();
  void SortContacts();
  double PartCost(int part) const;
  void AddTree(int subsystem, Range bodies);
  bool GoesByPoints(const SplitTree& tree, Range bodies) const;
  void AddTreePoints(int subsystem, Range bodies, SplitTree* tree);
  void FillPoint(BodyIndex body, int slot, const Vector3& r);
  void FillContacts();
  void FillRows();
  void FillJointRows();
  void FillOtherRows();
  void SplitWork(int threads);
  void InvertMass(const Share& share);
  void CalcRho();
  void CalcFreeScale();

  /// job(share) for all shares.
  template <typename Job>
  void ForShares(const Job& job) {
    if (shares_.size() == 1) {
      job(shares_[0]);
    } else {
      team_->ForEach([&](int piece) { job(shares_[piece]); });
    }
  }
  SplitCopies Copies();
  SplitContacts Contacts();
  SplitTrees Trees() const {
    return {trees_.data(), links_.data(), link_columns_.data(), link_jacobians_.data(), point_jacobians_.data()};
  }
  SplitRows JointRows();
  double& contact(int array, int at) { return contact_data_[SplitIndex(array, at)]; }
  double contact(int array, int at) const { return contact_data_[SplitIndex(array, at)]; }
  const double* x_of(int place) const { return copy_data_.data() + 3 * static_cast<std::size_t>(slots_) + place; }
  int part_dof(int part) const;
  int part_size(int part) const;

  /// b and what rows pull, of parts with rows: all of it, or their impulses only.
  void CollectPulls(const Share& share, bool impulses_only);
  void SolveParts(const Share& share, const std::vector<double>& bodies, const std::vector<double>& trees);
  void ProjectOthers(const Share& share, double alpha);
  /// What rows that are not on a single dof pull, for the beta there is.
  void LoadOtherPulls();
  bool FactorizePart(int part);
  void MoveByImpulses();
  void SpreadVelocities();
  double RowVelocity(int row) const;
  void Export(const std::vector<double>& contacts, const std::vector<double>& joints, const std::vector<double>& others,
              VectorX* lambda) const;

  const ContactProblem* problem_ = nullptr;
  const SplitKernels* kernels_ = &GetSplitKernels();
  std::unique_ptr<ThreadTeam> team_;
  std::vector<Share> shares_;
  int num_contacts_ = 0, padded_ = 0, slots_ = 0;

  std::vector<SplitTree> trees_;
  std::vector<SplitBody> bodies_;
  std::vector<SplitLink> links_;
  std::vector<int> link_columns_;
  std::vector<double> link_jacobians_, point_jacobians_;
  std::vector<int> part_of_subsystem_, tree_subsystem_, body_subsystem_;
  std::vector<int> begin_of_body_, count_of_body_, next_slot_;  // copies of ContactProblem's bodies
  std::vector<int> body_order_, body_start_, cells_;            // bodies by subsystem
  std::vector<double> body_mass_, body_inverse_;                // 48 a free body: A^{-1}, H^{-1}
  std::vector<double> tree_mass_, tree_inverse_;

  std::vector<int> order_, contact_start_;  // contacts by their place; first place of a part's contacts
  std::vector<double> copy_data_;           // r, x: 6 x slots
  std::vector<double> slot_beta_;           // of copies
  std::vector<int> slot_a_, slot_b_;
  std::vector<int> place_a_, place_b_;       // SplitPlace of copies
  std::vector<double> sign_;                 // -1 where the problem has the world as body a
  std::vector<double> contact_data_, kept_;  // SplitIndex

  // Rows on one dof, sorted by part and padded; then all others, each with its copies.
  int num_joints_ = 0;
  std::vector<int> joint_row_, joint_dof_, joint_start_;  // start: by part
  std::vector<double> joint_data_;                        // value, beta, slope, shift, lo, hi, z, pull
  std::vector<double> joint_lambda_;
  std::vector<int> other_row_, other_first_;  // copies of other row k: [first[k], first[k + 1])
  std::vector<RowCopy> row_copies_;
  std::vector<int> row_columns_, copy_start_, copy_order_;  // by part
  std::vector<double> row_values_, row_z_, row_pull_, other_lambda_, kept_joints_, kept_joint_lambda_, kept_z_,
      kept_other_lambda_;
  std::vector<int> rowed_parts_, place_of_row_;  // place: joint row, or -1 - other row
  int joint_padded_ = 0;

  std::vector<double> rho_, free_;  // by constraint; free: |sigma_free| over the root of its dimension
  double free_sum_ = 0, velocity_scale_ = 0, power_ = 0, best_power_ = 0;
  std::vector<SplitScore> chunks_;
  std::vector<unsigned char> part_ok_;
  VectorX beta_, pull_, v_;
  std::vector<double> best_contacts_, best_rows_, best_other_;
};

}  // namespace tactus
