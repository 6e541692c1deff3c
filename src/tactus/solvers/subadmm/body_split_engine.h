// An iteration of SubADMM for rigid bodies and small trees, split by body, in vector kernels and several threads.
// SplitSystem does the same for everything, plainly; the iterates agree up to rounding.
//
// Parts are trees, then free bodies. In an iteration every part finds its velocities from what pulls at its copies, and
// every constraint then finds its impulse and what pulls. What is computed does not depend on who computes it, nor
// when.
// Trees have dense inverses, or go along their joints where an ArticulatedPlan says so; these come after the others.
//
// Free bodies are sorted by where they are and cut into blocks, and within a block into units of four with about as
// many contacts each. A contact belongs to that of its bodies that comes last, so that a block's contacts can follow
// right after its bodies, while all of it is in the cache; only where another thread has the other body they wait for a
// second round.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/core/aligned_vector.h"
#include "tactus/core/thread_team.h"
#include "tactus/solvers/first_order/admm_solver.h"
#include "tactus/solvers/first_order/iterate_score.h"
#include "tactus/solvers/subadmm/articulated_plan.h"
#include "tactus/solvers/subadmm/articulated_tree.h"
#include "tactus/solvers/subadmm/body_split_arrays.h"
#include "tactus/solvers/subadmm/split_kernels_api.h"

namespace tactus {

class BodySplitEngine {
 public:
  /// Contacts known as geometry, on free bodies and trees of at most kSplitLargestTree dofs, or of any size where the
  /// plan goes along their joints.
  static bool Supports(const ContactProblem& problem, const ArticulatedPlan* plan = nullptr);

  /// Sorts copies by body, inverts A, finds effective masses. `problem` must outlive this. Up to `threads` of them work
  /// until Finish, fewer where there is little to do. The plan, if any, must live as long. Contacts that have no
  /// impulse in `lambda` and are open in the motion `velocity`, where both are given, stay idle until CalcScore sees
  /// them close.
  void Build(const ContactProblem& problem, int threads, const ArticulatedPlan* plan = nullptr,
             const VectorX* lambda = nullptr, const VectorX* velocity = nullptr);
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
  /// Idle contacts that were closing at the last CalcScore take part from now on: true if there were any, and matrices
  /// must be factorized again.
  [[nodiscard]] bool WakeIdle();
  void KeepBest();
  void ExportImpulses(VectorX* lambda);
  void ExportBest(VectorX* lambda) { Export(best_contacts_, best_rows_, best_other_, lambda); }
  /// lambda . sigma of the best, by constraint.
  void ExportBestWork(VectorX* work);

  /// Of the last iteration, if KeepCopies() was called before it.
  AdmmBalance CalcBalance(double alpha);
  void KeepCopies();

 private:
  // A row's share in one part, for rows that are not on a single dof.
  struct RowCopy {
    int other = 0;           // in other_row_
    int dof = 0;             // first of its subsystem
    int begin = 0, end = 0;  // in row_columns_, row_values_
    int share = 0;           // in the plan
  };
  struct Range {
    int begin = 0, end = 0;
  };
  // Units whose bodies are solved and whose contacts are projected in one go.
  struct Block {
    Range units;
    int first_unit = 0;    // the first unit its contacts touch
    bool special = false;  // has contacts with trees, or rows: they wait for all of those
    bool inner = true;     // its contacts are all with its own share's units
  };
  // What one thread does at a time.
  struct Share {
    Range trees, blocks, units, rowed_trees, rowed_bodies, tree_joints, body_joints, contacts, gathered, others, chunks;
    Range early, late_runs;  // in early_, late_
    Range late;              // in late_blocks_
    Range listed;            // contacts in the problem's order
  };

  // Idle contacts.
  void ChooseIdle(const VectorX* lambda, const VectorX* velocity);
  void FindReach();
  void ReachOwned(int at);
  bool IsClosing(int at) const;

