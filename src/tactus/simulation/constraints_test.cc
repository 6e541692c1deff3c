// Constraints in motion, against what mechanics says.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tactus/constraints/kinds.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/simulation/world_testing.h"

namespace tactus {
namespace {

constexpr double kG = 9.81;

TEST(Constraints, WeldHoldsAndCarriesLoads) {
  TestWorld world;
  world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 2, Pose(Vector3(0, 0, 1)));
  world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 3, Pose(Vector3(0.3, 0, 1)));
  const auto simulator = world.Make();
  const Model& model = simulator->model();
  // The first on the world, the second on the first.
  simulator->AddConstraint(MakeWeld(model, {"to world", 0, -1, Pose(), Pose(Vector3(0, 0, 1))}));
  simulator->AddConstraint(MakeWeld(model, {"to first", 0, 1, Pose(Vector3(0.3, 0, 0)), Pose()}));
  StepFor(simulator.get(), 1);
  EXPECT_LT((simulator->LinkPose(1).p - Vector3(0.3, 0, 1)).norm(), 1e-7);
  EXPECT_LT((simulator->LinkPose(1).R - Matrix3::Identity()).norm(), 1e-7);
}

TEST(Constraints, WeldToAMovingPlatformFollows) {
  TestWorld world;
  LinkDescription platform;
  platform.name = "platform";
  world.description.links.push_back(platform);
  world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 2, Pose(Vector3(0.5, 0, 0)));
  SimulatorSettings settings;
  settings.linearizations = 3;
  const auto simulator = world.Make(settings);
  simulator->SetMotion(0, MakeConstantMotion(Pose(), Vector3(0.3, 0, 0), Vector3(0, 0, 2)));
  simulator->AddConstraint(MakeWeld(simulator->model(), {"weld", 0, 1, Pose(Vector3(0.5, 0, 0)), Pose()}));
  StepFor(simulator.get(), 1);
  const Pose X = simulator->LinkPose(0) * Pose(Vector3(0.5, 0, 0));
  EXPECT_LT((simulator->LinkPose(1).p - X.p).norm(), 1e-5);
  EXPECT_LT((simulator->LinkPose(1).R - X.R).norm(), 1e-5);
}

// A ball on a rod is a pendulum.
TEST(Constraints, DistanceMakesAPendulum) {
  TestWorld world;
  world.AddBody(ShapeType::Sphere, Vector3(0.05, 0, 0), 1, Pose(Vector3(0.1, 0, -std::sqrt(0.99))));
  SimulatorSettings settings;
  settings.scheme = {1.0 / 1000, 0.5};
  settings.linearizations = 2;
  const auto simulator = world.Make(settings);
  PointLink points;
  points.first = 0;
  simulator->AddConstraint(MakeDistance(simulator->model(), {"rod", points, 1, false}));
  double before = 0.1;
  double crossing = 0;
  for (int k = 0; k < 1000; ++k) {
    ASSERT_EQ(simulator->Step().status, StepStatus::Ok);
    const double x = simulator->state().q[0];
    if (before > 0 && x <= 0 && crossing == 0) crossing = simulator->time() - 0.001 * x / (x - before);
    before = x;
  }
  // A quarter of the period 2 pi sqrt(L/g) (1 + phi^2/16).
  const double quarter = std::numbers::pi / 2 * std::sqrt(1 / kG) * (1 + 0.1 * 0.1 / 16);
  EXPECT_NEAR(crossing, quarter, 1e-4);
  EXPECT_NEAR(simulator->state().q.head<3>().norm(), 1, 1e-6);
}

TEST(Constraints, RopeIsSlackOrTaut) {
  TestWorld world;
  world.AddBody(ShapeType::Sphere, Vector3(0.05, 0, 0), 1, Pose(Vector3(0, 0, -0.2)));
  const auto simulator = world.Make();
  PointLink points;
  points.first = 0;
  simulator->AddConstraint(MakeDistance(simulator->model(), {"rope", points, 1, true}));
  StepFor(simulator.get(), 0.3);
  EXPECT_NEAR(simulator->state().q[2], -0.2 - 0.5 * kG * 0.09, 0.01);
  StepFor(simulator.get(), 1);
  EXPECT_NEAR(simulator->state().q[2], -1, 1e-8);
}

