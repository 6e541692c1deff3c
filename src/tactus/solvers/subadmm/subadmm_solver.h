// ADMM with the system split by subsystem and by body (papers 000 and 002). See README.md.
#pragma once

#include <string>

#include "tactus/solvers/first_order/admm_solver.h"
#include "tactus/solvers/passive_impulses.h"
#include "tactus/solvers/subadmm/articulated_plan.h"
#include "tactus/solvers/subadmm/body_split_engine.h"
#include "tactus/solvers/subadmm/split_system.h"

namespace tactus {

/// How a robot's equation (35) is solved.
enum class TreeSolver {
  Factor,           ///< by a factor or inverse of its matrix, made anew for every beta
  ArticulatedBody,  ///< along its joints, in time that grows with their number only (paper 000, remark 1); trees that
                    ///< this does not fit by factors, which SolveReport::choice says
};

/// beta in effective masses rho_i over the root of the number of contacts on a body.
struct SubadmmSettings : AdmmSettings {
  Split split = Split::Body;
  TreeSolver tree_solver = TreeSolver::Factor;  ///< ArticulatedBody: with Split::Body and kernels only
  bool kernels = true;                          ///< where the vector kernels serve
  /// Contact constraint splitting (Daviet 2020), as paper 001 compares with it: copies by node, plain steps, one
  /// penalty for good.
  static SubadmmSettings ContactSplitting() {
    SubadmmSettings s;
    s.kernels = s.adapt = false;
    s.relaxation = 1;
    s.contact_splitting = true;
    return s;
  }
  bool contact_splitting = false;  ///< only a name: see above
  SubadmmSettings() {
    check_growth = 0.1;
    least_iterations = 20;
  }
  void Validate(const std::string& solver) const;  ///< throws InputError
};

class SubadmmSolver : public AdmmSolver {
 public:
  explicit SubadmmSolver(const SubadmmSettings& settings = SubadmmSettings()) : settings_(settings) {
    settings_.Validate(SubadmmSolver::name());
  }
  std::string name() const override;

  /// Gives up, with Stalled, when it needs more work than this from here on, in cycles of a processor by a rough
  /// estimate that does not depend on the clock. 0: never.
  void SetAlternative(double cycles) { alternative_cycles_ = cycles; }
  /// Whether kernels would serve.
  static bool HasKernelsFor(const ContactProblem& problem) { return BodySplitEngine::Supports(problem); }

 protected:
  bool ReturnsVelocity(const ContactProblem& problem, const SolveSettings&) const override {
    return settings_.split != Split::None && HasTiedPieces(problem);
  }
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                      SolveReport* report) override;

 private:
  void Prepare(const ContactProblem& problem, const SolveMonitor& monitor, const VectorX& lambda);
  void CountNeighbours(const ContactProblem& problem);
  bool Factorize(const ContactProblem& problem) override;
  void Iterate(const ContactProblem& problem, int count, bool keep, VectorX* lambda) override;
  AdmmBalance CalcBalance(const ContactProblem& problem, const VectorX& lambda) override;
  void StartWatch(SolveMonitor* monitor) override;
  bool Wake() override;
  bool Check(int iteration, const SolveReport& report, VectorX* lambda, Termination* why) override;
  void TakeBest(VectorX* lambda) override;
  double best_score() const override { return fast_ ? engine_watch_.best() : AdmmSolver::best_score(); }
  void SolveLinear(const ContactProblem& problem, const VectorX& lambda);
  void Project(const ContactProblem& problem, VectorX* lambda);
  const std::vector<double>& rho() const { return fast_ ? engine_.rho() : system_.rho(); }

  bool along() const { return settings_.tree_solver == TreeSolver::ArticulatedBody; }

  SubadmmSettings settings_;
  double alternative_cycles_ = 0;
  bool fast_ = false;       // engine_ serves, else split_
  bool two_field_ = false;  // v_ is returned
  ArticulatedPlan plan_;
  BodySplitEngine engine_;
  ScoreWatch engine_watch_;
  SolveMonitor* monitor_ = nullptr;
  const ContactProblem* problem_ = nullptr;
  SplitSystem split_;
  std::vector<int> crowd_, on_body_;
  VectorX beta_, copy_beta_;  // a constraint, a copy
  VectorX y_, z_, z_before_, v_;
  VectorX work_;  // lambda . sigma, a constraint
  PassiveImpulses passive_;
};

}  // namespace tactus
