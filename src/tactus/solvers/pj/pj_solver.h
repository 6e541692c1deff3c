// Projected Jacobi: every constraint solved alone, all at once, with a block diagonal large enough for that to be safe.
// See README.md.
#pragma once

#include <string>

#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/first_order/iterate_watch.h"
#include "tactus/solvers/first_order/local_laws.h"

namespace tactus {

struct PjSettings {
  LocalRule rule = LocalRule::Exact;   ///< as in PgsSettings
  SystemForm form = SystemForm::Auto;  ///< how products with W are made; affects cost only
  double safety = 1.05;                ///< factor on the estimated majorant, >= 1
  int power_iterations = 30;           ///< to estimate it, >= 1
  int check_interval = 10;             ///< sweeps between two looks at the residual, >= 1
  int default_max_iterations = 20000;  ///< sweeps, where SolveSettings leaves them open, >= 1

  void Validate() const;  ///< throws InputError
};

class PjSolver : public ContactSolver {
 public:
  explicit PjSolver(const PjSettings& settings = PjSettings()) : settings_(settings) { settings_.Validate(); }
  std::string name() const override { return "pj"; }
  /// The majorant gamma that the last solve ended with.
  double majorant() const { return majorant_; }

 protected:
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                      SolveReport* report) override;

 private:
  double EstimateMajorant(const ContactProblem& problem);
  void Update(const ContactProblem& problem, VectorX* lambda) const;

  PjSettings settings_;
  ImpulseSystem system_;
  LocalLaws laws_;
  IterateScore score_;
  IterateWatch watch_;
  VectorX sigma_, power_, product_;
  std::vector<Matrix3> inverse_blocks_;
  double majorant_ = 1;
};

}  // namespace tactus