TEST(Constraints, SpringSwingsAtItsFrequency) {
  TestWorld world;
  world.AddBody(ShapeType::Sphere, Vector3(0.05, 0, 0), 2, Pose(Vector3(0, 0, -1.2)));
  world.description.gravity.setZero();
  SimulatorSettings settings;
  settings.scheme = {1.0 / 2000, 0.5};
  const auto simulator = world.Make(settings);
  PointLink points;
  points.first = 0;
  simulator->AddConstraint(MakeSpring(simulator->model(), {"spring", points, 50, 0, 1}));
  const double period = 2 * std::numbers::pi * std::sqrt(2.0 / 50);
  const int steps = static_cast<int>(std::lround(period * 2000));
  for (int k = 0; k < steps; ++k) ASSERT_EQ(simulator->Step().status, StepStatus::Ok);
  // The midpoint rule keeps the energy, so the swing comes back.
  EXPECT_NEAR(simulator->state().q[2], -1.2, 1e-5);
}

TEST(Constraints, GearsTurnTogether) {
  TestWorld world;
  world.description.links.push_back(MakeHinge("small", Vector3(0, 0, 0), 0.1));
  world.description.links.push_back(MakeHinge("large", Vector3(1, 0, 0), 0.8));
  const auto simulator = world.Make();
  simulator->AddConstraint(MakeJointCoupling(simulator->model(), {"gear", 0, 1, 0, 0, {0, -2, 0, 0, 0}}));
  simulator->control().force[0] = 0.3;
  StepFor(simulator.get(), 1);
  // As seen from the small one: 0.1 + 0.8/4.
  EXPECT_NEAR(simulator->state().v[0], 0.3 / (0.1 + 0.8 / 4), 1e-9);
  EXPECT_NEAR(simulator->state().q[0] + 2 * simulator->state().q[1], 0, 1e-9);
}

TEST(Constraints, MimicChainFollows) {
  TestWorld world;
  for (int k = 0; k < 6; ++k) {
    LinkDescription link = MakeHinge("j" + std::to_string(k), Vector3(k, 0, 0), 0.1);
    if (k > 0) link.joints[0].mimic = Mimic{"j" + std::to_string(k - 1), -1.5, 0.1};
    world.description.links.push_back(link);
  }
  for (int k = 1; k < 6; ++k) {
    world.description.links[static_cast<std::size_t>(k)].joints[0].reference = 0;
  }
  const auto simulator = world.Make();
  State state = simulator->state();
  double q = 0;
  for (int k = 0; k < 6; ++k) state.q[k] = q = k == 0 ? 0 : -1.5 * q + 0.1;
  simulator->SetState(state);
  simulator->control().force[0] = 1;
  StepFor(simulator.get(), 0.5);
  double inertia = 0;
  for (int k = 0; k < 6; ++k) inertia += 0.1 * std::pow(2.25, k);
  EXPECT_NEAR(simulator->state().v[0], 0.5 / inertia, 1e-9);
  for (int k = 1; k < 6; ++k) {
    EXPECT_NEAR(simulator->state().q[k], -1.5 * simulator->state().q[k - 1] + 0.1, 1e-9);
  }
}

TEST(Constraints, DryFrictionHoldsThenYields) {
  TestWorld world;
  LinkDescription link = MakeHinge("hinge", Vector3::Zero(), 0.1);
  link.joints[0].dry_friction = 0.5;
  world.description.links.push_back(link);
  const auto simulator = world.Make();
  simulator->control().force[0] = 0.499999;
  StepFor(simulator.get(), 0.5);
  EXPECT_EQ(std::abs(simulator->state().v[0]) < 1e-12, true) << simulator->state().v[0];
  simulator->control().force[0] = 0.7;
  StepFor(simulator.get(), 0.5);
  EXPECT_NEAR(simulator->state().v[0], 0.2 / 0.1 * 0.5, 1e-9);
}

