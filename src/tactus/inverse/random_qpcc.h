// Inverse problems from a seed: a mechanism with a random mass matrix and random Jacobians, for tests and benchmarks.
#pragma once

#include <cstdint>

#include "tactus/inverse/qpcc_problem.h"

namespace tactus {

struct RandomQpccSettings {
  QpccKind kind = QpccKind::Ncp;
  int contacts = 2;              ///< >= 0
  int actuators = 4;             ///< >= 0
  int tasks = 4;                 ///< >= 0, rows of the task itself
  int passive_dofs = 3;          ///< >= 0, dofs without actuator (a floating base)
  double reachable = 0.5;        ///< probability that the task can be met exactly, by a point in random modes
  double regularization = 0.05;  ///< >= 0, weight of rows that hold actuation (and, less, impulses) small; 0: none
  double limit = 1.3;            ///< > 0, bounds are +- this
};

/// Units are of order 1. Everything follows from M, J_a, J_c, J_e as docs/inverse.md says, so that D is what a
/// mechanism can have (singular where contacts have more rows than the mechanism has dofs).
QpccProblem MakeRandomQpcc(const RandomQpccSettings& settings, std::uint64_t seed);

}  // namespace tactus