  // Building.
  void SortParts();
  void SortBodies();
  void CountCopies();
  void MakeUnits();
  bool FitTogether(const int* ranks) const;
  void AddUnit(const int* ranks, bool four);
  void OrderGathered();
  int FindGathered(const ContactGeometry& g) const;
  void PlaceContacts();
  void FindNeighbours();
  struct BlockCost {
    double bodies = 0, contacts = 0;
  };
  BlockCost CalcBlockCost(const Block& block) const;
  double TreeCost(const SplitTree& tree) const;
  void AddTree(int subsystem, Range bodies);
  void AddArticulatedTree(int subsystem, Range bodies);
  bool GoesByPoints(const SplitTree& tree, Range bodies) const;
  void AddTreePoints(int subsystem, Range bodies, SplitTree* tree);
  void AddGroup(const SplitTree& tree, int slot);
  void FillPoint(BodyIndex body, int slot, const Vector3& r);
  void FillContact(int at);
  void FillContacts();
  void FillRows();
  void FillJointRows();
  void FillOtherRows();
  void SplitWork(int threads);
  void SplitParts();
  void SplitLateBlocks();
  void SplitGathered();
  int FindTree(BodyIndex b) const { return part_of_subsystem_[problem_->bodies()[b].subsystem]; }
  Range FindTrees(int at) const;
  /// A of a unit as its matrices are kept.
  void LoadMass(const SplitUnit& unit, double* M) const;
  void PrefetchMass(int unit) const;
  void InvertMass(const Share& share);
  void CalcRho();
  SplitScore ScaleContacts(int begin, int end);
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
  /// job(begin, end) for a share's contacts.
  template <typename Job>
  static void ForContacts(const Share& share, const Job& job) {
    job(share.contacts.begin, share.contacts.end);
    job(share.gathered.begin, share.gathered.end);
  }
  SplitTrees Trees() const {
    return {trees_.data(),        links_.data(),          groups_.data(),
            link_columns_.data(), link_jacobians_.data(), point_jacobians_.data()};
  }
  SplitRows JointRows();
  double& contact(int array, int at) { return contact_data_[SplitIndex(array, at)]; }
  double contact(int array, int at) const { return contact_data_[SplitIndex(array, at)]; }
  double& weight(int array, int at) { return contact_weights_[SplitWeightIndex(array, at)]; }
  const double* x_of(int place) const { return copy_data_.data() + 3 * static_cast<std::size_t>(slots_) + place; }
  int part_dof(int part) const;
  int part_size(int part) const;

  /// b and what rows pull, of parts with rows: all of it, or their impulses only.
  void CollectPulls(Range rowed, bool impulses_only);
  void SolveTrees(Range trees, bool penalized);
  void SpreadTrees(Range trees);
  void SolveUnits(const std::vector<SplitUnit>& list, Range units, const AlignedVector<double>& inverse);
  void ProjectOthers(const Share& share, double alpha);
  /// What rows that are not on a single dof pull, for the beta there is.
  void LoadOtherPulls();
  void SetBeta(int at, double beta);
  /// beta J^T J of a part's rows, to H(row, column).
  template <typename Entry>
  void AddRowMasses(int part, const Entry& H, bool lower_only = false) const {
    const int dof = part_dof(part);
    const double* value = joint_data_.data() + static_cast<std::size_t>(kValue) * joint_padded_;
    for (int at = joint_start_[part]; at < joint_start_[part + 1]; ++at) {
      if (joint_row_[at] < 0) continue;
      const int k = joint_dof_[at] - dof;
      H(k, k) += beta_[num_contacts_ + joint_row_[at]] * value[at] * value[at];
    }
    for (int at = copy_start_[part]; at < copy_start_[part + 1]; ++at) {
      const RowCopy& copy = row_copies_[copy_order_[at]];
      const double beta = beta_[num_contacts_ + other_row_[copy.other]];
      for (int k = copy.begin; k < copy.end; ++k) {
        for (int l = copy.begin; l < copy.end; ++l) {
          const int row = row_columns_[l] - dof, column = row_columns_[k] - dof;
          if (!lower_only || row >= column) H(row, column) += beta * row_values_[k] * row_values_[l];
        }
      }
    }
  }
  bool FactorizeTree(int tree);
  bool FactorizeArticulated(int tree);
  int num_trees() const { return static_cast<int>(trees_.size()); }
  bool goes_along(int tree) const { return tree >= num_dense_; }
  ArticulatedTree& along(int tree) { return articulated_[tree - num_dense_]; }
  /// Where r of a body's copies is measured from.
  const Vector3& FindReference(BodyIndex body) const;
  bool FactorizeUnit(int unit);
  void MoveByImpulses();
  void SpreadVelocities();
  double RowVelocity(int row) const;
  /// `contacts`: 12 numbers a quad.
  void Export(const std::vector<double>& contacts, const std::vector<double>& joints, const std::vector<double>& others,
              VectorX* lambda);
  AdmmBalance BalanceContacts(int begin, int end, double alpha) const;
  void CopyImpulses(std::vector<double>* out) const;