TEST(Constraints, EffortLimitsBindDrivesAndForces) {
  TestWorld world;
  LinkDescription link = MakeHinge("hinge", Vector3::Zero(), 0.1);
  link.joints[0].effort_limit = 0.2;
  world.description.links.push_back(link);
  for (const bool drive : {false, true}) {
    const auto simulator = world.Make();
    if (drive) {
      simulator->AddDrive({0, 1e6, 1e3});
      simulator->control().drives[0].position = 100;
    } else {
      simulator->control().force[0] = 5;
    }
    StepFor(simulator.get(), 0.5);
    EXPECT_NEAR(simulator->state().v[0], 0.2 / 0.1 * 0.5, 1e-9) << drive;
  }
}

TEST(Constraints, TendonCouplesAndLimits) {
  TestWorld world;
  world.description.links.push_back(MakeHinge("a", Vector3(0, 0, 0), 0.1));
  world.description.links.push_back(MakeHinge("b", Vector3(1, 0, 0), 0.1));
  TendonDescription tendon;
  tendon.name = "t";
  tendon.joints = {{"a", 1}, {"b", 2}};
  tendon.lower = -0.5;
  tendon.upper = 0.5;
  world.description.tendons.push_back(tendon);
  const auto simulator = world.Make();
  simulator->control().force[0] = 1;
  StepFor(simulator.get(), 2);
  EXPECT_NEAR(simulator->state().q[0] + 2 * simulator->state().q[1], 0.5, 1e-8);
  // The tendon pulls the other joint back: its length stays, so a turns by -2 b.
  EXPECT_LT(simulator->state().q[1], -0.1);
}

// A wheel that must not slip, driven about its axle, moves by radius times angle.
TEST(Constraints, WheelRollsWithoutSlip) {
  TestWorld world;
  world.AddGround(0);
  world.AddBody(ShapeType::Sphere, Vector3(0.2, 0, 0), 1, Pose(Vector3(0, 0, 0.2)), 0);
  const auto simulator = world.Make();
  NoSlip wheel;
  wheel.name = "wheel";
  wheel.link = 0;
  wheel.radius = 0.2;
  simulator->AddConstraint(MakeNoSlip(simulator->model(), wheel));
  simulator->AddWrench({0, Vector3::Zero(), Vector3(0, 0.3, 0), Vector3::Zero(), 0, 10});
  StepFor(simulator.get(), 1);
  // torque / r = (m + I/r^2) a with I = 0.4 m r^2.
  EXPECT_NEAR(simulator->state().v[0], 0.3 / 0.2 / 1.4, 1e-8);
  EXPECT_NEAR(simulator->state().v[0], 0.2 * (simulator->LinkVelocity(0)[4]), 1e-8);
}

TEST(Constraints, RefuseWhatDoesNotFit) {
  TestWorld world;
  world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 2, Pose());
  const Model model(world.description);
  EXPECT_THROW(MakeWeld(model, {"w", 0, 0, Pose(), Pose()}), InputError);
  EXPECT_THROW(MakeWeld(model, {"w", 0, 7, Pose(), Pose()}), InputError);
  EXPECT_THROW(MakeJointCoupling(model, {"c", 0, -1}), InputError);
  EXPECT_THROW(MakeDistance(model, {"d", {0, -1}, -1, false}), InputError);
  EXPECT_THROW(MakeNoSlip(model, {"n", 0}), InputError);
}

// Midpoint rule: frictionless swings keep their energy, impacts do not rebound.
TEST(ThetaScheme, KeepsEnergyAndDoesNotRebound) {
  TestWorld world;
  world.AddGround(0.5);
  world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 1, Pose(Vector3(0, 0, 0.3)));
  SimulatorSettings settings;
  settings.scheme = {0.01, 0.5};
  const auto simulator = world.Make(settings);
  int implicit = 0;
  double highest = 0;
  for (int k = 0; k < 200; ++k) {
    const StepReport report = simulator->Step();
    ASSERT_EQ(report.status, StepStatus::Ok);
    implicit += report.implicit_step ? 1 : 0;
    if (k > 30) highest = std::max(highest, simulator->state().q[2]);
  }
  EXPECT_LT(highest, 0.1 + 1e-4);
  EXPECT_GT(highest, 0.1 - 2e-5);
  EXPECT_GE(implicit, 1);
  EXPECT_LE(implicit, 10);
}

