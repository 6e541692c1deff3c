// The method of soft robotics that paper 004 compares with (Coevoet et al.): Signorini contacts, a guess of which
// touch, the quadratic program of that guess over the actuation alone, and flips of contacts that end at a bound.
#pragma once

#include "tactus/inverse/qpcc_problem.h"
#include "tactus/inverse/qpcc_solution.h"

namespace tactus {

struct ActiveSetSettings {
  int most_sets = 200;     ///< sets tried, >= 1
  double time_budget = 0;  ///< [s], looked at between sets; 0: none
};

/// Kind Lcp only (InputError otherwise). A heuristic: it ends where no flip lowers the loss, or where a set comes
/// again. The report's `starts` counts sets. Status Feasible, or Approximate where no set had a feasible program.
QpccReport SolveActiveSet(const QpccProblem& problem, const ActiveSetSettings& settings, QpccSolution* solution);

}  // namespace tactus
