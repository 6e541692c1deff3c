#include "apps/cli/suites/control_run.h"

#include <algorithm>
#include <cmath>

#include "apps/cli/scene_library.h"
#include "tactus/control/soft_controller.h"
#include "tactus/control/task_controller.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/scene_file.h"

namespace tactus::cli {

namespace {

template <typename ControllerType>
std::vector<GoalResult> Run(const SceneDescription& scene, Simulator* simulator, const ControllerType& controller,
                            ControlFigures* out) {
  GoalJudge judge(scene, *simulator);
  const auto steps = std::llround(scene.duration / simulator->settings().scheme.step);
  std::int64_t updates = 0;
  bool moved = true;
  for (std::int64_t k = 0; k < steps && moved; ++k) {
    const StepReport report = simulator->Step();
    judge.Observe(*simulator, report);
    moved = report.moved();
    if (controller.updates() == updates) continue;
    updates = controller.updates();
    out->solve.push_back(1e3 * controller.report().solve.cpu_time);
    out->before.push_back(1e3 * controller.report().assembly_cpu_time);
    out->feasible += controller.report().solve.feasible() ? 1 : 0;
  }
  std::vector<GoalResult> goals = judge.Judge(*simulator);
  const bool all = std::all_of(goals.begin(), goals.end(), [](const GoalResult& goal) { return goal.met; });
  ++out->runs;
  out->done += moved && all ? 1 : 0;
  return goals;
}

}  // namespace

double ControlFigures::feasible_percent() const {
  return 100.0 * feasible / std::max(1.0, static_cast<double>(solve.size()));
}

std::vector<GoalResult> RunControlled(const std::string& name, const std::vector<std::string>& set, std::uint64_t seed,
                                      ControlFigures* figures, SceneDescription* scene) {
  SceneFileSettings files;
  files.overrides = set;
  files.seed = seed;
  *scene = LoadScene(FindScene(name), files);
  const SceneSimulation simulation = MakeSimulation(*scene);
  if (simulation.task_controllers.empty()) {
    return Run(*scene, simulation.simulator.get(), *simulation.soft_controllers.at(0), figures);
  }
  return Run(*scene, simulation.simulator.get(), *simulation.task_controllers.at(0), figures);
}

}  // namespace tactus::cli
