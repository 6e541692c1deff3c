#include "tactus/simulation/simulator.h"

#include <atomic>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tactus/core/random.h"
#include "tactus/simulation/world_testing.h"

namespace tactus {
namespace {

TEST(Simulator, BoxFallsAndRests) {
  TestWorld world;
  world.AddGround();
  world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 1, Pose(Vector3(0, 0, 0.3)));
  const auto simulator = world.Make();
  StepFor(simulator.get(), 1);
  EXPECT_NEAR(simulator->state().q[2], 0.1, 1e-9);
  EXPECT_LT(simulator->state().v.norm(), 1e-9);
  double force = 0;
  for (const ContactState& contact : simulator->contacts()) force += contact.impulse_W()[2] * 240;
  EXPECT_NEAR(std::abs(force), 9.81, 1e-6);
}

TEST(Simulator, SlidingBoxStopsWhereItShouldAndDoesNotLift) {
  TestWorld world;
  world.AddGround(0.5);
  world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.05), 1, Pose(Vector3(0, 0, 0.05)), 0.5);
  const auto simulator = world.Make();
  State state = simulator->state();
  state.v[0] = 6;
  simulator->SetState(state);
  double highest = 0;
  for (int k = 0; k < 480; ++k) {
    ASSERT_EQ(simulator->Step().status, StepStatus::Ok);
    highest = std::max(highest, simulator->state().q[2]);
  }
  EXPECT_LT(highest, 0.05 + 1e-8);
  // v^2 / (2 mu g), less half a step's way because friction acts from the first step on.
  EXPECT_NEAR(simulator->state().q[0], 36 / (2 * 0.5 * 9.81) - 6 / 480.0, 1e-3);
}

TEST(Simulator, FastBallDoesNotTunnel) {
  TestWorld world;
  LinkDescription wall;
  wall.name = "wall";
  wall.shapes.push_back(world.MakeShape(ShapeType::Box, Vector3(0.005, 1, 1), 0.5, "wall"));
  world.description.links.push_back(wall);
  world.AddBody(ShapeType::Sphere, Vector3(0.02, 0, 0), 0.1, Pose(Vector3(-1.3, 0, 0)));
  world.description.gravity.setZero();
  const auto simulator = world.Make();
  State state = simulator->state();
  state.v[0] = 200;
  simulator->SetState(state);
  StepFor(simulator.get(), 0.1);
  EXPECT_NEAR(simulator->state().q[0], -0.025, 1e-6);
}

// A rod that turns fast touches the floor with its end. The end goes round in an arc: where the first linearisation
// holds it, it is above the floor by more than the margin when the step is linearised again, and must be held all the
// same.
TEST(Simulator, ContactsOfOneLinearizationAreNotForgottenInTheNext) {
  for (const double height : {0.30, 0.31, 0.32, 0.33}) {
    for (const double spin : {30.0, 45.0, 60.0}) {
      TestWorld world;
      world.AddGround(0.5);
      world.AddBody(ShapeType::Capsule, Vector3(0.02, 0.25, 0), 1,
                    Pose(ExpRotation(Vector3(0, M_PI / 6, 0)).toRotationMatrix(), Vector3(0, 0, height)));
      SimulatorSettings settings;
      settings.linearizations = 2;
      const auto simulator = world.Make(settings);
      State state = simulator->state();
      state.v[2] = -1;
      state.v[4] = spin;
      simulator->SetState(state);
      for (int k = 0; k < 60; ++k) {
        const StepReport report = simulator->Step();
        ASSERT_EQ(report.status, StepStatus::Ok) << report.message;
        EXPECT_LT(report.max_penetration, 1e-5) << height << " " << spin << " " << k;
      }
    }
  }
}

