// Runs scenes with goals from start to end.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tactus/scene/compile_scene.h"
#include "tactus/scene/goals.h"
#include "tactus/scene/scene_file.h"
#include "tests/common/built_in_scenes.h"

namespace tactus {

struct ScenarioOutcome {
  std::vector<GoalResult> goals;
  int unsolved = 0;        ///< steps that missed the solver's tolerance
  double penetration = 0;  ///< deepest of all steps [m]

  bool done() const {
    return std::all_of(goals.begin(), goals.end(), [](const GoalResult& goal) { return goal.met; });
  }
  /// What was missed, for messages.
  std::string missed() const {
    std::string out;
    for (const GoalResult& goal : goals) {
      if (!goal.met) out += goal.name + ": " + goal.detail + "\n";
    }
    return out;
  }
};

/// `set` as for `tactus run --set`.
inline ScenarioOutcome RunScenario(const std::string& scene, std::uint64_t seed, const std::vector<std::string>& set) {
  SceneFileSettings files;
  files.seed = seed;
  files.overrides = set;
  const SceneDescription description = LoadScene(BuiltInSceneFile(scene), files);
  const SceneSimulation simulation = MakeSimulation(description);
  Simulator& simulator = *simulation.simulator;
  GoalJudge judge(description, simulator);
  ScenarioOutcome out;
  const int steps = static_cast<int>(std::round(description.duration / simulator.settings().scheme.step));
  for (int k = 0; k < steps; ++k) {
    const StepReport report = simulator.Step();
    judge.Observe(simulator, report);
    out.unsolved += report.status == StepStatus::Ok ? 0 : 1;
    out.penetration = std::max(out.penetration, report.max_penetration);
  }
  out.goals = judge.Judge(simulator);
  return out;
}

}  // namespace tactus
