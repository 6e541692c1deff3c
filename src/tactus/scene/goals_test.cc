#include "tactus/scene/goals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/io/temporary_folder_testing.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/scene_file.h"

namespace tactus {
namespace {

using testing::HasSubstr;

// A ball of 1 kg on the floor, another one beside it, and a top that turns above.
constexpr const char* kScene = R"(
time_step: 0.01
objects:
  - {name: floor, fixed: true, shape: {type: plane}}
  - {name: ball_a, mass: 1, shape: {type: sphere, radius: 0.1}, pose: {position: [0, 0, 0.1]}}
  - {name: ball_b, mass: 1, shape: {type: sphere, radius: 0.1}, pose: {position: [1, 0, 0.5]}}
  - {name: top, mass: 1, shape: {type: sphere, radius: 0.1}, pose: {position: [5, 0, 0.1]}, material: {friction: 0},
     velocity: {angular: [0, 0, 2]}}
goals:
)";

std::vector<GoalResult> RunGoals(const std::string& goals, int steps) {
  const SceneDescription scene = ParseScene(kScene + goals, "s.yaml");
  const SceneSimulation simulation = MakeSimulation(scene);
  GoalJudge judge(scene, *simulation.simulator);
  for (int k = 0; k < steps; ++k) judge.Observe(*simulation.simulator, simulation.simulator->Step());
  return judge.Judge(*simulation.simulator);
}
bool Met(const std::string& goal, int steps = 100) { return RunGoals("  - " + goal, steps).at(0).met; }

TEST(Goals, Inside) {
  EXPECT_TRUE(Met("{type: inside, bodies: [ball_*], low: [-inf, -inf, 0.09], high: [inf, inf, 0.11]}"));
  EXPECT_FALSE(Met("{type: inside, bodies: [ball_*], high: [inf, inf, 0.11], always: true}"));
  EXPECT_TRUE(Met("{type: inside, bodies: [ball_*], high: [inf, inf, 0.11], always: true, share: 0.5}"));
  EXPECT_TRUE(Met("{type: inside, bodies: [ball_b], of: ball_a, low: [0.9, -1, -0.01], high: [1.1, 1, 0.01]}"));
  EXPECT_FALSE(Met("{type: inside, bodies: [ball_*], high: [0.5, inf, inf]}"));
  // What lies at the border is in, rounding or not.
  EXPECT_TRUE(Met("{type: inside, bodies: [ball_a], low: [-inf, -inf, 0.100000004]}"));
  EXPECT_FALSE(Met("{type: inside, bodies: [ball_a], low: [-inf, -inf, 0.10000002]}"));
}

TEST(Goals, RestTurnsAndWays) {
  EXPECT_TRUE(Met("{type: at_rest, bodies: [ball_*], speed: 1e-3, spin: 1e-3}"));
  EXPECT_FALSE(Met("{type: at_rest, bodies: [ball_*], speed: 1e-3, spin: 1e-3}", 10));
  EXPECT_FALSE(Met("{type: at_rest, bodies: [top], speed: 1e-3, spin: 1}"));
  // More than one turn counts as such: 5 s at 2 rad/s.
  EXPECT_TRUE(Met("{type: turned, bodies: [top], least: 9.99, most: 10.01}", 500));
  EXPECT_TRUE(Met("{type: turned, bodies: [top], axis: [0, 0, -2], least: -10.01, most: -9.99}", 500));
  EXPECT_FALSE(Met("{type: turned, bodies: [ball_a], least: 1, most: 2}"));
  EXPECT_TRUE(Met("{type: moved, bodies: [ball_b], least: 0.39, most: 0.41}"));
  EXPECT_FALSE(Met("{type: moved, bodies: [ball_a], least: 0.01}"));
  // It falls for 0.29 s; since 0.1 s by 0.35 m, since 0.5 s no more.
  EXPECT_TRUE(Met("{type: moved, bodies: [ball_b], since: 0.1, least: 0.34, most: 0.36}"));
  EXPECT_TRUE(Met("{type: moved, bodies: [ball_b], since: 0.5, most: 0.001}"));
  EXPECT_TRUE(Met("{type: upright, bodies: [top], most: 0.01}"));
  EXPECT_FALSE(Met("{type: upright, bodies: [top], axis: [1, 0, 0], most: 1}"));
  EXPECT_TRUE(Met("{type: penetration, most: 1e-3}"));
}

TEST(Goals, NamesAndMistakes) {
  EXPECT_EQ(RunGoals("  - {type: penetration, most: 1}", 1).at(0).name, "penetration");
  EXPECT_THAT(RunGoals("  - {type: inside, name: all, bodies: [ball_*], high: [0.5, inf, inf]}", 1).at(0).detail,
              HasSubstr("1 of 2 inside, the farthest 0.5 m out"));
  const auto error = [](const std::string& goal) {
    return ErrorOf([&] { ParseScene(std::string(kScene) + "  - " + goal, "s.yaml"); });
  };
  EXPECT_THAT(error("{type: inside, bodies: [bal_*]}"), HasSubstr("there are no bodies 'bal_*'"));
  EXPECT_THAT(error("{type: inside, bodies: [bal_a]}"), HasSubstr("did you mean 'ball_a'?"));
  EXPECT_THAT(error("{type: inside, bodies: []}"), HasSubstr("one body or more"));
  EXPECT_THAT(error("{type: turned, bodies: [top], axis: [0, 0, 0], least: 0, most: 1}"), HasSubstr("no direction"));
  EXPECT_THAT(error("{type: at_rest, bodies: [top]}"), HasSubstr("there is no 'speed'"));
}

// A rod that hangs from its first segment at rest, and a block of rubber that falls.
std::vector<GoalResult> RunSoft(const std::string& goal) {
  const SceneDescription scene = ParseScene(R"(
time_step: 0.01
deformables:
  - {name: rod, type: rod, length: 1, segments: 10, radius: 0.01, young: 1e7, mass_damping: 20, clamps: [{items: [0]}]}
  - {name: block, type: fem, mesh: {type: box, size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}, pose: {position: [5, 0, 0]}}
goals:
  - )" + goal,
                                            "s.yaml");
  const SceneSimulation simulation = MakeSimulation(scene);
  GoalJudge judge(scene, *simulation.simulator);
  for (int k = 0; k < 100; ++k) judge.Observe(*simulation.simulator, simulation.simulator->Step());
  return judge.Judge(*simulation.simulator);
}