// Boxes that tumble into each other meet at other edges in each linearisation. An edge that was not near at the start
// of the step must not be taken for one that was in the other box already.
TEST(Simulator, TumblingBoxesDoNotOverlap) {
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE(i);
    Random random(static_cast<std::uint64_t>(i));
    TestWorld world;
    for (const double height : {0.0, 0.075}) {
      const Vector3 turn(random.Uniform(-3, 3), random.Uniform(-3, 3), random.Uniform(-3, 3));
      world.AddBody(ShapeType::Box, Vector3(0.025, 0.02, 0.015), 0.06,
                    Pose(ExpRotation(turn).toRotationMatrix(), Vector3(0, 0, height)), 0.4);
    }
    SimulatorSettings settings;
    settings.linearizations = 3;
    settings.scheme.step = 1.0 / 960;
    const auto simulator = world.Make(settings);
    State state = simulator->state();
    for (int body = 0; body < 2; ++body) {
      for (int k = 0; k < 3; ++k) {
        state.v[6 * body + k] = random.Uniform(-0.5, 0.5);
        state.v[6 * body + 3 + k] = random.Uniform(-80, 80);
      }
      state.v[6 * body + 2] += body == 0 ? 1.5 : -1.5;
    }
    simulator->SetState(state);
    for (int k = 0; k < 40; ++k) {
      const StepReport report = simulator->Step();
      ASSERT_EQ(report.status, StepStatus::Ok) << report.message;
      EXPECT_LT(report.max_penetration, 1e-4) << k;
    }
  }
}

// A ball between two walls that are closer than it is wide: it cannot leave both.
TEST(Simulator, JammedBodyStaysWhereItIs) {
  TestWorld world;
  for (const double side : {-1.0, 1.0}) {
    ShapeInstance wall = world.MakeShape(ShapeType::Box, Vector3(0.05, 1, 1), 0.5, side < 0 ? "left" : "right");
    wall.X_LS.p[0] = side * (0.05 + 0.02 - 1e-4);
    world.description.world_shapes.push_back(wall);
  }
  world.AddBody(ShapeType::Sphere, Vector3(0.02, 0, 0), 0.1, Pose(Vector3(0, 0, 0)), 0.5);
  world.description.gravity.setZero();
  for (const int linearizations : {1, 3}) {
    SimulatorSettings settings;
    settings.linearizations = linearizations;
    const auto simulator = world.Make(settings);
    for (int k = 0; k < 20; ++k) {
      const StepReport report = simulator->Step();
      ASSERT_EQ(report.status, StepStatus::Ok) << report.message;
      EXPECT_TRUE(report.uncorrected);
      EXPECT_EQ(report.withdrawn, linearizations - 1);
      EXPECT_EQ(report.contacts, 2);
    }
    EXPECT_LT(simulator->state().q.head<3>().norm(), 1e-6);
  }
}

// A fast ball hits one that rests, which must not pass the wall behind it: contacts come about by the impact itself.
TEST(Simulator, ImpactChainsDoNotTunnel) {
  TestWorld world;
  LinkDescription wall;
  wall.name = "wall";
  wall.shapes.push_back(world.MakeShape(ShapeType::Box, Vector3(0.005, 1, 1), 0.5, "wall"));
  world.description.links.push_back(wall);
  world.AddBody(ShapeType::Sphere, Vector3(0.02, 0, 0), 0.1, Pose(Vector3(-0.2, 0, 0)));
  world.AddBody(ShapeType::Sphere, Vector3(0.02, 0, 0), 1, Pose(Vector3(-0.6, 0, 0)));
  world.description.gravity.setZero();
  const auto simulator = world.Make();
  State state = simulator->state();
  state.v[6] = 300;
  simulator->SetState(state);
  int activated = 0;
  for (int k = 0; k < 20; ++k) {
    const StepReport report = simulator->Step();
    ASSERT_EQ(report.status, StepStatus::Ok) << report.message;
    activated += report.activated;
    EXPECT_LT(simulator->state().q[0], -0.0249);
    EXPECT_LT(simulator->state().q[7], simulator->state().q[0]);
  }
  EXPECT_GT(activated, 0);
}

TEST(Simulator, BallBouncesAsItsRestitutionSays) {
  TestWorld world;
  world.AddGround().material.restitution = 0.8;
  world.AddBody(ShapeType::Sphere, Vector3(0.05, 0, 0), 1, Pose(Vector3(0, 0, 1.05)));
  SimulatorSettings settings;
  settings.scheme.step = 1e-4;
  const auto simulator = world.Make(settings);
  double top = 0;
  bool bounced = false;
  for (int k = 0; k < 9000; ++k) {
    ASSERT_EQ(simulator->Step().status, StepStatus::Ok);
    bounced = bounced || simulator->state().v[2] > 0;
    if (bounced) top = std::max(top, simulator->state().q[2]);
  }
  EXPECT_NEAR(top - 0.05, 0.64, 1e-3);
}

