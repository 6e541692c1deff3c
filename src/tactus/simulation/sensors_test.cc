#include "tactus/simulation/sensors.h"

#include <gtest/gtest.h>

#include "tactus/constraints/kinds.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/simulation/controllers.h"
#include "tactus/simulation/world_testing.h"

namespace tactus {
namespace {

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
  world.description.links.push_back(MakeArm());
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

// A drive that holds an arm level does as much as its weight asks for, with and without compensation of gravity.
TEST(Sensors, MotorEffortCarriesTheArm) {
  for (const bool compensated : {false, true}) {
    TestWorld world;
    world.description.links.push_back(MakeArm());
    const auto simulator = world.Make();
    EXPECT_EQ(simulator->CalcMotorEffort(0), 0);
    simulator->AddDrive({0, 1e6, 1e4});
    Timeline hold;
    hold.times = {0};
    hold.values = {{0}};
    simulator->AddController(MakeDriveController({0}, hold, compensated, 0));
    StepFor(simulator.get(), 0.5);
    EXPECT_NEAR(simulator->CalcMotorEffort(0), -2 * 9.81 * 0.5, 1e-5) << compensated;
  }
}

// An arm that is told of a load from 0.2 s on, when it comes, does not sag.
TEST(Sensors, MotorsAreToldOfAPayloadWhenItComes) {
  for (const bool told : {false, true}) {
    TestWorld world;
    world.description.links.push_back(MakeArm());
    const auto simulator = world.Make();
    const double h = simulator->settings().scheme.step;
    simulator->AddDrive({0, 500, 50});
    simulator->AddWrench({0, Vector3(0, 0, -3 * 9.81), Vector3::Zero(), Vector3(1, 0, 0), 0.2 - 0.5 * h});
    Timeline hold;
    hold.times = {0};
    hold.values = {{0}};
    Payload payload{0, simulator->model().links()[0].X_BL * Vector3(1, 0, 0), {}};
    if (told) payload.mass = {Timeline::Kind::Hold, {0, 0.2 + 0.5 * h}, {{0}, {3}}};
    simulator->AddController(MakeDriveController({0}, hold, true, 0, payload));
    StepFor(simulator.get(), 0.2);
    EXPECT_NEAR(simulator->CalcMotorEffort(0), -2 * 9.81 * 0.5, 1e-6) << told;
    StepFor(simulator.get(), 2);
    EXPECT_NEAR(simulator->state().q[0], told ? 0 : 3 * 9.81 / 500, told ? 1e-9 : 1e-3);
    EXPECT_NEAR(simulator->CalcMotorEffort(0), -(2 * 0.5 + 3) * 9.81, told ? 1e-6 : 0.2);
  }
}

TEST(Sensors, MotorEffortIsClippedAndCountsForces) {
  TestWorld world;
  LinkDescription hinge = MakeHinge("hinge", Vector3::Zero(), 0.1);
  hinge.joints[0].effort_limit = 0.2;
  world.description.links.push_back(hinge);
  const auto driven = world.Make(), pushed = world.Make();
  driven->AddDrive({0, 1e6, 1e3});
  driven->control().drives[0].position = 100;
  pushed->control().force[0] = 5;
  for (Simulator* simulator : {driven.get(), pushed.get()}) {
    StepFor(simulator, 0.1);
    EXPECT_NEAR(simulator->CalcMotorEffort(0), 0.2, 1e-9);
  }
  EXPECT_THROW((void)driven->CalcMotorEffort(1), InputError);
}

TEST(Sensors, ElasticEnergyOfSprings) {
  TestWorld world;
  world.description.gravity.setZero();
  LinkDescription hinge = MakeHinge("hinge", Vector3::Zero(), 0.1);
  hinge.joints[0].stiffness = 20;
  hinge.joints[0].rest_position = 0.3;
  world.description.links.push_back(hinge);
  world.AddBody(ShapeType::Sphere, Vector3(0.05, 0, 0), 2, Pose(Vector3(0, 5, -1.2)));
  TendonDescription tendon;
  tendon.name = "t";
  tendon.joints = {{"hinge", 2}};
  tendon.stiffness = 7;
  tendon.rest_lower = tendon.rest_upper = 0.1;
  world.description.tendons.push_back(tendon);
  SimulatorSettings settings;
  settings.scheme = {1.0 / 2000, 0.5};
  const auto simulator = world.Make(settings);
  PointLink points{1, -1, Vector3::Zero(), Vector3(0, 5, 0)};
  simulator->AddConstraint(MakeSpring(simulator->model(), {"spring", points, 50, 0, 1}));
  const double start = 0.5 * 20 * 0.09 + 0.5 * 7 * 0.01 + 0.5 * 50 * 0.04;
  EXPECT_NEAR(CalcElasticEnergy(*simulator), start, 1e-12);
  // The midpoint rule keeps the sum while it moves to and fro between springs and bodies.
  double least = start;
  for (int k = 0; k < 1000; ++k) {
    ASSERT_EQ(simulator->Step().status, StepStatus::Ok);
    const double elastic = CalcElasticEnergy(*simulator);
    const double kinetic = CalcKineticEnergy(simulator->model(), simulator->kinematics(), simulator->state().v);
    ASSERT_NEAR(elastic + kinetic, start, 1e-4 * start);
    least = std::min(least, elastic);
  }
  EXPECT_LT(least, 0.8 * start);
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
