// The exact law in body space, for few dofs under many contacts: a nut on a thread, a stack of dishes, a robot's hand.
//
// The same augmented-Lagrangian loop as the Delassus form (island_solver.h, Newton B), with the velocities as unknowns:
//     r(v) = A v - b - sum J^T T(lambda_k - beta (J v + e)) = 0,   H = A + sum J^T beta D J,
// so that a Newton step costs O(contacts) in vectorised kernels (pair_kernels_api.h) and a factorization of as many
// rows as there are dofs. Contacts act through the twists of the two bodies that touch: those of free bodies are their
// dofs, those of a robot's links J_b v.
#pragma once

#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/math/block_lu.h"
#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/hybrid/link_kernels_api.h"
#include "tactus/solvers/hybrid/pair_kernels_api.h"

namespace tactus {

struct BodySpaceSettings {
  double beta_cold = 100;  ///< first penalty from cold, in units of rho
  double growth_cold = 8;  ///< of the penalty after each solved inner problem
  /// From a warm start, this over its residual, within the limits: what is off by 1e-2 must first be led there gently,
  /// or the first inner problems fail; what is off by 1e-5 need not.
  double beta_warm = 0.1;
  double beta_warm_least = 1;
  double beta_warm_most = 1000;
  double growth_warm = 5;
  double useless_start = 30;  ///< a warm start with a residual beyond is left: no impulses are a better one
  double beta_max = 1e9;
  double beta_min = 0.1;
  double shrink = 4;  ///< after an unsolved inner problem, which is retried from the same point
  double growth_after_failure = 1.5;
  int newton_max = 20;
  /// After so many unsolved inner problems a smaller penalty alone does not help, as with grasps that jam. From then on
  /// Newton steps that fail are damped by A, so many times the penalty and then ten times as much, and inner problems
  /// that still fail are solved with the discs of friction held, so often.
  int stubborn_after = 4;
  double damping = 0.1;
  int disc_rounds = 2;
  double dense = 2;       ///< contacts a pair from which on it pays to be stubborn
  int max_failures = 40;  ///< then the Delassus form takes over
  int max_outers = 100;
  int max_failures_sparse = 25, max_outers_sparse = 60;  ///< where it does not pay
  double reserve = 1.5;  ///< of a time budget is kept for a Newton step and what ends a solve, in longest steps so far
};

class BodySpaceEngine {
 public:
  explicit BodySpaceEngine(const BodySpaceSettings& settings = {}) : settings_(settings) {}

  /// All subsystems are free bodies or trees of few dofs, all contacts are known as geometry, and rows touch at most
  /// two subsystems each.
  static bool Supports(const ContactProblem& problem);

  /// Prepares a problem: sorts contacts by pair, computes effective masses. Memory is reused.
  void Build(const ContactProblem& problem);

  /// Solves from `lambda`; the best iterate goes back into it.
  /// As a last resort it is stubborn whatever the contacts are.
  Termination Solve(bool cold, int max_outers, SolveMonitor* monitor, VectorX* lambda, SolveReport* report,
                    bool last_resort = false);

 private:
  struct Block {  // of a subsystem
    int dof = 0, size = 0;
    std::size_t place = 0;  // in A_ and Ainv_, size x size
  };
  struct Body {
    int subsystem = 0, dof = 0, size = 0;
    std::ptrdiff_t jacobian = -1;    // of a link, in jacobians_: see LinkJacobian
    int stride = 0;                  // of its rows: dofs that move the link, padded
    int run_begin = 0, run_end = 0;  // them, in runs_
    bool free() const { return jacobian < 0; }
  };
  struct Pair {
    int a = -1, b = -1;  // bodies; if one is the world it is b, and the sign below tells
    double sign = 1;     // -1 where the problem's contact has the world as body a
    int begin = 0, end = 0;
    double d[3] = {0, 0, 0};                 // reference of a minus reference of b
    int sa = -1, sb = -1;                    // subsystems
    int aa = -1, ab = -1, ba = -1, bb = -1;  // entries of H
  };
  struct Row {
    int sa = -1, sb = -1;                // subsystems; the second may be -1
    int begin = 0, middle = 0, end = 0;  // in row_dofs_ and row_values_: of the first, then of the second
    double e = 0, rho = 1, lambda_k = 0, lambda = 0;
    RowLaw law;
    int aa = -1, ab = -1, ba = -1, bb = -1;
  };

  void CopyBlocks(const ContactProblem& problem);
  void CopyBodies(const ContactProblem& problem);
  void CopyJacobian(const Matrix6X& J, Body* body);
  void SortContacts(const ContactProblem& problem);
  void FillContacts(const ContactProblem& problem);
  void FillRows(const ContactProblem& problem);
  void CalcMobilities();
  void CalcCrossMobility(const Body& a, const Body& b, double* M) const;
  void CalcEffectiveMasses();
  void AnalyzePattern();
  int EntryOf(int i, int j) const;