TEST(Simulator, ConveyorCarriesAlong) {
  TestWorld world;
  world.AddGround(0.5).material.surface_velocity = Vector3(0.7, 0, 0);
  world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.05), 1, Pose(Vector3(0, 0, 0.05)), 0.5);
  const auto simulator = world.Make();
  StepFor(simulator.get(), 1);
  EXPECT_NEAR(simulator->state().v[0], 0.7, 1e-9);
}

TEST(Simulator, KinematicPlatformLifts) {
  TestWorld world;
  LinkDescription platform;
  platform.name = "platform";
  platform.shapes.push_back(world.MakeShape(ShapeType::Box, Vector3(1, 1, 0.1), 0.8, "platform"));
  world.description.links.push_back(platform);
  world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 1, Pose(Vector3(-0.2, 0, 0.15)));
  const auto simulator = world.Make();
  // From rest, at the lowest point.
  simulator->SetMotion(0, MakeOscillation(Pose(), Vector3(0.2, 0, 0.05), Vector3::Zero(), 0.5, -std::numbers::pi / 2));
  StepFor(simulator.get(), 1.3);
  const Pose X = simulator->LinkPose(0);
  EXPECT_GT(X.p[2], 0.02);
  EXPECT_NEAR(simulator->state().q[2], X.p[2] + 0.2, 1e-8);
  EXPECT_NEAR(simulator->state().q[0], X.p[0], 1e-8);
}

TEST(Simulator, CompliantContactSinksAsHookeSays) {
  TestWorld world;
  ShapeInstance& ground = world.AddGround();
  ground.material.stiffness = 1000;
  ground.material.damping = 50;
  world.AddBody(ShapeType::Sphere, Vector3(0.1, 0, 0), 1, Pose(Vector3(0, 0, 0.1)));
  const auto simulator = world.Make();
  StepFor(simulator.get(), 3);
  EXPECT_NEAR(simulator->state().q[2], 0.1 - 9.81 / 1000, 1e-6);
}

TEST(Simulator, DriveHoldsAtAnyGain) {
  for (const double stiffness : {1e2, 1e4, 1e7}) {
    TestWorld world;
    world.description.links.push_back(MakeArm());
    const auto simulator = world.Make();
    simulator->AddDrive({0, stiffness, 0.05 * stiffness});
    simulator->control().drives[0].position = 0.3;
    StepFor(simulator.get(), 4);
    // stiffness (target - q) balances gravity: torque about y of a weight at x is +m g x.
    const double q = simulator->state().q[0];
    EXPECT_NEAR(stiffness * (0.3 - q), -2 * 9.81 * 0.5 * std::cos(q), 1e-6 * stiffness + 1e-4);
    EXPECT_LT(std::abs(simulator->state().v[0]), 1e-6);
  }
}

// Drives at their targets in free fall have nothing to do: what is left is rounding, and no failure.
TEST(Simulator, RoundingIsNoFailure) {
  TestWorld world;
  world.AddBody(ShapeType::Sphere, Vector3(0.1, 0, 0), 3, Pose(Vector3(0, 0, 100)));
  for (int k = 0; k < 4; ++k) {
    LinkDescription leg;
    leg.name = "leg" + std::to_string(k);
    leg.parent = k == 0 ? 0 : k;
    leg.X_PL = Pose(Vector3(0.1, 0.05 * k, 0));
    JointDescription joint;
    joint.name = leg.name;
    joint.axis = Vector3(1, k, 0.5);
    leg.joints.push_back(joint);
    leg.inertia = LinkInertia{0.5, Vector3(0.1, 0.02, 0), Matrix3::Identity() * 0.01};
    world.description.links.push_back(leg);
  }
  const auto simulator = world.Make();
  for (int k = 1; k < 5; ++k) simulator->AddDrive({k, 60, 3});
  StepFor(simulator.get(), 0.5);
}

TEST(Simulator, LimitsHold) {
  TestWorld world;
  LinkDescription arm = MakeArm();
  arm.joints[0].lower = -0.5;
  arm.joints[0].upper = 0.5;
  world.description.links.push_back(arm);
  const auto simulator = world.Make();
  StepFor(simulator.get(), 2);
  EXPECT_NEAR(simulator->state().q[0], 0.5, 1e-9);
}

