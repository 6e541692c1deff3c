// Inverse problems as mixed-integer quadratic programs: which mode every contact is in, by branch and bound.
#pragma once

#include "tactus/inverse/qpcc_problem.h"
#include "tactus/inverse/qpcc_solution.h"

namespace tactus {

struct BranchAndBoundSettings {
  double time_budget = 10;  ///< [s]; 0: none
  double gap = 1e-6;        ///< relative distance of bound and best loss at which the search ends; >= 0
  int most_nodes = 1'000'000;
};

struct BranchAndBoundResult {
  QpccReport report;       ///< Solved: the global optimum is proven; `starts` counts nodes
  double lower_bound = 0;  ///< no feasible point has a smaller loss
};

/// Kinds Lcp and Planar (InputError otherwise): their modes are convex programs. The work doubles or quadruples with
/// every contact, so that some 12 are what it solves to the end.
BranchAndBoundResult SolveBranchAndBound(const QpccProblem& problem, const BranchAndBoundSettings& settings,
                                         QpccSolution* solution);

}  // namespace tactus
