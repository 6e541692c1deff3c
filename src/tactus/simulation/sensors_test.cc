#include "tactus/simulation/sensors.h"

#include <gtest/gtest.h>

#include "tactus/simulation/controllers.h"
#include "tactus/simulation/world_testing.h"

namespace tactus {
namespace {

void StepFor(Simulator* simulator, double duration) {
  const double end = simulator->time() + duration;
  while (simulator->time() < end - 1e-9) {
    const StepReport report = simulator->Step();
    ASSERT_EQ(report.status, StepStatus::Ok) << report.message;
  }
}

TEST(Sensors, WeightOfAStack) {
  TestWorld world;
  world.AddGround(0.5);
  world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 2, Pose(Vector3(0, 0, 0.1)));
  world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 3, Pose(Vector3(0.03, 0, 0.3)));
  const auto simulator = world.Make();
  StepFor(simulator.get(), 0.5);
  EXPECT_LT((CalcContactWrench(*simulator, 1).head<3>() - Vector3(0, 0, 3 * 9.81)).norm(), 1e-6);
  EXPECT_LT((CalcContactWrench(*simulator, 0).head<3>() - Vector3(0, 0, 2 * 9.81)).norm(), 1e-6);
  EXPECT_LT((CalcContactWrench(*simulator, 0, 1).head<3>() - Vector3(0, 0, -3 * 9.81)).norm(), 1e-6);
  // Where the upper one presses: 0.03 m beside the middle.
  EXPECT_NEAR(CalcContactWrench(*simulator, 0, 1)[4], 3 * 9.81 * 0.03, 1e-6);
  // Object 0 is the ground.
  EXPECT_LT((CalcPairForce(*simulator, 0, 1) - Vector3(0, 0, -5 * 9.81)).norm(), 1e-6);
  const ImuReading imu = CalcImu(*simulator, 1, Pose());
  EXPECT_LT((imu.acceleration - Vector3(0, 0, 9.81)).norm(), 1e-6);
  EXPECT_LT(imu.angular_velocity.norm(), 1e-9);
}

TEST(Sensors, ImuFallsWeightlessAndTurns) {
  TestWorld world;
  world.AddBody(ShapeType::Sphere, Vector3(0.1, 0, 0), 2, Pose());
  const auto simulator = world.Make();
  State state = simulator->state();
  state.v[5] = 3;
  simulator->SetState(state);
  StepFor(simulator.get(), 0.1);
  EXPECT_LT(CalcImu(*simulator, 0, Pose()).acceleration.norm(), 1e-9);
  const ImuReading rim = CalcImu(*simulator, 0, Pose(Vector3(0.1, 0, 0)));
  // Towards the axis, to first order in the step.
  EXPECT_NEAR(rim.acceleration[0], -0.9, 0.01);
  EXPECT_NEAR(rim.angular_velocity[2], 3, 1e-12);
}

// A two-link arm holds still and carries a tool welded to its end: the sensor feels the tool's weight.
TEST(Sensors, WristFeelsTheTool) {
  TestWorld world;
  LinkDescription arm;
  arm.name = "arm";
  JointDescription joint;
  joint.name = "hinge";
  joint.axis = Vector3::UnitY();
  arm.joints.push_back(joint);
  arm.inertia = LinkInertia{2, Vector3(0.5, 0, 0), Matrix3::Identity() * 0.01};
  world.description.links.push_back(arm);
  LinkDescription tool;
  tool.name = "tool";
  tool.parent = 0;
  tool.X_PL = Pose(Vector3(1, 0, 0));
  tool.inertia = LinkInertia{0.5, Vector3(0.2, 0, 0), Matrix3::Identity() * 0.001};
  world.description.links.push_back(tool);
  const auto simulator = world.Make();
  simulator->AddDrive({0, 1e6, 1e4});
  Timeline hold;
  hold.times = {0};
  hold.values = {{0}};
  simulator->AddController(MakeDriveController({0}, hold, true, 0));
  StepFor(simulator.get(), 0.5);
  const Vector6 wrist = CalcJointWrench(*simulator, 1);
  EXPECT_NEAR(wrist[2], 0.5 * 9.81, 1e-6);
  EXPECT_NEAR(wrist[4], -0.5 * 9.81 * 0.2, 1e-6);
  const Vector6 shoulder = CalcJointWrench(*simulator, 0);
  EXPECT_NEAR(shoulder[2], 2.5 * 9.81, 1e-6);
  EXPECT_NEAR(shoulder[4], -(2 * 0.5 + 0.5 * 1.2) * 9.81, 1e-6);
  EXPECT_NEAR(simulator->state().q[0], 0, 1e-9);
}

TEST(Controllers, TimelineIsSmooth) {
  Timeline line;
  line.times = {1, 3};
  line.values = {{0, 1}, {4, -1}};
  double slope = 0;
  EXPECT_EQ(line.Evaluate(0, 0, &slope), 0);
  EXPECT_EQ(line.Evaluate(0, 2, &slope), 2);
  EXPECT_EQ(slope, 3);
  EXPECT_EQ(line.Evaluate(1, 5, &slope), -1);
  EXPECT_EQ(slope, 0);
  EXPECT_THROW(line.Validate(3), InputError);
  line.times[1] = 1;
  EXPECT_THROW(line.Validate(2), InputError);
}

TEST(Controllers, FollowAtTheirOwnRate) {
  TestWorld world;
  world.AddBody(ShapeType::Sphere, Vector3(0.1, 0, 0), 2, Pose());
  const auto simulator = world.Make();
  int calls = 0;
  simulator->AddController(MakeController([&](const Simulator&, Control*) { ++calls; }, 0.01));
  StepFor(simulator.get(), 1);
  EXPECT_NEAR(calls, 100, 1);
}

TEST(Wrenches, ActForTheirTime) {
  TestWorld world;
  world.AddBody(ShapeType::Sphere, Vector3(0.1, 0, 0), 2, Pose());
  world.description.gravity.setZero();
  const auto simulator = world.Make();
  simulator->AddWrench({0, Vector3(4, 0, 0), Vector3::Zero(), Vector3(0, 0.05, 0), 0.25, 0.75});
  StepFor(simulator.get(), 1);
  EXPECT_NEAR(simulator->state().v[0], 1, 1e-12);
  // Off the middle, so it turned as well.
  EXPECT_LT(simulator->state().v[5], -1);
}

}  // namespace
}  // namespace tactus
