// Contact as MuJoCo and its relatives model it: compliant, convex, one minimisation. See README.md.
#pragma once

#include <optional>
#include <string>

#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/newton_common/convex_newton.h"

namespace tactus {

/// Defaults are MuJoCo's: solref = 0.02 1, solimp = 0.9 0.95 0.001 0.5 2.
struct SoftConvexSettings {
  double time_constant = 0.02;      ///< solref[0] [s], > 0
  double damping_ratio = 1;         ///< solref[1], > 0
  double impedance_min = 0.9;       ///< solimp[0], (0, 1)
  double impedance_max = 0.95;      ///< solimp[1], (0, 1)
  double impedance_width = 0.001;   ///< solimp[2] [m], > 0
  double impedance_midpoint = 0.5;  ///< solimp[3], (0, 1)
  double impedance_power = 2;       ///< solimp[4], >= 1
  /// h [s]: then e_n < 0 counts as the penetration -e_n h and is corrected at the pace of solref. 0 (unknown): e is
  /// taken as the reference velocity itself.
  double time_step = 0;
  double tolerance = 1e-12;    ///< of the minimisation: |r| relative to max(|b|, |J^T lambda|, |A v|), (0, 1)
  int max_newton_steps = 400;  ///< where SolveSettings leaves them open, >= 1

  void Validate() const;  ///< throws InputError
  /// solimp's d(r), r >= 0 the violation [m].
  double Impedance(double violation) const;
};

class SoftConvexSolver : public ContactSolver {
 public:
  explicit SoftConvexSolver(const SoftConvexSettings& settings = SoftConvexSettings()) : settings_(settings) {
    settings_.Validate();
  }
  std::string name() const override { return "soft-convex"; }

 protected:
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                      SolveReport* report) override;

 private:
  void Prepare(const ContactProblem& problem, const VectorX& lambda);

  SoftConvexSettings settings_;
  std::optional<ContactProblem> primal_;  // of a Delassus pair
  Surrogate surrogate_;
  SurrogatePoint point_;
  BodySpaceSystem system_;
  DynamicsNorm norm_;
  ConvexNewton newton_{1e-6};
};

}  // namespace tactus
