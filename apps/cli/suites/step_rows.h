// Rows of suite `scenarios` that rebuild figures and a table of papers 000 and 003 step by step.
#pragma once

#include <vector>

#include "apps/cli/bench_suite.h"

namespace tactus::cli {

/// 000, Figs. 7 and 9 (003, Fig. 2): residual and time after so many iterations, on the only step of each trial.
void AddStepCurves(const char* scene, bool quick, std::vector<BenchRow>* rows);
/// The hybrid to 1e-8 on the same problems; PGS, and CANAL as published, in ten times the hybrid's time on each.
void AddTenfoldTime(const char* scene, bool quick, std::vector<BenchRow>* rows);
/// 000, Table II: ten loops of the augmented Lagrangian, their inner problems solved in three ways.
void AddLoopTable(bool quick, std::vector<BenchRow>* rows);
/// 000, Fig. 14: dishes that slide, by the soft convex law and by few iterations of CANAL; the curves go to `traces`
/// unless that is null.
void AddConvexSliding(std::vector<BenchTrace>* traces, std::vector<BenchRow>* rows);

}  // namespace tactus::cli
