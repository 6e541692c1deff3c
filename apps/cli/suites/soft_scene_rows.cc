// Scenes of soft robots in closed loop: goals met, errors, times of a control step.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/scene_library.h"
#include "apps/cli/statistics.h"
#include "apps/cli/suites/soft_rows.h"
#include "tactus/control/soft_controller.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/goals.h"
#include "tactus/scene/scene_file.h"

namespace tactus::cli {

namespace {

struct SoftScene {
  const char* title;
  const char* scene;
  std::vector<std::string> set;
};

const std::vector<SoftScene>& SoftScenes() {
  static const std::vector<SoftScene> table = {
      {"soft-finger", "soft-finger", {}},       {"soft-trunk", "soft-trunk", {}},
      {"soft-quadrupod", "soft-quadrupod", {}}, {"soft-quadrupod, exponential", "soft-quadrupod", {"exponential=1"}},
      {"soft-tower", "soft-tower", {}},
  };
  return table;
}

struct SoftFigures {
  int runs = 0, done = 0, updates = 0, feasible = 0;
  double error = 0;                   // greatest of the goals on errors [m]
  std::vector<double> solve, before;  // processor time of control steps [ms]
};

void RunSoftScene(const SoftScene& entry, std::uint64_t seed, SoftFigures* out) {
  SceneFileSettings files;
  files.overrides = entry.set;
  files.seed = seed;
  const SceneDescription scene = LoadScene(FindScene(entry.scene), files);
  const SceneSimulation simulation = MakeSimulation(scene);
  Simulator& simulator = *simulation.simulator;
  const SoftController& controller = *simulation.soft_controllers.at(0);
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
    ++out->updates;
  }
  const std::vector<GoalResult> goals = judge.Judge(simulator);
  bool all = moved;
  for (std::size_t k = 0; k < goals.size(); ++k) {
    all = all && goals[k].met;
    if (scene.goals[k].type == SceneGoalType::TaskError) out->error = std::max(out->error, goals[k].most);
  }
  ++out->runs;
  out->done += all ? 1 : 0;
}

}  // namespace

void AddSoftSceneRows(bool quick, std::vector<BenchRow>* rows) {
  for (const SoftScene& entry : SoftScenes()) {
    SoftFigures f;
    for (std::uint64_t seed = 1; seed <= (quick ? 1u : 5u); ++seed) RunSoftScene(entry, seed, &f);
    const auto name = [&](const char* what) { return fmt::format("{}: {}", entry.title, what); };
    rows->push_back(BenchRow::AtLeast(name("runs that met all goals"), f.done, fmt::format("of {}", f.runs), f.runs));
    rows->push_back(BenchRow::Measured(name("greatest error of the task while judged"), 1e3 * f.error, "mm"));
    rows->push_back(BenchRow::Measured(name("solve of a control step, median"), Quantile(f.solve, 0.5), "ms"));
    rows->push_back(BenchRow::Measured(name("solve of a control step, 99 %"), Quantile(f.solve, 0.99), "ms"));
    rows->push_back(
        BenchRow::Measured(name("contacts and compliances before it, median"), Quantile(f.before, 0.5), "ms"));
    rows->push_back(BenchRow::Measured(name("answers that obey law and dynamics"),
                                       100.0 * f.feasible / std::max(1, f.updates), "%"));
    if (quick) break;
  }
}

}  // namespace tactus::cli
