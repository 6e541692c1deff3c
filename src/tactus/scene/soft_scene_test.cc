// Soft actuators and controllers of type soft out of scene files.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/control/soft_controller.h"
#include "tactus/core/error.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/goals.h"
#include "tactus/scene/scene_file.h"
#include "tactus/scene/scene_testing.h"

namespace tactus {
namespace {

using testing::HasSubstr;

// A hollow box on a motor, with a cable.
std::string Box(const std::string& parts, const std::string& rest = "") {
  return R"(
duration: 0.2
time_step: 0.01
gravity: [0, 0, 0]
objects: [{name: ground, fixed: true, shape: {type: plane}, pose: {position: [0, 0, -1]}}]
deformables:
  - name: box
    type: fem
    mesh: {type: box, size: [0.04, 0.04, 0.04], cells: [4, 4, 4],
           holes: [{low: [-0.01, -0.01, -0.01], high: [0.01, 0.01, 0.01]}]}
    young: 1e5
    stiffness_damping: 0.02
    pose: {position: [1, 0, 0]}
    )" + parts +
         "\n" + rest;
}

constexpr const char* kParts = R"(cables: [{name: pull, points: [[0.015, 0, 0.02], [0.015, 0, -0.02]], most: 5}]
    cavities: [{name: room, low: [-0.01, -0.01, -0.01], high: [0.01, 0.01, 0.01], least: -100, most: 2e3}]
    motors: [{name: lift, low: [-1, -1, -1], high: [1, 1, -0.0199], axis: [0, 0, 2], speed: 0.1, back: 0.01, forth: 0.02}])";
constexpr const char* kController = R"(controllers:
  - {type: soft, rate: 50, margin: 0.001, effort_weight: 1e-6, change_weight: 1e-6, max_contacts: 20, filter: false,
     tasks: [{name: top, deformable: box, low: [-1, -1, 0.0199], high: [1, 1, 1], axes: z, gain: 20, relative: true,
              target: [[0, 0, 0, 0], [0.1, 0, 0, 0.003]]}]}
goals: [{type: task_error, name: near, task: top, from: 0.15, most: 5e-4}])";

TEST(SoftScene, ActuatorsAndTasksAreWhatTheFileSays) {
  const SceneDescription scene = ParseScene(Box(kParts, kController), "s.yaml");
  const SceneSimulation simulation = MakeSimulation(scene);
  Simulator& simulator = *simulation.simulator;
  ASSERT_EQ(simulator.soft_actuators().size(), 3u);
  const SoftActuator &cable = simulator.soft_actuators()[0], &room = simulator.soft_actuators()[1],
                     &lift = simulator.soft_actuators()[2];
  EXPECT_EQ(cable.name, "pull");
  EXPECT_EQ(cable.upper, 5);
  EXPECT_EQ(cable.lower, 0);
  EXPECT_NEAR(dynamic_cast<const Cable&>(*cable.force).CalcLength(simulator.state().deformables[0].q), 0.04, 1e-12);
  EXPECT_EQ(room.lower, -100);
  EXPECT_NEAR(dynamic_cast<const PressureCavity&>(*room.force).CalcVolume(simulator.state().deformables[0].q), 8e-6,
              1e-15);
  EXPECT_TRUE(lift.is_motor());
  EXPECT_EQ(lift.items.size(), 25u);
  EXPECT_EQ(lift.axis, Vector3::UnitZ());
  EXPECT_EQ(lift.lower, -0.1);
  EXPECT_EQ(lift.travel_lower, -0.01);
  EXPECT_EQ(lift.travel_upper, 0.02);
  ASSERT_EQ(simulation.soft_controllers.size(), 1u);
  const SoftControllerSettings& settings = simulation.soft_controllers[0]->settings();
  EXPECT_DOUBLE_EQ(settings.inverse.period, 0.02);
  EXPECT_EQ(settings.inverse.max_contacts, 20);
  EXPECT_FALSE(settings.inverse.filter);
  ASSERT_EQ(settings.tasks.size(), 1u);
  EXPECT_EQ(settings.tasks[0].items.size(), 25u);
  EXPECT_EQ(settings.tasks[0].gain, 20);
  EXPECT_NEAR(settings.tasks[0].target.values[1][0], 1, 1e-12);
  EXPECT_NEAR(settings.tasks[0].target.values[1][2], 0.023, 1e-12);

  GoalJudge judge(scene, simulator);
  for (int k = 0; k < 20; ++k) {
    const StepReport report = simulator.Step();
    ASSERT_TRUE(report.moved());
    judge.Observe(simulator, report);
  }
  EXPECT_EQ(simulation.soft_controllers[0]->updates(), 10);
  const std::vector<GoalResult> goals = judge.Judge(simulator);
  EXPECT_TRUE(goals[0].met) << goals[0].detail;
  EXPECT_GT(goals[0].most, 0);
}

TEST(SoftScene, RefusesWhatDoesNotFit) {
  EXPECT_THAT(Refusal(Box("cables: [{name: a, points: [[0, 0, 0]], most: 1}]")), HasSubstr("two points"));
  EXPECT_THAT(Refusal(Box("cavities: [{name: a, low: [-1, -1, 0], high: [1, 1, 1], most: 1}]")), HasSubstr("'a'"));
  EXPECT_THAT(Refusal(Box("motors: [{name: a, items: [0], axis: [0, 0, 0], speed: 1, back: 0, forth: 0}]")),
              HasSubstr("not zero"));
  const std::string begin = "controllers: [{type: soft, tasks: [", end = "]}]";
  EXPECT_THAT(Refusal(Box(kParts, begin + "{name: a, deformable: bix, items: [0]}" + end)), HasSubstr("'bix'"));
  EXPECT_THAT(Refusal(Box(kParts, begin + "{name: a, items: [0]}" + end)), HasSubstr("both or none"));
  EXPECT_THAT(Refusal(Box(kParts, begin + end)), HasSubstr("no tasks"));
  EXPECT_THAT(Refusal(Box("", begin + "{name: a, deformable: box, items: [0]}" + end)), HasSubstr("no soft actuators"));
}

}  // namespace
}  // namespace tactus
