// The exact law in body space, for few free bodies under many contacts: a nut on a thread, a stack of dishes.
//
// The same augmented-Lagrangian loop as the Delassus form (island_solver.h, Newton B), with the velocities as unknowns:
//     r(v) = A v - b - sum J^T T(lambda_k - beta (J v + e)) = 0,   H = A + sum J^T beta D J,
// so that a Newton step costs O(contacts) in vectorised kernels (pair_kernels_api.h) and a factorization of six rows a
// body.
#pragma once

#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/math/block_lu.h"
#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/hybrid/pair_kernels_api.h"

namespace tactus {

struct FreeBodySettings {
  double beta_cold = 100;   ///< first penalty from cold, in units of rho
  double growth_cold = 8;   ///< of the penalty after each solved inner problem
  double beta_warm = 1000;  ///< the same from a warm start
  double growth_warm = 10;
  double beta_max = 1e9;
  double beta_min = 0.1;
  double shrink = 4;  ///< after an unsolved inner problem, which is retried from the same point
  double growth_after_failure = 1.5;
  int newton_max = 20;
  int max_failures = 25;  ///< then the Delassus form takes over
  int max_outers = 60;
};

class FreeBodyEngine {
 public:
  explicit FreeBodyEngine(const FreeBodySettings& settings = {}) : settings_(settings) {}

  /// All subsystems are free bodies, all contacts are known as geometry, and rows touch at most two bodies each.
  static bool Supports(const ContactProblem& problem);

  /// Prepares a problem: sorts contacts by pair, computes effective masses. Memory is reused.
  void Build(const ContactProblem& problem);

  /// Solves from `lambda`; the best iterate goes back into it.
  Termination Solve(bool cold, int max_outers, SolveMonitor* monitor, VectorX* lambda, SolveReport* report);

 private:
  struct Pair {
    int a = -1, b = -1;  // bodies; if one is the world it is b, and the sign below tells
    double sign = 1;     // -1 where the problem's contact has the world as body a
    int begin = 0, end = 0;
    double d[3] = {0, 0, 0};                 // reference of a minus reference of b
    int aa = -1, ab = -1, ba = -1, bb = -1;  // entries of H
  };
  struct Row {
    int a = -1, b = -1;  // b may be -1
    double ja[6] = {}, jb[6] = {};
    double e = 0, rho = 1, lambda_k = 0, lambda = 0;
    RowLaw law;
    int aa = -1, ab = -1, ba = -1, bb = -1;
  };

  void SortContacts(const ContactProblem& problem);
  void FillContacts(const ContactProblem& problem);
  void FillRows(const ContactProblem& problem);
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
  void PairTwist(const Pair& pair, const double* v, double* twist) const;
  void AddPairWrench(const Pair& pair, const double* wrench, double* f) const;
  void AddPairBlock(const Pair& pair, const double* K);
  void AddRowBlock(const Row& row, double weight);
  /// lambda = T(lambda_k - beta sigma(v)), force_ = J^T lambda, residual_ = A v - b - force_; returns its A^{-1} norm.
  /// With `jacobian`, H goes into lu_.
  /// Only the contacts of `set` are looked at: right as long as the others stay open.
  double Evaluate(ContactSet* set, const double* v, double beta, bool jacobian);
  double InverseEnergyNorm(const double* f) const;
  double CalcViolation() const;
  double CalcScore();  // relative natural_rho of lambda_; v_ of the impulses into v_score_
  void CalcVelocity(const double* force, double* v) const;
  bool Newton(double beta, double precision, bool near_only);
  bool NewtonOn(ContactSet* set, double beta, double precision, double* tolerance);
  void ImportImpulses(const VectorX& lambda);
  void ExportImpulses(const std::vector<double>& contacts, const std::vector<double>& rows, VectorX* lambda) const;

  FreeBodySettings settings_;
  const PairKernels* kernels_ = &GetPairKernels();
  int num_bodies_ = 0, num_contacts_ = 0;
  std::vector<double> A_, Ainv_, b_, v_free_, reference_;
  std::vector<int> slot_;  // contact -> padded slot, sorted by pair
  std::vector<std::pair<long long, int>> keys_;
  std::vector<Pair> pairs_;
  std::vector<Row> rows_;
  ContactSet all_, near_;
  std::vector<double> normal_speed_;
  std::vector<std::pair<int, int>> chosen_;  // slots of near_ and all_
  std::vector<double> frames_;               // R per slot
  std::vector<double> best_, best_rows_;     // best impulses so far: 3 x padded, rows
  double velocity_scale_ = 0, tolerance_ = 0;
  double q_norm_ = 0, best_score_ = kInfinity;
  int newton_ = 0;
  BlockLu lu_;
  std::vector<int> row_start_, columns_, diagonal_entry_, sizes_, analyzed_start_, analyzed_columns_;
  std::vector<double> v_, v_trial_, v_score_, v_start_, residual_, force_, step_;
};

}  // namespace tactus
