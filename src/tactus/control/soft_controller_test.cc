#include "tactus/control/soft_controller.h"

#include <limits>

#include <gtest/gtest.h>

#include "tactus/control/soft_robots_testing.h"

namespace tactus {
namespace {

// The tip follows a way above the ground and then along it.
SoftController* AddController(Simulator* simulator) {
  SoftControllerSettings settings;
  SoftTask task = MakeTipTask(*simulator, Vector3(0.1, 0, 0.012));
  task.axes = {true, false, true};
  task.target.times = {0, 0.1, 0.4};
  task.target.values = {{0.1, 0, 0.012}, {0.0985, 0, 0.0105}, {0.0965, 0, 0.0105}};
  settings.tasks = {task};
  settings.inverse.change_weight = 1e-5;
  auto controller = std::make_unique<SoftController>(*simulator, settings);
  SoftController* out = controller.get();
  simulator->AddController(std::move(controller));
  return out;
}

TEST(SoftController, FollowsAWay) {
  const auto simulator = MakeSoftBeam(true);
  const SoftController* controller = AddController(simulator.get());
  const SoftTask& task = controller->settings().tasks[0];
  double worst = 0;
  int feasible = 0;
  for (int k = 0; k < 40; ++k) {
    ASSERT_TRUE(simulator->Step().moved());
    feasible += controller->report().solve.feasible() ? 1 : 0;
    EXPECT_EQ(controller->report().solve.drawn, 0) << "a control loop does not search";
    Vector3 error = CalcTip(*simulator, task) - controller->inverse().CalcTarget(0, simulator->time());
    error[1] = 0;
    if (k > 10) worst = std::max(worst, error.norm());
  }
  EXPECT_EQ(controller->updates(), 40);
  EXPECT_EQ(feasible, 40);
  EXPECT_LT(worst, 2e-4);
}

TEST(SoftController, GoesOnFromASnapshotBitByBit) {
  const auto first = MakeSoftBeam(true);
  AddController(first.get());
  for (int k = 0; k < 12; ++k) ASSERT_TRUE(first->Step().moved());
  const Snapshot snapshot = Snapshot::Deserialize(first->MakeSnapshot().Serialize());
  const auto second = MakeSoftBeam(true);
  AddController(second.get());
  second->Restore(snapshot);
  for (int k = 0; k < 5; ++k) {
    ASSERT_TRUE(first->Step().moved());
    ASSERT_TRUE(second->Step().moved());
    ASSERT_EQ(first->CalcStateHash(), second->CalcStateHash()) << k;
  }
}

// Last inputs that are not numbers, from which it is to change little: they stay as they are, and the report says why.
TEST(SoftController, SaysWhyItDoesNothing) {
  const auto simulator = MakeSoftBeam(true);
  SoftController* controller = AddController(simulator.get());
  Control control = simulator->control();
  control.soft[0] = std::numeric_limits<double>::quiet_NaN();
  controller->Update(*simulator, &control);
  EXPECT_EQ(controller->report().solve.status, QpccStatus::InvalidInput);
  EXPECT_FALSE(controller->report().solve.message.empty());
  EXPECT_EQ(control.soft[1], simulator->control().soft[1]);
}

}  // namespace
}  // namespace tactus
