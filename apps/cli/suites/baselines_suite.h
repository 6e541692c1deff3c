// The second part of suite `baselines`: whole simulators that paper 001 compares with.
#pragma once

#include <vector>

#include "apps/cli/bench_suite.h"

namespace tactus::cli {

/// Table I of paper 001: a box that is pushed along the floor, by springs and dampers.
void AddPenaltyTable(std::vector<BenchRow>* rows);
/// Fig. 14: a box on a floor with an ellipse of friction, against the law of maximum dissipation.
void AddAnisotropicTable(std::vector<BenchRow>* rows);
/// Table VIII: a cable that is wound on a cylinder, by position-based dynamics.
void AddXpbdTable(bool quick, std::vector<BenchRow>* rows);

}  // namespace tactus::cli