TEST(Stabilization, PartsOverlapsWithoutAJump) {
  for (const auto kind : {StabilizationSettings::Kind::GapSpeed, StabilizationSettings::Kind::Split}) {
    TestWorld world;
    world.AddGround(0.5);
    for (int k = 0; k < 3; ++k) {
      world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 1, Pose(Vector3(0, 0, 0.099 + 0.199 * k)));
    }
    SimulatorSettings settings;
    settings.stabilization.kind = kind;
    const auto simulator = world.Make(settings);
    double highest = 0;
    for (int k = 0; k < 240; ++k) {
      ASSERT_EQ(simulator->Step().status, StepStatus::Ok);
      highest = std::max(highest, simulator->state().q[7 * 2 + 2]);
    }
    EXPECT_LT(highest, 0.5 + 1e-4) << ToString(kind);
    EXPECT_NEAR(simulator->state().q[7 * 2 + 2], 0.5, 1e-5) << ToString(kind);
  }
}

// What overlaps more goes up to the slop and stays there; what overlaps less stays where it is, at rest from the start.
TEST(Stabilization, LeavesSmallOverlapsAlone) {
  for (const double overlap : {1e-3, 2e-6}) {
    TestWorld world;
    world.AddGround(0.5);
    world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 1, Pose(Vector3(0, 0, 0.1 - overlap)));
    SimulatorSettings settings;
    settings.stabilization.slop = 1e-5;
    const auto simulator = world.Make(settings);
    double fastest = 0;
    for (int k = 0; k < 240; ++k) {
      ASSERT_EQ(simulator->Step().status, StepStatus::Ok);
      fastest = std::max(fastest, simulator->state().v.norm());
    }
    EXPECT_NEAR(simulator->state().q[2], 0.1 - std::min(overlap, 1e-5), 1e-9) << overlap;
    EXPECT_EQ(fastest < 1e-8, overlap < 1e-5) << fastest;  // to the solver's tolerance
  }
  TestWorld world;
  SimulatorSettings settings;
  settings.stabilization.slop = -1e-5;
  EXPECT_THROW(world.Make(settings), InputError);
}

// Momentum: what bodies gain is what gravity and reactions of fixed things give.
TEST(Simulator, MomentumBalances) {
  TestWorld world;
  world.AddGround(0.6);
  for (int k = 0; k < 12; ++k) {
    world.AddBody(k % 2 == 0 ? ShapeType::Box : ShapeType::Sphere, Vector3(0.1, 0.08, 0.06), 0.1 + k,
                  Pose(ExpRotation(Vector3(0.3 * k, 1, 0.1)).toRotationMatrix(),
                       Vector3(0.05 * (k % 3), 0.04 * (k % 2), 0.2 + 0.2 * k)));
  }
  const auto simulator = world.Make();
  const double h = simulator->settings().scheme.step;
  const double mass = CalcMovingMass(simulator->model());
  for (int k = 0; k < 300; ++k) {
    // The centre of mass velocity times mass.
    const Vector3 before = CalcMomentum(simulator->model(), simulator->kinematics()).head<3>();
    ASSERT_EQ(simulator->Step().status, StepStatus::Ok);
    const Vector3 after = CalcMomentum(simulator->model(), simulator->kinematics()).head<3>();
    Vector3 impulse = mass * h * simulator->model().gravity();
    double scale = impulse.norm() + before.norm();
    for (const ContactState& c : simulator->contacts()) {
      if (!c.active || simulator->objects()[static_cast<std::size_t>(c.object_a)].body >= 0) continue;
      impulse -= c.impulse_W();
      scale += c.impulse_W().norm();
    }
    EXPECT_LT((after - before - impulse).norm(), 1e-12 * scale) << k;
  }
}

}  // namespace
}  // namespace tactus
