// The default solver: the exact contact law to 1e-8 and beyond. See README.md in this folder.
#pragma once

#include <memory>
#include <vector>

#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/hybrid/island_solver.h"

namespace tactus {

struct HybridSettings {
  IslandSettings island;   ///< constants of the Delassus form
  int max_outers = 500;    ///< default of SolveSettings::max_iterations
  bool compress = true;    ///< use the rank of contacts between the same bodies
};

class HybridSolver : public ContactSolver {
 public:
  explicit HybridSolver(const HybridSettings& settings = {}) : settings_(settings), island_(settings.island) {}
  std::string name() const override { return "hybrid"; }

 protected:
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda, SolveReport* report) override;

 private:
  Termination SolveDelassus(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda, SolveReport* report);

  HybridSettings settings_;
  IslandSolver island_;
};

}  // namespace tactus
