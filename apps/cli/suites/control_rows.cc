#include "apps/cli/suites/control_rows.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "apps/cli/statistics.h"
#include "apps/cli/suites/control_run.h"

namespace tactus::cli {

namespace {

// A scene, and the goals whose figures are rows: the greatest error of a task, the relative error of a force.
struct ControlScene {
  const char* title;
  const char* scene;
  std::vector<std::string> set;
  const char* force;        ///< a goal on forces with bars of 5 % about the target; empty: none
  const char* error;        ///< a goal on the error of a task; empty: none
  const char* figure = "";  ///< of paper 004, whose curves the first run gives; empty: none
  bool quick = true;        ///< also in a quick run
};

const std::vector<ControlScene>& ControlScenes() {
  static const std::vector<ControlScene> table = {
      {"go2-stand", "go2-stand", {}, "", "height"},
      {"go2-jump", "go2-jump", {}, "", "height", "Fig. 7"},
      {"franka-sanding", "franka-sanding", {}, "force while sliding", "path", "Fig. 6"},
      {"franka-polishing", "franka-polishing", {}, "force while sliding", "path", "", false},
      {"sliding-cube", "sliding-cube", {}, "", "on its way", "Fig. 12, top", false},
      {"sliding-cube, exponential", "sliding-cube", {"exponential=1"}, "", "", "Fig. 12, bottom", false},
  };
  return table;
}

struct GoalFigures {
  double force = 0, error = 0;
};

void RunControl(const ControlScene& entry, std::uint64_t seed, ControlFigures* figures, GoalFigures* out,
                std::vector<BenchTrace>* traces) {
  SceneDescription scene;
  BenchTrace trace{fmt::format("{} (004, {})", entry.title, entry.figure), {}};
  const bool traced = traces != nullptr && entry.figure[0] != '\0' && seed == 1;
  const std::vector<GoalResult> goals =
      RunControlled(entry.scene, entry.set, seed, figures, &scene, traced ? &trace.panels : nullptr);
  if (traced) traces->push_back(std::move(trace));
  for (std::size_t k = 0; k < goals.size(); ++k) {
    if (goals[k].name == entry.error) out->error = std::max(out->error, goals[k].most);
    if (goals[k].name == entry.force) {
      const double target = 0.5 * (scene.goals[k].least + scene.goals[k].most);
      out->force = std::max({out->force, (goals[k].most - target) / target, (target - goals[k].least) / target});
    }
  }
}

}  // namespace

void AddControlRows(const BenchSettings& settings, std::vector<BenchRow>* rows) {
  for (const ControlScene& entry : ControlScenes()) {
    if (settings.quick && !entry.quick) continue;
    if (!settings.Wants(entry.title)) continue;
    ControlFigures f;
    GoalFigures goals;
    for (std::uint64_t seed = 1; seed <= (settings.quick ? 1u : 5u); ++seed) {
      RunControl(entry, seed, &f, &goals, settings.traces);
    }
    const auto name = [&](const char* what) { return fmt::format("{}: {}", entry.title, what); };
    rows->push_back(BenchRow::AtLeast(name("runs that met all goals"), f.done, fmt::format("of {}", f.runs), f.runs));
    if (entry.force[0] != '\0') {
      rows->push_back(BenchRow::AtMost(name("worst error of the force while sliding"), 100 * goals.force, "%", 5));
    }
    if (entry.error[0] != '\0') {
      rows->push_back(BenchRow::Measured(name("greatest error of the task"), 1e3 * goals.error, "mm"));
    }
    rows->push_back(
        BenchRow::AtMost(name("solve of a control step, median"), Quantile(f.solve, 0.5), "ms", 1).WithSpread(f.solve));
    rows->push_back(BenchRow::AtMost(name("solve of a control step, 99 %"), Quantile(f.solve, 0.99), "ms", 1));
    rows->push_back(BenchRow::Measured(name("contacts and dynamics before it, median"), Quantile(f.before, 0.5), "ms")
                        .WithSpread(f.before));
    rows->push_back(BenchRow::Measured(name("answers that obey law and dynamics"), f.feasible_percent(), "%"));
  }
}

}  // namespace tactus::cli
