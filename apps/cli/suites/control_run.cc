#include "apps/cli/suites/control_run.h"

#include <algorithm>
#include <cmath>

#include "apps/cli/control_log.h"
#include "apps/cli/scene_library.h"
#include "apps/cli/soft_log.h"
#include "tactus/control/soft_controller.h"
#include "tactus/control/task_controller.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/scene_file.h"

namespace tactus::cli {

namespace {

// `Log`: ControlLog or SoftLog.
template <typename Log, typename ControllerType>
std::vector<GoalResult> Run(const SceneDescription& scene, const SceneSimulation& simulation,
                            const ControllerType& controller, ControlFigures* out, std::vector<TracePanel>* panels) {
  Simulator* const simulator = simulation.simulator.get();
  Log log(simulation, "", "");
  GoalJudge judge(scene, *simulator);
  const auto steps = std::llround(scene.duration / simulator->settings().scheme.step);
  std::int64_t updates = 0;
  bool moved = true;
  for (std::int64_t k = 0; k < steps && moved; ++k) {
    const StepReport report = simulator->Step();
    judge.Observe(*simulator, report);
    if (panels != nullptr) log.Append(*simulator);
    moved = report.moved();
    if (controller.updates() == updates) continue;
    updates = controller.updates();
    out->solve.push_back(1e3 * controller.report().solve.cpu_time);
    out->before.push_back(1e3 * controller.report().assembly_cpu_time);
    out->feasible += controller.report().solve.feasible() ? 1 : 0;
  }
  if (panels != nullptr) {
    log.Close("");
    *panels = log.MakePanels();
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
                                      ControlFigures* figures, SceneDescription* scene,
                                      std::vector<TracePanel>* panels) {
  SceneFileSettings files;
  files.overrides = set;
  files.seed = seed;
  *scene = LoadScene(FindScene(name), files);
  const SceneSimulation simulation = MakeSimulation(*scene);
  if (simulation.task_controllers.empty()) {
    return Run<SoftLog>(*scene, simulation, *simulation.soft_controllers.at(0), figures, panels);
  }
  return Run<ControlLog>(*scene, simulation, *simulation.task_controllers.at(0), figures, panels);
}

}  // namespace tactus::cli
