// A fixed piece of work to measure solvers by, so that bars on their times hold on any machine.
#pragma once

#include <vector>

#include "apps/cli/bench_suite.h"

namespace tactus::cli {

/// Factorizes and solves a dense system, and sweeps over blocks of three with a projection on cones: what solvers do,
/// in plain loops that change with machine and compiler and never with our solvers. Returns a number that depends on
/// all of it.
double RunYardstick();

/// Time of solvers over that of the yardstick, least of several turns. A solver that became slower by a factor of two
/// misses its bar, whatever the machine.
void AddYardstickRows(const BenchSettings& settings, std::vector<BenchRow>* rows);

}  // namespace tactus::cli
