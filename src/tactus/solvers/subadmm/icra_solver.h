// SubADMM as first published (paper 002): copies and penalties by subsystem, no over-relaxation, no adaptation. See
// README.md.
#pragma once

#include <string>

#include "tactus/solvers/first_order/admm_solver.h"
#include "tactus/solvers/subadmm/split_system.h"

namespace tactus {

class SubadmmIcraSolver : public AdmmSolver {
 public:
  std::string name() const override { return "subadmm-icra"; }

  /// The paper's residual (22) of the last iteration: what y_ij = beta_j J_ij v_j + u_ij have changed, squared and
  /// added up. It is zero only at a fixed point (proposition 1) but depends on units, so that solves end by
  /// natural_rho.
  double theta() const { return theta_; }

 protected:
  bool ReturnsVelocity(const ContactProblem& problem, const SolveSettings&) const override {
    return HasTiedPieces(problem);
  }
  void StartWatch(SolveMonitor* monitor) override;
  bool Check(int iteration, const SolveReport& report, VectorX* lambda, Termination* why) override;
  void TakeBest(VectorX* lambda) override;
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                      SolveReport* report) override;

 private:
  void Prepare(const ContactProblem& problem, const SolveMonitor& monitor, const VectorX& lambda);
  /// (23): beta_j = tr(A_j) / tr(J_j^T J_j).
  void ChoosePenalties(const ContactProblem& problem);
  bool Factorize(const ContactProblem& problem) override;
  void Iterate(const ContactProblem& problem, int count, bool keep, VectorX* lambda) override;
  AdmmBalance CalcBalance(const ContactProblem&, const VectorX&) override { return {}; }
  void SolveLinear(const ContactProblem& problem, const VectorX& lambda);
  void Project(const ContactProblem& problem, VectorX* lambda);

  SplitSystem split_;
  VectorX beta_;  // a copy
  VectorX x_, y_, z_, v_;
  std::vector<double> trace_, square_;  // by subsystem
  double theta_ = 0;
  bool two_field_ = false;  // v_ is returned
  SolveMonitor* monitor_ = nullptr;
  const ContactProblem* problem_ = nullptr;
};

}  // namespace tactus
