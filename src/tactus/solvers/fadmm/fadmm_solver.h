// ADMM on the whole system with one factorization of A + J^T B J (paper 000, eq. 29; OSQP style). See README.md.
#pragma once

#include <string>

#include "tactus/math/square_system.h"
#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/first_order/impulse_system.h"
#include "tactus/solvers/first_order/iterate_watch.h"
#include "tactus/solvers/newton_common/body_space_system.h"

namespace tactus {

struct FadmmSettings {
  double beta = 10;                    ///< first penalty, multiple of the effective mass rho_i, > 0
  double relaxation = 1.6;             ///< alpha, [1, 2)
  bool adapt = true;                   ///< balance the residuals by changing beta
  double adapt_threshold = 5;          ///< change beta when the residuals differ by this factor, > 1
  int adapt_interval = 50;             ///< iterations between two looks at the balance, >= 1
  int max_adaptations = 8;             ///< refactorizations, >= 0
  int check_interval = 10;             ///< iterations between two looks at the residual, >= 1
  int default_max_iterations = 10000;  ///< where SolveSettings leaves them open, >= 1

  void Validate() const;  ///< throws InputError
};

class FadmmSolver : public ContactSolver {
 public:
  explicit FadmmSolver(const FadmmSettings& settings = FadmmSettings()) : settings_(settings) { settings_.Validate(); }
  std::string name() const override { return "fadmm"; }

 protected:
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                      SolveReport* report) override;

 private:
  bool Factorize(const ContactProblem& problem);
  void Prepare(const ContactProblem& problem, const VectorX& lambda);
  void SolveLinear(const ContactProblem& problem, const VectorX& lambda);
  void Project(const ContactProblem& problem, VectorX* lambda);
  bool Adapt(const ContactProblem& problem, const VectorX& lambda);

  FadmmSettings settings_;
  ImpulseSystem system_;
  IterateScore score_;
  IterateWatch watch_;
  BodySpaceSystem body_space_;  // A + J^T B J
  SquareSystem delassus_;       // W + B^{-1}, for Delassus pairs
  VectorX blocks_, beta_;       // beta per row
  VectorX offset_;              // what sigma adds to y
  VectorX y_, z_, z_before_, v_, rhs_, sigma_;
  double penalty_ = 1;
};

}  // namespace tactus
