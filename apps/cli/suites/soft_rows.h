// Rows of `tactus bench inverse` about soft robots: every method on the same problems (paper 004, Tables II to IV,
// figures 9 and 10).
#pragma once

#include <vector>

#include "apps/cli/bench_suite.h"

namespace tactus::cli {

/// Their scenes in closed loop.
void AddSoftSceneRows(bool quick, std::vector<BenchRow>* rows);
void AddSoftRows(const BenchSettings& settings, std::vector<BenchRow>* rows);

}  // namespace tactus::cli
