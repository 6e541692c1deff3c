// Long runs of every built-in scene: 10,000 steps, 1,000 of those with more than 200 bodies. No NaN, and every step
// that missed its tolerance says so.
#include <filesystem>

#include <gtest/gtest.h>

#include "tactus/io/data_folder.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/scene_file.h"

namespace tactus {
namespace {

std::vector<std::string> AllScenes() {
  std::vector<std::string> out;
  const std::filesystem::path folder = FindDataFolder("scenes");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    out.push_back(std::filesystem::relative(entry.path(), folder).replace_extension().generic_string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

class LongRun : public testing::TestWithParam<std::string> {};

TEST_P(LongRun, StaysFiniteAndHonest) {
  const SceneDescription scene = LoadScene(FindDataFolder("scenes") / (GetParam() + ".yaml"));
  const SceneSimulation simulation = MakeSimulation(scene);
  Simulator& simulator = *simulation.simulator;
  const int steps = simulator.model().num_bodies() > 200 ? 1000 : 10000;
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

INSTANTIATE_TEST_SUITE_P(All, LongRun, testing::ValuesIn(AllScenes()), [](const auto& scene) {
  std::string name = scene.param;
  for (char& c : name) {
    if (c == '/' || c == '-') c = '_';
  }
  return name;
});

}  // namespace
}  // namespace tactus
