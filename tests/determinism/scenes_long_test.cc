// Long runs of every built-in scene: 10,000 steps, 1,000 of those with more than 200 bodies or 2,000 dofs that deform.
// No NaN, and every step that missed its tolerance says so.

#include <gtest/gtest.h>

#include "tactus/scene/compile_scene.h"
#include "tactus/scene/scene_file.h"
#include "tests/common/built_in_scenes.h"

namespace tactus {
namespace {

class LongRun : public testing::TestWithParam<std::string> {};

TEST_P(LongRun, StaysFiniteAndHonest) {
  const SceneDescription scene = LoadScene(BuiltInSceneFile(GetParam()));
  const SceneSimulation simulation = MakeSimulation(scene);
  Simulator& simulator = *simulation.simulator;
  const bool large = simulator.model().num_bodies() > 200 || simulator.deformables().num_dofs() > 2000;
  const int steps = large ? 1000 : 10000;
  int inaccurate = 0;
  double worst = 0;
  for (int k = 0; k < steps; ++k) {
    const StepReport report = simulator.Step();
    ASSERT_TRUE(report.moved()) << "step " << k << ": " << report.message;
    ASSERT_TRUE(simulator.state().q.allFinite() && simulator.state().v.allFinite()) << "step " << k;
    const double residual = report.solve.residual.worst();
    worst = std::max(worst, residual);
    if (report.status == StepStatus::Ok) {
      ASSERT_LE(residual, simulator.settings().solve.tolerance) << "step " << k;
    } else {
      ++inaccurate;
      ASSERT_FALSE(report.message.empty()) << "step " << k;
    }
  }
  RecordProperty("inaccurate_steps", inaccurate);
  std::printf("%s: %d steps, %d missed the tolerance and said so, worst residual %.2e\n", GetParam().c_str(), steps,
              inaccurate, worst);
}

INSTANTIATE_TEST_SUITE_P(All, LongRun, testing::ValuesIn(BuiltInScenes()), SceneTestName);

}  // namespace
}  // namespace tactus
