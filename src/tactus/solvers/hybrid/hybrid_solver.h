// The default solver: the exact contact law to 1e-8 and beyond. See README.md in this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/hybrid/body_space_engine.h"
#include "tactus/solvers/hybrid/island_solver.h"
#include "tactus/solvers/passive_impulses.h"

namespace tactus {

struct HybridSettings {
  IslandSettings island;         ///< constants of the Delassus form
  BodySpaceSettings body_space;  ///< constants of the body-space form
  int max_outers = 1000;         ///< default of SolveSettings::max_iterations
  bool compress = true;          ///< use the rank of contacts between the same bodies
  /// Numbers in W beyond which body space does not go on in Delassus form: that would take gigabytes and hours.
  double most_entries = 1e8;
};

class HybridSolver : public ContactSolver {
 public:
  explicit HybridSolver(const HybridSettings& settings = {}) : settings_(settings), body_space_(settings.body_space) {}
  std::string name() const override { return "hybrid"; }

 protected:
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                      SolveReport* report) override;

 private:
  Termination SolveInBestForm(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                              SolveReport* report);
  bool PreferBodySpace(const ContactProblem& problem) const;
  Termination SolveDelassus(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda, SolveReport* report);
  /// Connected components of the coupling graph, each an ascending list of constraints, into islands_.
  void FindIslands();
  /// One whose memory, and whose analysis of the pattern, is likely to fit; what it was used for has no influence.
  IslandSolver* TakeSolver(const std::vector<int>& constraints);

  HybridSettings settings_;
  BodySpaceEngine body_space_;
  DelassusMatrix delassus_;
  VectorX sigma_free_;
  PassiveImpulses passive_;
  std::vector<int> label_, stack_;
  std::vector<std::vector<int>> islands_;  // those beyond num_islands_ are old
  int num_islands_ = 0;
  struct Slot {
    int constraints = 0, entries = 0;
    std::int64_t used = 0;
    std::unique_ptr<IslandSolver> solver;
  };
  std::vector<Slot> slots_;
  std::int64_t use_ = 0;
};

}  // namespace tactus
