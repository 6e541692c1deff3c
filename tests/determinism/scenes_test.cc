// Scenes give the same bits: run to run, for any number of threads, and after a snapshot at any step.
#include <memory>

#include <gtest/gtest.h>

#include "tactus/scene/compile_scene.h"
#include "tactus/scene/scene_file.h"
#include "tests/common/built_in_scenes.h"

namespace tactus {
namespace {

std::unique_ptr<Simulator> Make(const std::string& scene, int threads) {
  const SceneDescription description = LoadScene(BuiltInSceneFile(scene));
  SimulatorSettings settings = MakeSettings(description.settings);
  settings.threads = threads;
  return std::move(MakeSimulation(description, settings).simulator);
}

class Scenes : public testing::TestWithParam<std::string> {};

TEST_P(Scenes, SameBits) {
  const auto first = Make(GetParam(), 1);
  const bool large = first->model().num_bodies() > 200 || first->deformables().num_dofs() > 2000;
  const int steps = large ? 12 : 120;
  const auto second = Make(GetParam(), 1), threaded = Make(GetParam(), 2), restored = Make(GetParam(), 2);
  for (int k = 0; k < steps; ++k) {
    // A simulator that is given a snapshot every few steps, and runs on from there.
    if (k % 7 == 3) restored->Restore(Snapshot::Deserialize(second->MakeSnapshot().Serialize()));
    for (Simulator* simulator : {first.get(), second.get(), threaded.get()}) {
      ASSERT_TRUE(simulator->Step().moved()) << "step " << k;
    }
    if (k >= 3) {
      ASSERT_TRUE(restored->Step().moved()) << "step " << k;
      ASSERT_EQ(first->CalcStateHash(), restored->CalcStateHash()) << "restored, step " << k;
    }
    ASSERT_EQ(first->CalcStateHash(), second->CalcStateHash()) << "again, step " << k;
    ASSERT_EQ(first->CalcStateHash(), threaded->CalcStateHash()) << "2 threads, step " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Scenes, testing::ValuesIn(BuiltInScenes()), SceneTestName);

}  // namespace
}  // namespace tactus