TEST(Simulator, SnapshotReplaysBitwise) {
  TestWorld world;
  world.AddGround(0.6);
  for (int k = 0; k < 6; ++k) {
    world.AddBody(ShapeType::Box, Vector3(0.1, 0.12, 0.08), 1,
                  Pose(Eigen::AngleAxisd(0.3 * k, Vector3(1, 2, 3).normalized()).toRotationMatrix(),
                       Vector3(0.05 * k, 0.02 * k, 0.2 + 0.25 * k)));
  }
  const auto simulator = world.Make();
  SimulatorSettings two;
  two.threads = 2;
  const auto threaded = world.Make(two);
  std::vector<std::uint8_t> bytes;
  for (int k = 0; k < 200; ++k) {
    if (k == 120) bytes = simulator->MakeSnapshot().Serialize();
    (void)simulator->Step();
    (void)threaded->Step();
    ASSERT_EQ(simulator->CalcStateHash(), threaded->CalcStateHash());
  }
  const auto again = world.Make();
  again->Restore(Snapshot::Deserialize(bytes));
  for (int k = 120; k < 200; ++k) (void)again->Step();
  EXPECT_EQ(simulator->CalcStateHash(), again->CalcStateHash());
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_THROW(Snapshot::Deserialize(bytes), InputError);
}

TEST(Simulator, SnapshotsGoWithOneWorld) {
  const auto make = [](double mass, double friction, const SimulatorSettings& settings = {}) {
    TestWorld world;
    world.AddGround(friction);
    world.AddBody(ShapeType::Box, Vector3(0.1, 0.12, 0.08), mass, Pose(Vector3(0, 0, 0.2)));
    return world.Make(settings);
  };
  const auto first = make(1, 0.5);
  StepFor(first.get(), 0.1);
  const Snapshot snapshot = Snapshot::Deserialize(first->MakeSnapshot().Serialize());
  EXPECT_THROW(make(2, 0.5)->Restore(snapshot), InputError);
  EXPECT_THROW(make(1, 0.6)->Restore(snapshot), InputError);
  const auto tagged = make(1, 0.5);
  tagged->SetWorldTag(7);
  EXPECT_THROW(tagged->Restore(snapshot), InputError);
  // Settings may differ; time goes on from where it was.
  SimulatorSettings settings;
  settings.solver = "pgs";
  settings.scheme.step = 0.001;
  const auto other = make(1, 0.5, settings);
  other->Restore(snapshot);
  ASSERT_TRUE(other->Step().moved());
  EXPECT_NEAR(other->time(), first->time() + 0.001, 1e-12);
}

TEST(Simulator, IterationsOfAllSolvesAreCounted) {
  TestWorld world;
  world.AddGround(0.5);
  for (int k = 0; k < 3; ++k) {
    world.AddBody(ShapeType::Box, Vector3(0.1, 0.12, 0.08), 1 + k, Pose(Vector3(0.02 * k, 0, 0.08 + 0.16 * k)));
  }
  SimulatorSettings settings;
  settings.solver = "pgs";
  settings.solve.max_iterations = 3;
  settings.linearizations = 2;
  const StepReport report = world.Make(settings)->Step();
  EXPECT_EQ(report.status, StepStatus::Inaccurate);
  EXPECT_GE(report.solves, 2);
  EXPECT_EQ(report.solver_iterations, 3 * report.solves);
  EXPECT_EQ(report.solver_newton_steps, 0);
  // Each solve is followed by its retry.
  settings.linearizations = 1;
  settings.on_failure = FailurePolicy::Retry;
  const StepReport retried = world.Make(settings)->Step();
  EXPECT_EQ(retried.status, StepStatus::Ok) << retried.message;
  ASSERT_EQ(retried.solves, 2);
  EXPECT_EQ(retried.solver_iterations, 3 + retried.solve.iterations);
  EXPECT_EQ(retried.solver_newton_steps, retried.solve.newton_steps);
}

TEST(Simulator, CancelledStepsDoNotMove) {
  std::atomic<bool> cancel = false;
  SimulatorSettings settings;
  settings.solve.cancel = &cancel;
  TestWorld world;
  world.AddGround(0.5);
  for (int k = 0; k < 3; ++k) {
    world.AddBody(ShapeType::Box, Vector3(0.1, 0.12, 0.08), 1 + k, Pose(Vector3(0.02 * k, 0, 0.08 + 0.16 * k)));
  }
  const auto simulator = world.Make(settings);
  const std::uint64_t before = simulator->CalcStateHash();
  cancel = true;
  const StepReport report = simulator->Step();
  EXPECT_EQ(report.status, StepStatus::SolverFailed);
  EXPECT_EQ(report.solve.status, SolveStatus::Cancelled);
  EXPECT_EQ(simulator->CalcStateHash(), before);
  cancel = false;
  const auto again = world.Make();
  ASSERT_TRUE(simulator->Step().moved());
  ASSERT_TRUE(again->Step().moved());
  EXPECT_EQ(simulator->CalcStateHash(), again->CalcStateHash());
}

