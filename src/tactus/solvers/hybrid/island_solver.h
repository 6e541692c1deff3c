// The exact law on one island, in Delassus form: find r with r = T(r - beta (W r + q)).
//
// docs/theory.md, section 7: Gauss-Seidel sweeps with exact local solves, then an augmented-Lagrangian (proximal)
// outer loop in r_k with a semismooth Newton method inside. Everything is scale-free: weights are multiples of the
// local effective mass rho_i.
#pragma once

#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/math/local_contact.h"
#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/hybrid/compressed_delassus.h"

namespace tactus {

/// Constants of the Delassus form. One set for everything we solve.
struct IslandSettings {
  int min_sweeps = 50;   ///< Gauss-Seidel warm-up, at least
  int max_sweeps = 500;  ///< and at most, while a chunk of 10 cuts the residual below `sweep_rate` times the best
  double sweep_rate = 0.3;
  double beta_start = 300;  ///< penalty in units of rho
  double beta_max = 1e9;
  double beta_min = 0.1;
  double growth = 8;  ///< of beta after a solved inner problem
  double growth_after_failure = 1.5;
  double shrink = 4;             ///< of beta after an unsolved inner problem, which is retried from the same point
  double inner_precision = 0.1;  ///< of an inner problem, relative to the residual at its start
  int newton_max = 20;           ///< steps per inner problem
  int fixed_mode_interval = 8;   ///< every so many failures, try Newton with fixed modes
  int unbounded_outers = 10;     ///< so often may large impulses hide a violation before a restart
  int stall_outers = 120;        ///< outer iterations without cutting the residual to 0.3 before a restart
  int max_attempts = 6;          ///< the first and its restarts
};

/// What the island's residual is measured against: met when error <= tolerance * max(own scale, shared scale).
struct IslandTarget {
  double tolerance = 1e-8;
  double shared_scale = 0;  ///< part of the whole problem's |rho^{1/2} sigma_free| that every island may use
  /// Foreign files are also accepted by the natural map with one weight for all rows: every weight here must pass too,
  /// measured against `shared_velocity`, the island's share of |sigma_free|.
  std::vector<double> single_weights;
  double shared_velocity = 0;
  double velocity_scale = 0;  ///< max |sigma_free| of the whole problem, against which the judge measures violations
};

class IslandSolver {
 public:
  explicit IslandSolver(const IslandSettings& settings = {}) : settings_(settings) {}

  /// Prepares an island. `laws` etc. come from the problem.
  void Build(const ContactProblem& problem, const DelassusMatrix& W, const VectorX& sigma_free,
             const std::vector<int>& constraints, bool compress);

  /// Solves from `lambda` (global layout, read and written at the island's entries). `cold` runs the Gauss-Seidel
  /// warm-up. Adds Newton steps and failures to the report; its history counts outer iterations from `first_outer`.
  Termination Solve(const IslandTarget& target, bool cold, int max_outers, int first_outer, SolveMonitor* monitor,
                    VectorX* lambda, SolveReport* report);
  /// Outer iterations of the last Solve.
  int outers() const { return outers_; }

  /// Weighted natural-map error (not relative) and scale of the last solution.
  double error() const { return best_error_; }
  const CompressedDelassus& W() const { return W_; }

 private:
  struct Score {
    double error = 0;  // |rho^{-1/2}(r - P(r - rho sigma~))|
    double scale = 0;  // max(|rho^{-1/2} r|, |rho^{1/2} q|, shared)
    // Forbidden velocity that remains, in hundreds of the largest free one: NcpResidual::feasible(), and FalseMotion.
    double violation = 0;
    double natural() const { return scale > 0 ? error / scale : (error > 0 ? kInfinity : 0.0); }
    // Without the violation impulses that explode would pass for the best: the error is small beside them.
    double relative() const { return std::max(violation, natural()); }
  };
  enum class Inner { A, B };

  ContactMode Project(int i, const double* x, double beta, double* lambda, double* D) const;
  void ProjectAs(ContactMode mode, int i, const double* x, double beta, double* lambda, double* D) const;
  Score CalcScore(const VectorX& r, const VectorX& sigma) const;
  Score ScoreOf(const VectorX& r);  // recomputes sigma_ = W r + q
  /// Remembers r, with sigma_ = W r + q at hand, if it is the best so far; sets done_ if it meets the target.
  void KeepBest(const VectorX& r, const Score& score);
  bool SingleWeightHolds(double weight, const VectorX& r) const;
  void SweepOnce(bool backward, double relaxation, VectorX* r);
  void ProjectAll(VectorX* r) const;

  void WarmUp(VectorX* r, int min_sweeps, double relaxation);
  /// From r_, which it changes.
  Termination OuterLoop(double beta, bool use_a, double over_relaxation, int max_outers, SolveMonitor* monitor);
  bool NewtonA(const VectorX& rk, double beta, double tolerance, double floor, VectorX* r);
  bool NewtonB(const VectorX& rk, double beta, double tolerance, double floor, VectorX* s, VectorX* lambda);
  bool FixedModes(const Score& score, VectorX* r);
  double EvaluateA(const VectorX& r, const VectorX& sigma, const VectorX& rk, double beta, bool jacobian);
  double EvaluateB(const VectorX& s, const VectorX& sigma, const VectorX& rk, double beta, bool jacobian,
                   VectorX* lambda, const std::vector<ContactMode>* modes = nullptr);
  double EnergyNorm(const VectorX& r);
  void Scatter(const VectorX& r, VectorX* lambda) const;
  void RecordBest(SolveMonitor* monitor);

  IslandSettings settings_;
  CompressedDelassus W_;
  std::vector<double> mu_, rho_;
  std::vector<RowLaw> laws_;  // of scalar rows
  std::vector<double> e_;     // of scalar rows: sigma = y + e
  std::vector<SingleContact> local_;
  std::vector<int> global_offset_;  // of constraints in the problem
  VectorX q_;
  double q_norm_ = 0;
  IslandTarget target_;
  VectorX* lambda_out_ = nullptr;

  // Iterates.
  VectorX best_;
  double best_relative_ = kInfinity, best_error_ = kInfinity;
  bool done_ = false;
  int first_outer_ = 0, first_newton_ = 0;  // of this island, for the history
  int outers_ = 0, newton_ = 0, failures_ = 0, unbounded_ = 0;
  // Scratch.
  VectorX sigma_, F_, g_, d_, z_, trial_, trial_sigma_, lambda_trial_, Wx_;
  VectorX start_, r_, s_, s_next_, lambda_, newton_best_, partial_lambda_, partial_s_;
  std::vector<double> G_;
  std::vector<ContactMode> modes_;
};

}  // namespace tactus
