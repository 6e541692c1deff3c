// Scenes of soft robots in closed loop: goals met, errors, times of a control step.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/statistics.h"
#include "apps/cli/suites/control_run.h"
#include "apps/cli/suites/soft_rows.h"

namespace tactus::cli {

namespace {

struct SoftScene {
  const char* title;
  const char* scene;
  std::vector<std::string> set;
  const char* figure = "";  // of paper 004, whose curves the first run gives; empty: none
};

const std::vector<SoftScene>& SoftScenes() {
  static const std::vector<SoftScene> table = {
      {"soft-finger", "soft-finger", {}, "Fig. 15"},
      {"soft-trunk", "soft-trunk", {}},
      {"soft-quadrupod", "soft-quadrupod", {}, "Fig. 14, top"},
      {"soft-quadrupod, exponential", "soft-quadrupod", {"exponential=1"}, "Fig. 14, bottom"},
      {"soft-tower", "soft-tower", {}},
  };
  return table;
}

// The greatest of the goals on errors [m].
double RunSoftScene(const SoftScene& entry, std::uint64_t seed, ControlFigures* figures,
                    std::vector<BenchTrace>* traces) {
  SceneDescription scene;
  BenchTrace trace{fmt::format("{} (004, {})", entry.title, entry.figure), {}};
  const bool traced = traces != nullptr && entry.figure[0] != '\0' && seed == 1;
  const std::vector<GoalResult> goals =
      RunControlled(entry.scene, entry.set, seed, figures, &scene, traced ? &trace.panels : nullptr);
  if (traced) traces->push_back(std::move(trace));
  double error = 0;
  for (std::size_t k = 0; k < goals.size(); ++k) {
    if (scene.goals[k].type == SceneGoalType::TaskError) error = std::max(error, goals[k].most);
  }
  return error;
}

}  // namespace

void AddSoftSceneRows(int seeds, const BenchSettings& settings, std::vector<BenchRow>* rows) {
  for (const SoftScene& entry : SoftScenes()) {
    if (!settings.Wants(entry.title)) continue;
    ControlFigures f;
    double error = 0;
    for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(seeds); ++seed) {
      error = std::max(error, RunSoftScene(entry, seed, &f, settings.traces));
    }
    const auto name = [&](const char* what) { return fmt::format("{}: {}", entry.title, what); };
    rows->push_back(BenchRow::AtLeast(name("runs that met all goals"), f.done, fmt::format("of {}", f.runs), f.runs));
    rows->push_back(BenchRow::Measured(name("greatest error of the task while judged"), 1e3 * error, "mm"));
    rows->push_back(
        BenchRow::Measured(name("solve of a control step, median"), Quantile(f.solve, 0.5), "ms").WithSpread(f.solve));
    rows->push_back(BenchRow::Measured(name("solve of a control step, 99 %"), Quantile(f.solve, 0.99), "ms"));
    rows->push_back(
        BenchRow::Measured(name("contacts and compliances before it, median"), Quantile(f.before, 0.5), "ms")
            .WithSpread(f.before));
    rows->push_back(BenchRow::Measured(name("answers that obey law and dynamics"), f.feasible_percent(), "%"));
    if (settings.quick) break;
  }
}

}  // namespace tactus::cli
