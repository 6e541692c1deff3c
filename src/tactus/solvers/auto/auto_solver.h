// Chooses between SubADMM, COND and the hybrid, and leads from one to the other. See README.md.
#pragma once

#include <string>
#include <vector>

#include "tactus/solvers/cond/cond_solver.h"
#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/hybrid/hybrid_solver.h"
#include "tactus/solvers/passive_impulses.h"
#include "tactus/solvers/subadmm/subadmm_solver.h"
#include "tactus/solvers/subsystem_islands.h"

namespace tactus {

struct AutoSettings {
  /// Of the hybrid: cycles of a processor for every dof, times the root of the number of pairs of bodies in contact
  /// in its island, and for every contact; roughly, > 0.
  double newton_cost = 15000, contact_cost = 1500;
  /// Dofs of trees count as so many of free bodies, > 0: their blocks are dense, and few steps do.
  double tree_share = 0.4;
  /// Where the hybrid takes less than this many cycles, it is taken at once, >= 0.
  double small_work = 1e6;
  /// COND may take this many times the iterations it should, or as long as the hybrid, > 0.
  double cond_patience = 2;

  void Validate() const;  ///< throws InputError
};

class AutoSolver : public ContactSolver {
 public:
  explicit AutoSolver(const AutoSettings& settings = {}) : settings_(settings) { settings_.Validate(); }
  std::string name() const override { return "auto"; }

 protected:
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                      SolveReport* report) override;
  /// Where COND is taken.
  bool ReturnsVelocity(const ContactProblem& problem, const SolveSettings& settings) const override;

 private:
  double CalcNewtonWork(const ContactProblem& problem);
  /// Null if SubADMM can be tried; first_ then is the variant that fits.
  const char* WhyNotSubadmm(const ContactProblem& problem, const SolveSettings& settings);
  /// From the first solver's impulses.
  Termination Finish(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda, SolveReport* report,
                     bool by_cond = false);
  Termination SolveByCond(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda, SolveReport* report);

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
  CondSolver cond_;
  HybridSolver hybrid_;
  PassiveImpulses passive_;
  SubsystemIslands islands_;
  std::vector<double> island_dofs_, island_pairs_;
  VectorX start_;
};

}  // namespace tactus
