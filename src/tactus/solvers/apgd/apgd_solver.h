// Accelerated projected gradient descent on the dual of the convex (CCP) relaxation, after Mazhar et al. 2015;
// optionally with an outer De Saxce loop that reaches the exact law. See README.md.
#pragma once

#include <string>

#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/first_order/impulse_system.h"
#include "tactus/solvers/first_order/iterate_watch.h"
#include "tactus/solvers/first_order/still_watch.h"

namespace tactus {

struct ApgdSettings {
  bool de_saxce = false;     ///< outer fixed-point loop to the exact law; off: the published method
  bool precondition = true;  ///< steps scaled by rho_i (independent of units); off: one step for all, as published
  SystemForm form = SystemForm::Auto;  ///< how products with W are made; affects cost only
  double shrink = 0.9;                 ///< L is multiplied by this after every iteration, (0, 1]
  double outer_accuracy =
      0.1;                  ///< update the De Saxce term once the inner residual is this part of the true one, (0, 1)
  int check_interval = 10;  ///< iterations between two looks at the residual, >= 1
  int default_max_iterations = 10000;  ///< where SolveSettings leaves them open, >= 1
  double still = 0;                    ///< [m/s], >= 0: also stop where an iteration moves velocities less (StillWatch)

  void Validate() const;  ///< throws InputError
};

class ApgdSolver : public ContactSolver {
 public:
  explicit ApgdSolver(const ApgdSettings& settings = ApgdSettings()) : settings_(settings) { settings_.Validate(); }
  std::string name() const override { return "apgd"; }
  SystemForm form() const { return system_.form(); }

 protected:
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                      SolveReport* report) override;

 private:
  void Restart(const VectorX& lambda);
  void Step(const ContactProblem& problem, VectorX* lambda);
  void Project(const ContactProblem& problem, VectorX* out) const;
  void CalcStepScale(const ContactProblem& problem);
  double Norm2(const VectorX& a, const VectorX& b) const;
  bool Check(const ContactProblem& problem, int iteration, const VectorX& lambda, Termination* why);

  ApgdSettings settings_;
  ImpulseSystem system_;
  IterateScore score_;
  IterateWatch watch_;
  StillWatch still_;
  VectorX weight_;           // rho_i per row, or 1
  VectorX De_Saxce_;         // added to sigma, in the normal entries
  VectorX point_, W_point_;  // y and W y: where the gradient is taken
  VectorX next_, W_next_;    // trial impulses
  VectorX W_lambda_;         // W lambda
  VectorX sigma_, shifted_;
  double lipschitz_ = 1, theta_ = 1;
};

}  // namespace tactus
