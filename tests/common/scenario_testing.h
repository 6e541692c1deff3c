// Scenes with goals as tables of tests: what is run, with which changes and seeds, and what must come of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/scene/compile_scene.h"
#include "tactus/scene/goals.h"
#include "tactus/scene/scene_file.h"
#include "tests/common/built_in_scenes.h"

namespace tactus {

struct Scenario {
  std::string name;                  ///< of the test
  std::string scene;                 ///< of scenes/
  std::vector<std::string> set;      ///< as --set
  std::vector<std::uint64_t> seeds;  ///< one run each
  bool done = true;                  ///< false: some of the goals must be missed
  double until = 0;                  ///< [s], 0: as long as the scene
  std::vector<std::string> goals{};  ///< names of those that are looked at; none: all
};

inline std::string ScenarioName(const testing::TestParamInfo<Scenario>& info) { return info.param.name; }

/// Runs a scenario once for each of its seeds. If it is to be done, all steps must be solved, too.
inline void RunScenario(const Scenario& scenario) {
  for (const std::uint64_t seed : scenario.seeds) {
    SCOPED_TRACE(scenario.scene + ", seed " + std::to_string(seed));
    SceneFileSettings settings;
    settings.overrides = scenario.set;
    settings.seed = seed;
    const SceneDescription scene = LoadScene(BuiltInSceneFile(scenario.scene), settings);
    const SceneSimulation simulation = MakeSimulation(scene);
    Simulator& simulator = *simulation.simulator;
    GoalJudge judge(scene, simulator);
    const double end = scenario.until > 0 ? scenario.until : scene.duration;
    while (simulator.time() < end - 0.5 * simulator.settings().scheme.step) {
      const StepReport report = simulator.Step();
      ASSERT_TRUE(report.moved()) << "t = " << report.time << ": " << report.message;
      if (scenario.done) {
        EXPECT_EQ(report.status, StepStatus::Ok) << "t = " << report.time << ": " << report.message;
      }
      judge.Observe(simulator, report);
    }
    const auto counts = [&](const std::string& name) {
      return scenario.goals.empty() ||
             std::find(scenario.goals.begin(), scenario.goals.end(), name) != scenario.goals.end();
    };
    std::size_t looked_at = 0;
    bool all = true;
    for (const GoalResult& result : judge.Judge(simulator)) {
      if (!counts(result.name)) continue;
      ++looked_at;
      all = all && result.met;
      if (scenario.done) {
        EXPECT_TRUE(result.met) << result.name << ": " << result.detail;
      }
    }
    EXPECT_GT(looked_at, 0u);
    EXPECT_GE(looked_at, scenario.goals.size()) << "a goal that is named does not exist";
    EXPECT_EQ(all, scenario.done);
  }
}

}  // namespace tactus
