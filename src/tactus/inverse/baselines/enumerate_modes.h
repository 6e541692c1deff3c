// The global optimum of a tiny inverse problem, by trying everything: the oracle of tests and benchmarks.
#pragma once

#include "tactus/inverse/qpcc_problem.h"
#include "tactus/inverse/qpcc_solution.h"

namespace tactus {

struct EnumerateSettings {
  int directions = 64;        ///< 3-D friction: starts of every combination with sliding contacts; >= 1
  int most_contacts = 5;      ///< more are refused: the work grows by a factor of 2 to 4 with each
  int most_ncp_contacts = 3;  ///< the same with 3-D friction, where each combination takes many programs
};

struct EnumerateResult {
  bool found = false;  ///< false: no combination of modes has a feasible point
  double loss = 0;
  QpccSolution solution;
  int combinations = 0;
  int programs = 0;  ///< quadratic programs solved
};

/// Without friction and with planar friction every combination of modes is a convex program, and the answer is the
/// global optimum. With 3-D friction directions of sliding are found by sequential quadratic programming from many
/// starts, and the answer is the best known. Throws InputError for too many
/// contacts or a problem that makes no sense.
EnumerateResult EnumerateModes(const QpccProblem& problem, const EnumerateSettings& settings = {});

}  // namespace tactus