  // Some or all of the contacts, as PairContactArrays wants them.
  struct ContactSet {
    std::vector<double> data;     // the arrays but lambda, `padded` entries each
    std::vector<double> lambda;   // 3 x padded
    std::vector<int> begin, end;  // of each pair
    int padded = 0;
  };

  static PairContactArrays Arrays(const ContactSet& set, const double* lambda_k, double* lambda);
  PairContactArrays Arrays(const double* lambda_k, double* lambda);
  /// Normal velocities at v_ into normal_speed_; returns the largest change since the last call.
  double UpdateNormalSpeed();
  /// Contacts that carry an impulse or separate by less than `margin` go into near_. False if those are most.
  bool SelectNear(double margin);
  /// Twists of all bodies at v into twists_.
  void CalcTwists(const double* v);
  void PairTwist(const Pair& pair, double* twist) const;       // of twists_
  void AddPairWrench(const Pair& pair, const double* wrench);  // to wrenches_
  void CollectForce();                                         // force_ = sum J_b^T wrenches_
  void AddPairBlock(const Pair& pair, const double* K);
  LinkJacobian JacobianOf(const Body& body) const;
  /// H += J_a^T K J_b at an entry, K row major 6x6.
  void AddCongruence(int entry, const Body& a, const double* K, const Body& b);
  void AddRowBlock(const Row& row, double weight);
  double RowVelocity(const Row& row, const double* v) const;
  void AddRowForce(const Row& row);
  /// lambda = T(lambda_k - beta sigma(v)), force_ = J^T lambda, residual_ = A v - b - force_; returns its A^{-1} norm.
  /// With `jacobian`, H goes into lu_.
  /// Only the contacts of `set` are looked at: right as long as the others stay open.
  double Evaluate(ContactSet* set, const double* v, double beta, bool jacobian);
  double InverseEnergyNorm(const double* f) const;
  double CalcViolation(bool heavy) const;
  double CalcScore();  // relative natural_rho of lambda_; v_ of the impulses into v_score_
  void CalcVelocity(const double* force, double* v) const;
  /// These stop, unsolved, when the monitor says so.
  bool Newton(double beta, double precision, bool near_only, const SolveMonitor& monitor);
  bool NewtonOn(ContactSet* set, double beta, double precision, const SolveMonitor& monitor, double* tolerance);
  bool NewtonWithHeldDiscs(double beta, double precision, const SolveMonitor& monitor);
  /// Steps from v_ with multiples of A added to H until one lowers `merit`; it is in v_trial_ then, with H there.
  bool TryDampedSteps(ContactSet* set, double beta, double merit, double* trial_merit);
  double ScoreStart(bool cold);
  void ChooseStart(const VectorX* other, double beta);
  void ImportImpulses(const VectorX& lambda);
  void ExportImpulses(const std::vector<double>& contacts, const std::vector<double>& rows, VectorX* lambda) const;

  BodySpaceSettings settings_;
  const PairKernels* kernels_ = &GetPairKernels();
  const LinkKernels* link_kernels_ = &GetLinkKernels();
  int num_contacts_ = 0, num_dofs_ = 0;
  std::vector<Block> blocks_;
  std::vector<Body> bodies_;
  std::vector<LinkRun> runs_;
  std::vector<double> A_, Ainv_, b_, v_free_, reference_;
  std::vector<double> jacobians_, mobility_, link_blocks_;  // the last two 6x6 a body
  std::vector<double> twists_, wrenches_;                   // six a body
  std::vector<double> row_values_;
  std::vector<int> row_dofs_;
  std::vector<int> slot_;  // contact -> padded slot, sorted by pair
  std::vector<std::pair<long long, int>> keys_;
  std::vector<Pair> pairs_;
  std::vector<Row> rows_;
  ContactSet all_, near_;
  std::vector<double> normal_speed_;
  std::vector<std::pair<int, int>> chosen_;  // slots of near_ and all_
  std::vector<double> frames_;               // R per slot
  std::vector<double> radius_;               // of discs of friction, a slot; used while hold_discs_
  bool hold_discs_ = false, stubborn_ = false;
  std::vector<double> best_, best_rows_;  // best impulses so far: 3 x padded, rows
  double velocity_scale_ = 0, tolerance_ = 0;
  double q_norm_ = 0, best_score_ = kInfinity, best_rank_ = 0;
  int newton_ = 0;
  double step_seconds_ = 0;  // the longest Newton step so far, measured where there is a budget
  BlockLu lu_;
  std::vector<int> row_start_, columns_, diagonal_entry_, sizes_;
  std::vector<double> v_, v_trial_, v_score_, v_start_, residual_, force_, step_;
};

}  // namespace tactus
