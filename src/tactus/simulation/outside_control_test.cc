// What those use who drive a simulator from outside, such as the Python module.
#include <cmath>

#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/simulation/world_testing.h"

namespace tactus {
namespace {

TEST(OutsideControl, OverwrittenStatesKeepImpulsesAndTimes) {
  TestWorld world;
  world.AddGround();
  world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 1, Pose(Vector3(0, 0, 0.1)));
  const auto plain = world.Make(), overwritten = world.Make(), set = world.Make();
  for (int k = 0; k < 20; ++k) {
    (void)plain->Step();
    overwritten->OverwriteState(overwritten->state());
    (void)overwritten->Step();
    (void)set->Step();
  }
  // The same state again changes nothing, to the bit; SetState forgets impulses.
  EXPECT_EQ(plain->CalcStateHash(), overwritten->CalcStateHash());
  set->SetState(set->state());
  EXPECT_NE(plain->CalcStateHash(), set->CalcStateHash());
  State state = plain->state();
  state.time = 7;
  plain->OverwriteState(state);
  (void)plain->Step();
  EXPECT_DOUBLE_EQ(plain->time(), 7 + 1.0 / 240);
  EXPECT_EQ(plain->steps(), 21);
  state.q[0] = std::nan("");
  EXPECT_THROW(plain->OverwriteState(state), InputError);
}

TEST(OutsideControl, ControllersFollowAnEarlierTime) {
  TestWorld world;
  world.description.links.push_back(MakeArm());
  const auto simulator = world.Make();
  int updates = 0;
  simulator->AddController(MakeController([&](const Simulator&, Control*) { ++updates; }, 0.1));
  StepFor(simulator.get(), 0.35);
  EXPECT_EQ(updates, 4);
  State state = simulator->state();
  state.time = 0;
  simulator->OverwriteState(state);
  StepFor(simulator.get(), 0.35);
  EXPECT_EQ(updates, 8);
  EXPECT_EQ(simulator->num_controllers(), 1);
  simulator->RemoveControllers();
  EXPECT_EQ(simulator->num_controllers(), 0);
  StepFor(simulator.get(), 0.35);
  EXPECT_EQ(updates, 8);
}

TEST(OutsideControl, AppliedForcesAreNotClipped) {
  TestWorld world;
  LinkDescription arm = MakeArm();
  arm.joints[0].effort_limit = 1;
  world.description.links.push_back(arm);
  world.description.gravity.setZero();
  const double inertia = 0.01 + 2 * 0.25;
  const auto simulator = world.Make();
  simulator->control().force[0] = 5;   // clipped to 1
  simulator->applied_force()[0] = 10;  // all of it
  ASSERT_EQ(simulator->Step().status, StepStatus::Ok);
  EXPECT_NEAR(simulator->state().v[0], 11 / inertia / 240, 1e-9);
}

// Whatever the numbers, a step leaves finite ones behind, or says that it did not move.
TEST(OutsideControl, StatesNearOverflowStayFinite) {
  int refused = 0;
  for (const double speed : {1e100, 1e150, 1e154, 1e200, 1e300, 1.7e308}) {
    TestWorld world;
    world.AddGround();
    world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 1, Pose(Vector3(0, 0, 0.3)));
    world.description.links.push_back(MakeArm());
    const auto simulator = world.Make();
    for (int dof = 0; dof < 7; ++dof) {
      State state = simulator->state();
      state.v.setZero();
      state.v[dof] = speed;
      simulator->SetState(state);
      for (int k = 0; k < 3; ++k) {
        const StepReport report = simulator->Step();
        refused += report.moved() ? 0 : 1;
        ASSERT_TRUE(simulator->state().q.allFinite() && simulator->state().v.allFinite()) << speed << " " << dof;
      }
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(OutsideControl, TrustedSnapshotsAreTheSame) {
  TestWorld world;
  world.AddGround();
  world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 1, Pose(Vector3(0, 0, 0.3)));
  const auto simulator = world.Make();
  const Snapshot start = simulator->MakeSnapshot();
  StepFor(simulator.get(), 0.5);
  const std::uint64_t end = simulator->CalcStateHash();
  simulator->RestoreTrusted(start);
  StepFor(simulator.get(), 0.5);
  EXPECT_EQ(simulator->CalcStateHash(), end);
  world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 1, Pose(Vector3(1, 0, 0.3)));
  EXPECT_THROW(world.Make()->RestoreTrusted(start), InputError);
}

}  // namespace
}  // namespace tactus