// Parts of one tree that overlap at the start never collide; bodies that do are pushed apart, and both are told.
TEST(Simulator, InitialOverlaps) {
  TestWorld world;
  world.description.gravity.setZero();
  LinkDescription arm = MakeArm(), tool = MakeHinge("wrist", Vector3(0.3, 0, 0), 0.01),
                  tip = MakeHinge("tip", Vector3(0.3, 0, 0), 0.01);
  arm.shapes.push_back(world.MakeShape(ShapeType::Sphere, Vector3(0.2, 0, 0), 1, "arm"));
  tip.shapes.push_back(world.MakeShape(ShapeType::Sphere, Vector3(0.5, 0, 0), 1, "tip"));
  tool.parent = 0;
  tip.parent = 1;
  world.description.links = {arm, tool, tip};
  world.AddBody(ShapeType::Sphere, Vector3(0.1, 0, 0), 1, Pose(Vector3(5, 0, 0)));
  world.AddBody(ShapeType::Sphere, Vector3(0.1, 0, 0), 1, Pose(Vector3(5.15, 0, 0)));
  const auto simulator = world.Make();
  const std::vector<InitialOverlap> overlaps = simulator->ExcludeInitialOverlaps();
  ASSERT_EQ(overlaps.size(), 2u);
  EXPECT_EQ(overlaps[0].first + overlaps[0].second, "armtip");
  EXPECT_TRUE(overlaps[0].excluded);
  EXPECT_NEAR(overlaps[0].depth, 0.1, 1e-12);
  EXPECT_EQ(overlaps[1].first + overlaps[1].second, "body3body4");
  EXPECT_FALSE(overlaps[1].excluded);
  EXPECT_NEAR(overlaps[1].depth, 0.05, 1e-12);
  StepFor(simulator.get(), 1);
  EXPECT_GT(simulator->LinkPose(4).p[0] - simulator->LinkPose(3).p[0], 0.2 - 1e-6);
}

TEST(Simulator, TooManyContactsAreRefused) {
  TestWorld world;
  for (int k = 0; k < 40; ++k) {
    world.AddBody(ShapeType::Sphere, Vector3(0.1, 0, 0), 1, Pose(Vector3(1e-3 * k, 0, 0)));
  }
  for (const int most : {50, 300}) {  // 780 pairs: too many of them, or too many contacts
    SimulatorSettings settings;
    settings.contacts.max_contacts = most;
    const auto simulator = world.Make(settings);
    EXPECT_THROW(simulator->ExcludeInitialOverlaps(), InputError);
    const StepReport report = simulator->Step();
    EXPECT_EQ(report.status, StepStatus::InvalidState);
    EXPECT_NE(report.message.find("max_contacts"), std::string::npos) << report.message;
  }
  SimulatorSettings enough;
  enough.contacts.max_contacts = 780;
  EXPECT_EQ(world.Make(enough)->ExcludeInitialOverlaps().size(), 780u);
}

TEST(Simulator, RelinearisationFollowsABowl) {
  // A sphere runs down a large fixed sphere's inside, made of a box edge: here simply a ball rolling over a ball.
  double error[2];
  for (int k = 0; k < 2; ++k) {
    TestWorld world;
    LinkDescription hill;
    hill.name = "hill";
    hill.shapes.push_back(world.MakeShape(ShapeType::Sphere, Vector3(1, 0, 0), 0, "hill"));
    world.description.links.push_back(hill);
    world.AddBody(ShapeType::Sphere, Vector3(0.1, 0, 0), 1, Pose(Vector3(0, 0, 1.1)), 0);
    SimulatorSettings settings;
    settings.linearizations = k == 0 ? 1 : 3;
    settings.scheme.step = 0.01;
    const auto simulator = world.Make(settings);
    State state = simulator->state();
    state.v[0] = 1;
    simulator->SetState(state);
    error[k] = 0;
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(simulator->Step().status, StepStatus::Ok);
      error[k] = std::max(error[k], std::abs(simulator->state().q.head<3>().norm() - 1.1));
    }
  }
  EXPECT_GT(error[0], 3e-5);
  EXPECT_LT(error[1], 1e-6);
}

}  // namespace
}  // namespace tactus
