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
  Termination Finish(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda, SolveReport* report);

  AutoSettings settings_;
  SubadmmSolver subadmm_;
  HybridSolver hybrid_;
  PassiveImpulses passive_;
  VectorX start_;
};

}  // namespace tactus
