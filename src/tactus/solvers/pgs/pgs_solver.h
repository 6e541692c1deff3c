// Projected Gauss-Seidel, the baseline of the papers: sweep over the constraints, each solved alone with the newest
// impulses of the others. See README.md.
#pragma once

#include <string>

#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/first_order/iterate_watch.h"
#include "tactus/solvers/first_order/local_laws.h"
#include "tactus/solvers/first_order/still_watch.h"

namespace tactus {

struct PgsSettings {
  LocalRule rule = LocalRule::Exact;   ///< Exact: 3x3 block per contact; Strict: the papers' operator with step 1/L
  SystemForm form = SystemForm::Auto;  ///< where sigma is kept up to date; affects cost only
  double relaxation = 1;               ///< omega, (0, 2); > 1 over-relaxes and projects the result
  bool alternate = false;              ///< sweep back and forth
  bool conjugate = false;              ///< Fletcher-Reeves acceleration (Silcowitz et al. 2010)
  int check_interval = 10;             ///< sweeps between two looks at the residual, >= 1
  int default_max_iterations = 10000;  ///< sweeps, where SolveSettings leaves them open, >= 1
  double still = 0;                    ///< [m/s], >= 0: also stop where a sweep moves velocities less (StillWatch)

  void Validate() const;  ///< throws InputError
};

class PgsSolver : public ContactSolver {
 public:
  explicit PgsSolver(const PgsSettings& settings = PgsSettings()) : settings_(settings) { settings_.Validate(); }
  /// "pgs" or "pgs-ncg".
  std::string name() const override { return settings_.conjugate ? "pgs-ncg" : "pgs"; }
  const PgsSettings& pgs_settings() const { return settings_; }
  /// The form that the last solve chose.
  SystemForm form() const { return system_.form(); }

 protected:
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                      SolveReport* report) override;

 private:
  void Sweep(const ContactProblem& problem, bool backward, VectorX* lambda);
  template <class SigmaOf, class Move>
  void SweepWith(const ContactProblem& problem, bool backward, VectorX* lambda, const SigmaOf& sigma_of,
                 const Move& move) const;
  void RefreshState(const ContactProblem& problem, const VectorX& lambda);
  const VectorX& CalcSigma(const ContactProblem& problem);
  void Accelerate(const ContactProblem& problem, VectorX* lambda);

  PgsSettings settings_;
  ImpulseSystem system_;
  LocalLaws laws_;
  IterateScore score_;
  IterateWatch watch_;
  StillWatch still_;
  VectorX state_;  // what follows the impulses during a sweep: sigma (Delassus form) or v (velocity form)
  VectorX sigma_;
  // Conjugate gradients: where the sweep started, and the direction of before, in impulses and state.
  VectorX start_lambda_, start_state_, direction_, direction_state_;
  double gradient_norm_ = 0;
};

}  // namespace tactus