  const ContactProblem* problem_ = nullptr;
  const SplitKernels* kernels_ = &GetSplitKernels();
  std::unique_ptr<ThreadTeam> team_;
  std::vector<Share> shares_;
  int num_contacts_ = 0, slots_ = 0;
  int owned_ = 0, padded_ = 0;  // places of contacts of free bodies, then of all others

  const ArticulatedPlan* plan_ = nullptr;
  std::vector<SplitTree> trees_;
  int num_dense_ = 0;                         // trees with inverses; the rest go along their joints
  std::vector<ArticulatedTree> articulated_;  // never shrinks: its memory is used again
  std::vector<SplitUnit> units_;
  std::vector<SplitUnit> busy_units_;  // the same with those copies only that take part in iterations
  std::vector<Block> blocks_;
  std::vector<int> late_blocks_;
  std::vector<Range> early_, late_;  // runs of contacts of trees only
  std::vector<double> gathered_cost_;
  // Of contacts of trees only: places, the first of each tree, and of copies of trees by points.
  std::vector<int> next_gathered_, first_gathered_, first_copy_, next_copy_, tree_copies_;
  std::vector<SplitLink> links_;
  std::vector<SplitGroup> groups_;
  std::vector<std::uint64_t> dofs_of_body_,
      slot_dofs_;  // of trees by points: a bit for each dof that moves a link, a copy
  std::vector<int> link_columns_;
  AlignedVector<double> link_jacobians_, point_jacobians_;
  std::vector<int> part_of_subsystem_, tree_subsystem_, body_subsystem_;  // subsystems of parts
  std::vector<int> rank_;  // of free bodies along the scene, by subsystem
  std::vector<int> rank_of_body_;
  std::vector<Vector3> reference_of_body_;
  std::vector<int> unit_of_rank_, lane_of_rank_, by_unit_, block_of_unit_;
  std::vector<int> owned_count_, other_count_, busy_owned_, busy_other_, next_owned_, next_other_;  // copies, by rank
  int matrices_ = 0;
  std::vector<int> begin_of_body_, count_of_body_, next_slot_;  // copies of ContactProblem's bodies
  std::vector<int> body_order_, body_start_, cells_;            // bodies by subsystem
  AlignedVector<double> unit_b_;                                // b of units
  AlignedVector<double> unit_mass_, unit_inverse_;              // A^{-1}, H^{-1} of units
  AlignedVector<double> tree_mass_, tree_inverse_;

  std::vector<unsigned char> idle_, closing_;  // by contact
  std::vector<Vector6> twists_;                // of bodies: to begin with, and what forces add
  std::vector<double> opening_;                // of contacts, to begin with [m/s]
  std::vector<int> order_;                     // contacts by their place; -1: fills up a vector
  std::vector<int> unit_of_a_, unit_of_b_;     // of contacts that a free body owns; -1: none
  std::vector<int> place_of_contact_;
  AlignedVector<double> copy_data_;  // r, x: 6 x slots
  AlignedVector<double> slot_beta_;  // of copies
  std::vector<int> slot_a_, slot_b_;
  std::vector<int> place_a_, place_b_;                    // SplitPlace of copies
  std::vector<double> sign_;                              // -1 where the problem's body b is a here
  AlignedVector<double> contact_data_, contact_weights_;  // SplitIndex, SplitWeightIndex
  std::vector<double> kept_;                              // of an earlier iteration: impulses and copies

  // Rows on one dof, sorted by part, each part's padded; then all others, each with its copies.
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

  std::vector<double> rho_;                      // by constraint
  std::vector<double> contact_free_, row_free_;  // |sigma_free| over the root of its dimension; contacts by their place
  double free_sum_ = 0, velocity_scale_ = 0;
  std::vector<SplitScore> chunks_;
  std::vector<AdmmBalance> balances_;  // of chunks
  std::vector<unsigned char> part_ok_;
  VectorX beta_, pull_, v_;
  std::vector<double> best_contacts_, best_rows_, best_other_;
  // lambda . sigma at the last CalcScore and of the best: of contacts by their place, of rows.
  AlignedVector<double> contact_work_, best_contact_work_;
  std::vector<double> row_work_, best_row_work_;
};

}  // namespace tactus
