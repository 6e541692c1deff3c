// Chooses between SubADMM and the hybrid, and leads from one to the other. See README.md.
#pragma once

#include <string>

#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/hybrid/hybrid_solver.h"
#include "tactus/solvers/passive_impulses.h"
#include "tactus/solvers/subadmm/subadmm_solver.h"

namespace tactus {

struct AutoSettings {
  /// Of the hybrid: cycles of a processor for every dof, times the root of the number of pairs of bodies in contact,
  /// and for every contact; roughly, > 0.
  double newton_cost = 15000, contact_cost = 1500;
  /// Where the hybrid takes less than this many cycles, it is taken at once, >= 0.
  double small_work = 1e6;

  void Validate() const;  ///< throws InputError
};

class AutoSolver : public ContactSolver {
 public:
  explicit AutoSolver(const AutoSettings& settings = {}) : settings_(settings) { settings_.Validate(); }
  std::string name() const override { return "auto"; }

 protected:
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                      SolveReport* report) override;

 private:
  double CalcNewtonWork(const ContactProblem& problem) const;
  /// Null if SubADMM can be tried; first_ then is the variant that fits.
  const char* WhyNotSubadmm(const ContactProblem& problem, const SolveSettings& settings);
  Termination Finish(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda, SolveReport* report);

  AutoSettings settings_;
  static SubadmmSettings AlongJoints() {
    SubadmmSettings settings;
    settings.tree_solver = TreeSolver::ArticulatedBody;
    return settings;
  }

  SubadmmSolver subadmm_;
  SubadmmSolver along_joints_{AlongJoints()};  // where a tree is too large for the other's kernels
  SubadmmSolver* first_ = &subadmm_;
  ArticulatedPlan plan_;
  HybridSolver hybrid_;
  PassiveImpulses passive_;
  VectorX start_;
};

}  // namespace tactus
