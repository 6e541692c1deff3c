// The augmented-Lagrangian outer loop shared by canal, tr-dogleg and damped-newton (paper 000, Algorithm 1). They
// differ in the contact operator of the surrogate problem and in how they solve it.
#pragma once

#include <optional>

#include "tactus/contact/contact_problem.h"
#include "tactus/contact/delassus_matrix.h"
#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/first_order/iterate_score.h"
#include "tactus/solvers/newton_common/body_space_system.h"
#include "tactus/solvers/newton_common/surrogate.h"

namespace tactus {

/// Constants of the outer loop. The paper gives beta = 1e4 only; kappa, zeta and the cap are ours.
struct AugmentedLagrangianSettings {
  double beta = 1e4;            ///< first penalty: multiple of rho_i, or in kg if !scale_beta; > 0
  bool scale_beta = true;       ///< beta_i = beta rho_i, rho_i the local effective mass; false: absolute, as published
  double kappa = 10;            ///< growth of beta when |J v - z| stalls (eq. 28); > 1
  double zeta = 0.25;           ///< |J v - z| stalls when above zeta times the last one; (0, 1)
  double beta_max = 1e5;        ///< largest penalty, in the unit of beta; >= beta
  int max_iterations = 100;     ///< AL iterations; >= 1
  int first_inner_steps = 400;  ///< inner steps of the first AL iteration, which starts far away; >= 1
  int inner_steps = 100;        ///< inner steps of the others; >= 1
  double inner_tolerance = 1e-11;  ///< on |r| relative to max(|b|, |J^T lambda|, |A v|); (0, 1)
  bool energy_norm = true;         ///< |r| weighted by 1/diag(A) (independent of units); false: Euclidean, as published
  int stall_window = 30;           ///< give up when the best residual has not halved in this many AL iterations; >= 1

  void Validate(const std::string& solver) const;  ///< throws InputError
};

/// How an inner solve ended.
struct InnerOutcome {
  int steps = 0;            ///< inner iterations done
  bool solved = false;      ///< |r| within the tolerance
  bool broke_down = false;  ///< the linear system could not be solved at all
};

class AugmentedLagrangianSolver : public ContactSolver {
 protected:
  AugmentedLagrangianSolver(const AugmentedLagrangianSettings& settings, ConeOperator cone)
      : settings_(settings), cone_(cone) {}

  /// Brings point_ (evaluated) from its v to a root of the surrogate's r(v), or as near as it gets.
  virtual InnerOutcome SolveSurrogate(int max_steps) = 0;
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda, SolveReport* report) final;

  /// True if |r| at point_ is within the tolerance of this surrogate.
  bool IsSurrogateSolved() {
    return norm_(point_.r) <= norm_.CalcTolerance(surrogate_, point_, settings_.inner_tolerance);
  }

  /// direction = -H^{-1} r at point_, by Cholesky (Proximal) or LU (Strict); false if H is singular, numerically.
  [[nodiscard]] bool CalcNewtonDirection(VectorX* direction);

  AugmentedLagrangianSettings settings_;
  Surrogate surrogate_;
  SurrogatePoint point_;
  BodySpaceSystem system_;
  DynamicsNorm norm_;

 private:
  void Prepare(const ContactProblem& problem, const VectorX& lambda);
  void CalcSigma(const ContactProblem& problem, const VectorX& lambda);
  double CalcScore(const ContactProblem& problem, bool accept_natural, const VectorX& lambda);
  void UpdateMultiplier();
  void UpdatePenalty();
  void SetPenalty(double beta);
  bool KeepBest(int iteration, double score);

  ConeOperator cone_;
  std::optional<ContactProblem> primal_;  // of a Delassus pair
  IterateScore score_;
  EffectiveMassWorkspace effective_mass_;
  std::vector<double> rho_;
  VectorX v_lambda_;
  VectorX sigma_, slack_, best_lambda_, blocks_;
  double penalty_ = 0, gap_ = 0, last_gap_ = 0;
  double best_score_ = 0, window_score_ = 0;
  int window_start_ = 0;
};

}  // namespace tactus
