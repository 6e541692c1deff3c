#include "apps/cli/suites/control_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "apps/cli/scene_library.h"
#include "apps/cli/statistics.h"
#include "apps/cli/suites/scenario_runs.h"
#include "tactus/control/task_controller.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/goals.h"
#include "tactus/scene/scene_file.h"

namespace tactus::cli {

namespace {

// A scene, and the goals whose figures are rows: the greatest error of a task, the relative error of a force.
struct ControlScene {
  const char* title;
  const char* scene;
  std::vector<std::string> set;
  const char* force;  ///< a goal on forces with bars of 5 % about the target; empty: none
  const char* error;  ///< a goal on the error of a task; empty: none
};

const std::vector<ControlScene>& ControlScenes() {
  static const std::vector<ControlScene> table = {
      {"go2-stand", "go2-stand", {}, "", "height"},
      {"go2-jump", "go2-jump", {}, "", "height"},
      {"franka-sanding", "franka-sanding", {}, "force while sliding", "path"},
      {"franka-polishing", "franka-polishing", {}, "force while sliding", "path"},
      {"sliding-cube", "sliding-cube", {}, "", "on its way"},
      {"sliding-cube, exponential", "sliding-cube", {"exponential=1"}, "", ""},
  };
  return table;
}

struct ControlFigures {
  int runs = 0, done = 0;
  double force = 0, error = 0;
  std::vector<double> solve, before;  // processor time of control steps [ms]
  int feasible = 0;
};

void RunControl(const ControlScene& entry, std::uint64_t seed, ControlFigures* out) {
  SceneFileSettings files;
  files.overrides = entry.set;
  files.seed = seed;
  const SceneDescription scene = LoadScene(FindScene(entry.scene), files);
  const SceneSimulation simulation = MakeSimulation(scene);
  Simulator& simulator = *simulation.simulator;
  const TaskController& controller = *simulation.task_controllers.at(0);
  GoalJudge judge(scene, simulator);
  const auto steps = std::llround(scene.duration / simulator.settings().scheme.step);
  std::int64_t updates = 0;
  bool moved = true;
  for (std::int64_t k = 0; k < steps && moved; ++k) {
    const StepReport report = simulator.Step();
    judge.Observe(simulator, report);
    moved = report.moved();
    if (controller.updates() == updates) continue;
    updates = controller.updates();
    out->solve.push_back(1e3 * controller.report().solve.cpu_time);
    out->before.push_back(1e3 * controller.report().assembly_cpu_time);
    out->feasible += controller.report().solve.feasible() ? 1 : 0;
  }
  const std::vector<GoalResult> goals = judge.Judge(simulator);
  bool all = moved;
  for (std::size_t k = 0; k < goals.size(); ++k) {
    all = all && goals[k].met;
    if (goals[k].name == entry.error) out->error = std::max(out->error, goals[k].most);
    if (goals[k].name == entry.force) {
      const double target = 0.5 * (scene.goals[k].least + scene.goals[k].most);
      out->force = std::max({out->force, (goals[k].most - target) / target, (target - goals[k].least) / target});
    }
  }
  ++out->runs;
  out->done += all ? 1 : 0;
}

}  // namespace

void AddControlRows(bool quick, std::vector<BenchRow>* rows) {
  for (const ControlScene& entry : ControlScenes()) {
    ControlFigures f;
    for (std::uint64_t seed = 1; seed <= (quick ? 1u : 5u); ++seed) RunControl(entry, seed, &f);
    const auto name = [&](const char* what) { return fmt::format("{}: {}", entry.title, what); };
    rows->push_back(BenchRow::AtLeast(name("runs that met all goals"), f.done, fmt::format("of {}", f.runs), f.runs));
    if (entry.force[0] != '\0') {
      rows->push_back(BenchRow::AtMost(name("worst error of the force while sliding"), 100 * f.force, "%", 5));
    }
    if (entry.error[0] != '\0') {
      rows->push_back(BenchRow::Measured(name("greatest error of the task"), 1e3 * f.error, "mm"));
    }
    rows->push_back(BenchRow::AtMost(name("solve of a control step, median"), Quantile(f.solve, 0.5), "ms", 1));
    rows->push_back(BenchRow::AtMost(name("solve of a control step, 99 %"), Quantile(f.solve, 0.99), "ms", 1));
    rows->push_back(BenchRow::Measured(name("contacts and dynamics before it, median"), Quantile(f.before, 0.5), "ms"));
    rows->push_back(BenchRow::Measured(name("answers that obey law and dynamics"),
                                       100.0 * f.feasible / static_cast<double>(f.solve.size()), "%"));
  }
}

}  // namespace tactus::cli
