#include "apps/cli/inverse/soft_problems.h"

#include <algorithm>

#include <fmt/format.h>

#include "apps/cli/scene_library.h"
#include "tactus/core/error.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/compile_soft.h"
#include "tactus/scene/scene_file.h"

namespace tactus::cli {

SoftRobotSize SampleSoftRobot(const std::string& name, const std::vector<std::string>& set,
                              const SoftSampleSettings& settings, const std::function<void(const QpccProblem&)>& take) {
  SceneFileSettings files;
  files.seed = settings.seed;
  files.overrides = set;
  SceneDescription scene = LoadScene(FindScene(name), files);
  const auto soft = [](const SceneController& c) { return c.type == SceneControllerType::Soft; };
  Require(std::count_if(scene.controllers.begin(), scene.controllers.end(), soft) == 1, "scene '" + name + "'",
          "it has none or several controllers of type soft", "one");
  const SceneController controller = *std::find_if(scene.controllers.begin(), scene.controllers.end(), soft);
  // Nothing but the extremes drives the robot.
  scene.controllers.clear();
  scene.goals.clear();
  const SceneSimulation simulation = MakeSimulation(scene);
  Simulator& simulator = *simulation.simulator;
  const SoftControllerSettings parts = MakeSoftSettings(controller, scene, simulator);
  SoftInverseSettings inverse_settings = parts.inverse;
  inverse_settings.effort_weight = inverse_settings.change_weight = 0;
  SoftInverse inverse(simulator, inverse_settings, parts.tasks);
  SoftRobotSize size;
  size.actuators = static_cast<int>(simulator.soft_actuators().size());
  for (int k = 0; k < simulator.deformables().size(); ++k) {
    const auto* body = dynamic_cast<const FemBody*>(&simulator.deformables().body(k));
    size.nodes += simulator.deformables().body(k).num_items();
    size.tets += body != nullptr ? body->num_elements() : 0;
  }
  const std::string with = set.empty() ? "" : fmt::format(" with {}", fmt::join(set, ", "));
  SampleSoftProblems(settings, &simulator, &inverse, [&](const SoftSample& sample) {
    QpccProblem problem = sample.problem;
    problem.name = fmt::format("{} {}", scene.name, sample.number);
    problem.provenance = fmt::format("scene {}{}, seed {}, t = {:g} s of extremal actuation, {} nodes, {} tetrahedra",
                                     name, with, settings.seed, sample.time, size.nodes, size.tets);
    take(problem);
  });
  return size;
}

}  // namespace tactus::cli
