// ADMM with the system split by subsystem and by body (papers 000 and 002). See README.md.
#pragma once

#include <string>

#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/first_order/impulse_system.h"
#include "tactus/solvers/first_order/iterate_watch.h"
#include "tactus/solvers/subadmm/body_split_engine.h"
#include "tactus/solvers/subadmm/split_system.h"

namespace tactus {

struct SubadmmSettings {
  Split split = Split::Body;
  bool kernels = true;         ///< where the vector kernels serve
  double beta = 10;            ///< first penalty, in effective masses rho_i over the root of contacts on a body, > 0
  double relaxation = 1.6;     ///< alpha, [1, 2)
  bool adapt = true;           ///< balance the residuals by changing beta
  double adapt_threshold = 5;  ///< change beta when the residuals differ by this factor, > 1
  int adapt_interval = 50;     ///< iterations between two looks at the balance, >= 1
  int max_adaptations = 8;     ///< refactorizations, >= 0
  int check_interval = 10;     ///< iterations between two looks at the residual, >= 1
  int default_max_iterations = 10000;  ///< where SolveSettings leaves them open, >= 1

  void Validate() const;  ///< throws InputError
};

class SubadmmSolver : public ContactSolver {
 public:
  explicit SubadmmSolver(const SubadmmSettings& settings = SubadmmSettings()) : settings_(settings) {
    settings_.Validate();
  }
  std::string name() const override;

 protected:
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                      SolveReport* report) override;

 private:
  Termination SolveWithDynamics(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                SolveReport* report);
  void Prepare(const ContactProblem& problem, const VectorX& lambda);
  void CountNeighbours(const ContactProblem& problem);
  bool Factorize(const ContactProblem& problem);
  void Iterate(const ContactProblem& problem, VectorX* lambda);
  void SolveLinear(const ContactProblem& problem, const VectorX& lambda);
  void Project(const ContactProblem& problem, VectorX* lambda);
  /// True if beta changed.
  bool Adapt(const ContactProblem& problem, const VectorX& lambda);
  BodySplitEngine::Balance CalcBalance(const ContactProblem& problem, const VectorX& lambda) const;

  SubadmmSettings settings_;
  bool fast_ = false;  // engine_ serves, else split_
  BodySplitEngine engine_;
  SplitSystem split_;
  ImpulseSystem system_;
  IterateScore score_;
  IterateWatch watch_;
  std::vector<int> crowd_, on_body_;
  VectorX beta_;  // a constraint
  VectorX y_, z_, z_before_, v_, sigma_;
  double penalty_ = 1;
};

}  // namespace tactus
