// Rows of `tactus bench inverse` about soft robots: every method on the same problems (paper 004, Tables II to IV,
// figures 9 and 10).
#pragma once

#include <vector>

#include "apps/cli/bench_suite.h"

namespace tactus::cli {

/// Their scenes in closed loop, with seeds from 1 to `seeds`; quick: the first scene alone.
void AddSoftSceneRows(int seeds, bool quick, std::vector<BenchTrace>* traces, std::vector<BenchRow>* rows);
/// Some minutes: methods to compare with have a time limit a problem, which the names of rows say. Writes
/// settings.data, and beside it the same as a picture (.svg).
void AddSoftRows(const BenchSettings& settings, std::vector<BenchRow>* rows);

}  // namespace tactus::cli