TEST(Goals, OfDeformables) {
  const auto met = [](const std::string& goal) { return RunSoft(goal).at(0).met; };
  EXPECT_TRUE(met("{type: inside, bodies: [block], low: [4.9, -0.1, -10], high: [5.1, 0.1, -4]}"));
  EXPECT_FALSE(met("{type: inside, bodies: [block], low: [4.9, -0.1, -10], high: [5, 0.1, -4]}"));  // half of it
  EXPECT_TRUE(
      met("{type: inside, bodies: [block], part: {low: [-1, -1, -1], high: [-0.01, 1, 1]}, "
          "low: [4.9, -0.1, -10], high: [5, 0.1, -4]}"));
  EXPECT_THAT(RunSoft("{type: moved, bodies: [block], least: 4.7, most: 5.1}").at(0).detail, HasSubstr("27 of 27"));
  EXPECT_TRUE(met("{type: moved, bodies: [rod], part: {items: [0]}, most: 1e-12}"));
  EXPECT_FALSE(met("{type: moved, bodies: [rod], most: 1e-12}"));
  EXPECT_FALSE(met("{type: at_rest, bodies: [block], speed: 1, spin: 1}"));
  EXPECT_TRUE(met("{type: at_rest, bodies: [bl*], speed: 11, spin: 0}"));
  EXPECT_TRUE(met("{type: upright, bodies: [rod], axis: [0, 0, 1], part: {items: [0]}, most: 1 deg}"));
  EXPECT_THAT([] { RunSoft("{type: upright, bodies: [block], most: 1}"); },
              testing::ThrowsMessage<InputError>(HasSubstr("do not turn")));
  EXPECT_THAT([] { RunSoft("{type: moved, bodies: [rod], part: {items: [10]}}"); },
              testing::ThrowsMessage<InputError>(HasSubstr("no item 10")));
  EXPECT_THAT([] { RunSoft("{type: moved, bodies: [blok]}"); },
              testing::ThrowsMessage<InputError>(HasSubstr("there is no body 'blok'")));
}

}  // namespace
}  // namespace tactus
