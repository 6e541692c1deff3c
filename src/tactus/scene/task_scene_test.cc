// Controllers of type task, and goals that are watched, out of scene files.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/control/task_controller.h"
#include "tactus/core/error.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/goals.h"
#include "tactus/scene/scene_file.h"
#include "tactus/scene/scene_testing.h"

namespace tactus {
namespace {

using testing::HasSubstr;

std::string Panda(const std::string& tasks) {
  return "models: [{name: panda, builtin: panda_tool}]\ncontrollers:\n  - {type: task, joints: [panda/*], tasks: [" +
         tasks + "]}";
}

TEST(TaskScene, TasksAreWhatTheFileSays) {
  const SceneSimulation simulation = MakeSimulation(ParseScene(
      Panda(
          "{type: pose, name: tip, body: panda/tool_tip, axes: xz, gain: 7, damping: 30, rotation_weight: 2, from: 1},"
          "{type: posture, joints: [panda/panda_joint3]}, {type: torque, weight: 1e-3}"),
      "s.yaml"));
  ASSERT_EQ(simulation.task_controllers.size(), 1u);
  const TaskController& controller = *simulation.task_controllers[0];
  EXPECT_DOUBLE_EQ(controller.period(), 1e-3);
  EXPECT_EQ(controller.robot().motors.size(), 7u);
  const std::vector<TaskTerm>& tasks = controller.settings().tasks;
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(tasks[0].name, "tip");
  EXPECT_EQ(tasks[0].axes, (std::array<bool, 3>{true, false, true}));
  EXPECT_EQ(tasks[0].gain, 7);
  EXPECT_EQ(tasks[0].damping, 30);
  EXPECT_EQ(tasks[0].rotation_weight, 2);
  EXPECT_FALSE(tasks[0].Counts(0.5));
  // Without a path it stays where it is.
  const Vector3 p = simulation.simulator->LinkPose(simulation.simulator->model().FindLink("panda/tool_tip")).p;
  EXPECT_LT((tasks[0].path.Evaluate(3).p - p).norm(), 1e-12);
  EXPECT_EQ(tasks[1].dofs, std::vector<int>{2});
  EXPECT_EQ(tasks[2].name, "torque");
  EXPECT_EQ(tasks[2].dofs.size(), 7u);
}

TEST(TaskScene, MistakesAreNamed) {
  EXPECT_THAT(Refusal(Panda("{type: position, body: panda/nothing}")), HasSubstr("panda/nothing"));
  EXPECT_THAT(Refusal(Panda("{type: position, body: panda/tool_tip, axes: xw}")), HasSubstr("x, y and z"));
  EXPECT_THAT(Refusal(Panda("{type: force, body: panda/tool_tip}")), HasSubstr("no target"));
  EXPECT_THAT(Refusal(Panda("{type: height, body: panda/tool_tip, target: [[0, 1, 2]]}")), HasSubstr("1 values"));
  EXPECT_THAT(Refusal(Panda("{type: posture, joints: [panda/joint99]}")), HasSubstr("joint99"));
  EXPECT_THAT(Refusal(Panda("")), HasSubstr("no tasks"));
  EXPECT_THAT(Refusal(Panda("{type: position, body: panda/tool_tip, weight: 0}")), HasSubstr("weight"));
}

// A cube of 2 kg that rests on the floor, for 0.2 s.
std::vector<GoalResult> JudgeCube(const std::string& goal, double speed = 0) {
  const SceneDescription scene = ParseScene(
      "time_step: 0.005\nobjects:\n  - {name: floor, fixed: true, material: {friction: 0.2}, shape: {type: plane}}\n"
      "  - {name: cube, mass: 2, material: {friction: 0.2}, shape: {type: box, size: [0.1, 0.1, 0.1]}, pose: "
      "{position: [0, 0, 0.05]}, "
      "velocity: {linear: [" +
          std::to_string(speed) + ", 0, 0]}}\ngoals: [" + goal + "]",
      "s.yaml");
  const SceneSimulation simulation = MakeSimulation(scene);
  GoalJudge judge(scene, *simulation.simulator);
  for (int k = 0; k < 40; ++k) {
    const StepReport report = simulation.simulator->Step();
    judge.Observe(*simulation.simulator, report);
  }
  return judge.Judge(*simulation.simulator);
}

TEST(WatchedGoals, ForcesAreMeasured) {
  const GoalResult good =
      JudgeCube("{type: contact_force, bodies: [cube], least: 19.6, most: 19.7, from: 0.05, window: 0.02}")[0];
  EXPECT_TRUE(good.met) << good.detail;
  EXPECT_NEAR(good.least, 2 * 9.81, 1e-6);
  EXPECT_NEAR(good.most, 2 * 9.81, 1e-6);
  EXPECT_FALSE(JudgeCube("{type: contact_force, bodies: [cube], least: 19.63, most: 30, from: 0.05}")[0].met);
  EXPECT_FALSE(JudgeCube("{type: contact_force, bodies: [cube], least: 0, most: 30, from: 5}")[0].met);  // never seen
}

TEST(WatchedGoals, ModesAreMeasured) {
  const auto goal = [](const std::string& mode) {
    return "{type: contact_mode, bodies: [cube], mode: " + mode + ", from: 0.02, to: 0.1}";
  };
  EXPECT_TRUE(JudgeCube(goal("stick"))[0].met);
  EXPECT_FALSE(JudgeCube(goal("slip"))[0].met);
  EXPECT_FALSE(JudgeCube(goal("open"))[0].met);
  EXPECT_TRUE(JudgeCube(goal("slip"), 2)[0].met);
}

TEST(WatchedGoals, TaskErrorsNeedATask) {
  EXPECT_THROW(JudgeCube("{type: task_error, task: nothing, most: 1}"), InputError);
}

}  // namespace
}  // namespace tactus
