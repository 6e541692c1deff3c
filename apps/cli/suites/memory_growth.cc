#include "apps/cli/suites/memory_growth.h"

#include <fmt/format.h>

#include "apps/cli/statistics.h"
#include "apps/cli/suites/scenario_runs.h"

namespace tactus::cli {

namespace {

// Growth that is not worse than linear, but for what does not fill up its last page or array.
constexpr double kLinear = 1.1;

void AddGrowth(const char* scene, const char* parameter, const std::vector<int>& sizes, const RunPlan& common,
               bool dofs, std::vector<BenchRow>* rows) {
  const char* unit = dofs ? "dof" : "body";
  std::vector<double> x, y;
  for (const int size : sizes) {
    RunPlan plan = common;
    plan.set = {fmt::format("{}={}", parameter, size)};
    const SceneMemory memory = MeasureSceneMemory(scene, plan);
    x.push_back(dofs ? memory.dofs : memory.bodies);
    y.push_back(memory.bytes);
    const std::string what =
        fmt::format("{} with {}={}, memory of simulator and {}", scene, parameter, size, plan.solver);
    BenchRow total = BenchRow::Measured(what, 1e-6 * memory.bytes, "MB");
    total.better = BenchRow::Better::Lower;
    rows->push_back(total);
    rows->push_back(BenchRow::Measured(fmt::format("{}: per {}", what, unit), y.back() / x.back(), "bytes"));
    rows->push_back(BenchRow::Measured(what + ": contacts", memory.contacts, ""));
  }
  rows->push_back(BenchRow::AtMost(fmt::format("{}: exponent of memory over {}", scene, dofs ? "dofs" : "bodies"),
                                   FitExponent(x, y), "", kLinear));
}

}  // namespace

void AddSphereMemory(bool quick, std::vector<BenchRow>* rows) {
  RunPlan plan;
  plan.solver = "subadmm";
  plan.iterations = 20;
  plan.linearizations = 1;
  plan.steps = 30;
  AddGrowth("granular-stir", "particles",
            quick ? std::vector<int>{100, 316, 1000} : std::vector<int>{100, 316, 1000, 3162, 10000}, plan, false,
            rows);
}

void AddMatMemory(bool quick, std::vector<BenchRow>* rows) {
  RunPlan plan;
  plan.solver = "cond";
  plan.iterations = 50;
  plan.linearizations = 1;
  plan.steps = 20;  // it lies on the box by then
  AddGrowth("soft-mat-drop", "cells", quick ? std::vector<int>{8, 14, 24} : std::vector<int>{8, 14, 24, 40, 60}, plan,
            true, rows);
}

}  // namespace tactus::cli
