// The default solver: the exact contact law to 1e-8 and beyond. See README.md in this folder.
#pragma once

#include <memory>
#include <vector>

#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/hybrid/free_body_engine.h"
#include "tactus/solvers/hybrid/island_solver.h"

namespace tactus {

struct HybridSettings {
  IslandSettings island;       ///< constants of the Delassus form
  FreeBodySettings free_body;  ///< constants of the body-space form
  int max_outers = 500;        ///< default of SolveSettings::max_iterations
  bool compress = true;        ///< use the rank of contacts between the same bodies
};

class HybridSolver : public ContactSolver {
 public:
  explicit HybridSolver(const HybridSettings& settings = {})
      : settings_(settings), free_body_(settings.free_body), island_(settings.island) {}
  std::string name() const override { return "hybrid"; }

 protected:
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                      SolveReport* report) override;

 private:
  bool PreferBodySpace(const ContactProblem& problem) const;
  Termination SolveDelassus(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda, SolveReport* report);

  HybridSettings settings_;
  FreeBodyEngine free_body_;
  DelassusMatrix delassus_;
  IslandSolver island_;
};

}  // namespace tactus
