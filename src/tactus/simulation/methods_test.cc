// The baselines against what is known in closed form: they are to be compared with, so they have to be right.
#include <cmath>

#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/deformable/fem/fem_body.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/deformable/rods/rod.h"
#include "tactus/simulation/world_testing.h"

namespace tactus {
namespace {

constexpr double kGravity = 9.81;

SimulatorSettings MakeSettings(StepMethod method, int substeps = 20) {
  SimulatorSettings settings;
  settings.scheme.step = 0.01;
  settings.method = method;
  settings.xpbd.substeps = substeps;
  return settings;
}

void RunFor(Simulator* simulator, double duration) {
  const int steps = static_cast<int>(std::lround(duration / simulator->settings().scheme.step));
  for (int k = 0; k < steps; ++k) {
    const StepReport report = simulator->Step();
    ASSERT_EQ(report.status, StepStatus::Inaccurate) << report.message;  // no law is solved, and it says so
    ASSERT_FALSE(report.message.empty());
  }
}

std::shared_ptr<const FemBody> MakeSolid(const TetMesh& mesh, double young, double poisson = 0.3,
                                         std::vector<int> held = {}, double mass_damping = 0) {
  FemMaterial material;
  material.young = young;
  material.poisson = poisson;
  material.density = 500;
  material.mass_damping = mass_damping;
  material.stiffness_damping = 0.01;
  FemSettings settings;
  settings.held = std::move(held);
  return std::make_shared<const FemBody>(mesh, material, settings);
}

// Of mass.
Vector3 CalcCentre(const Simulator& simulator) {
  const VectorX& q = simulator.state().deformables[0].q;
  const auto& body = dynamic_cast<const FemBody&>(simulator.deformables().body(0));
  Vector3 sum = Vector3::Zero();
  for (int i = 0; i < body.num_nodes(); ++i) sum += body.node_mass(i) / body.mass() * q.segment<3>(3 * i);
  return sum;
}

Vector3 CalcContactForce(const Simulator& simulator) {
  Vector3 sum = Vector3::Zero();
  for (const ContactState& c : simulator.contacts()) {
    const bool first = simulator.objects()[static_cast<std::size_t>(c.object_a)].deformable >= 0;
    sum += (first ? 1 : -1) * c.impulse_W();
  }
  return sum / simulator.settings().scheme.step;
}

TEST(Xpbd, FallsFreely) {
  const auto simulator = TestWorld().Make(MakeSettings(StepMethod::Xpbd));
  DeformableSetup setup;
  setup.linear_velocity = Vector3(0.4, 0, 1);
  simulator->AddDeformable(MakeSolid(MakeBoxTets(Vector3(0.1, 0.1, 0.1), {2, 2, 2}), 1e5), setup);
  RunFor(simulator.get(), 0.3);
  const double s = 0.01 / 20, n = 600;
  EXPECT_NEAR(CalcCentre(*simulator)[0], 0.12, 1e-9);
  EXPECT_NEAR(CalcCentre(*simulator)[2], 0.3 - kGravity * s * s * n * (n + 1) / 2, 1e-9);
  EXPECT_EQ(simulator->contacts().size(), 0u);
}

// A spinning solid keeps its angular momentum but for what damping of turns by the method takes.
TEST(Xpbd, FreeSolidKeepsItsMomentum) {
  TestWorld world;
  world.description.gravity = Vector3::Zero();
  const auto simulator = world.Make(MakeSettings(StepMethod::Xpbd));
  DeformableSetup setup;
  setup.linear_velocity = Vector3(0.4, 0, 1);
  setup.angular_velocity = Vector3(0, 0, 3);
  const auto body = MakeSolid(MakeBoxTets(Vector3(0.1, 0.1, 0.1), {2, 2, 2}), 1e5);
  simulator->AddDeformable(body, setup);
  const auto momentum = [&] {
    DeformableInput input;
    input.q = &simulator->state().deformables[0].q;
    input.v = &simulator->state().deformables[0].v;
    return body->CalcMomentum(input);
  };
  const DeformableMomentum before = momentum();
  RunFor(simulator.get(), 0.2);
  EXPECT_LT((momentum().linear - before.linear).norm(), 1e-9 * before.linear.norm());
  EXPECT_LT((momentum().angular - before.angular).norm(), 2e-2 * before.angular.norm());
}

// A rod that hangs from its first segment: each joint is stretched by the weight below it.
TEST(Xpbd, RodHangsByItsWeight) {
  RodSettings rod;
  rod.segments = 10;
  rod.length = 0.5;
  rod.radius = 0.01;
  rod.young = 1e5;
  rod.mass_damping = 10;
  rod.held = {0};
  rod.axes = Quaternion(Eigen::AngleAxisd(M_PI / 2, Vector3::UnitY()));  // downwards
  const auto body = std::make_shared<const Rod>(rod);
  DeformableSetup setup;
  setup.clamps.push_back({{0}, nullptr});
  const auto simulator = TestWorld().Make(MakeSettings(StepMethod::Xpbd, 100));
  simulator->AddDeformable(body, setup);
  RunFor(simulator.get(), 2);
  const double l = 0.05, area = M_PI * 1e-4, weight = rod.density * area * l * kGravity;
  double expected = -0.5 * l;
  for (int k = 1; k < 10; ++k) expected -= l * (1 + (10 - k) * weight / (rod.young * area));
  EXPECT_NEAR(simulator->state().deformables[0].q[7 * 9 + 2], expected, 1e-3 * std::abs(expected + 0.475));
  const VectorX& force = simulator->deformables().held_forces(0);
  EXPECT_NEAR(force[2], body->mass() * kGravity, 1e-3 * body->mass() * kGravity);
}

// The law of the solid: a bar that hangs from its upper end is longer by rho g L^2 / 2 E.
TEST(Xpbd, BarHangsByItsWeight) {
  const TetMesh mesh = MakeBoxTets(Vector3(0.05, 0.05, 0.2), {2, 2, 8});
  std::vector<int> held;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    if (mesh.nodes[i][2] > 0.0999) held.push_back(static_cast<int>(i));
  }
  const auto body = MakeSolid(mesh, 2e4, 0.0, held, 10);
  DeformableSetup setup;
  setup.clamps.push_back({held, nullptr});
  const auto simulator = TestWorld().Make(MakeSettings(StepMethod::Xpbd, 100));
  simulator->AddDeformable(body, setup);
  RunFor(simulator.get(), 2);
  const VectorX& q = simulator->state().deformables[0].q;
  double lowest = 0;
  for (int i = 2; i < q.size(); i += 3) lowest = std::min(lowest, q[i]);
  const double stretch = 500 * kGravity * 0.04 / (2 * 2e4);
  EXPECT_NEAR(-0.1 - lowest, stretch, 0.05 * stretch);
  double pull = 0;
  for (int i = 2; i < body->num_held_dofs(); i += 3) pull += simulator->deformables().held_forces(0)[i];
  EXPECT_NEAR(pull, body->mass() * kGravity, 1e-2 * body->mass() * kGravity);
}

TEST(Xpbd, BlockRestsSticksAndSlides) {
  // tan of the slope below and above the friction of 0.5.
  for (const double slope : {0.0, 0.3, 0.8}) {
    TestWorld world;
    world.AddGround(0.5, std::atan(slope));
    const auto simulator = world.Make(MakeSettings(StepMethod::Xpbd, 40));
    const auto body = MakeSolid(MakeBoxTets(Vector3(0.1, 0.1, 0.1), {2, 2, 2}), 2e5);
    DeformableSetup setup;
    setup.material.friction = 0.5;
    setup.pose.R = Eigen::AngleAxisd(std::atan(slope), Vector3::UnitY()).toRotationMatrix();
    setup.pose.p = setup.pose.R * Vector3(0, 0, 0.05);
    simulator->AddDeformable(body, setup);
    RunFor(simulator.get(), 0.5);
    const Vector3 start = CalcCentre(*simulator);
    RunFor(simulator.get(), 0.1);
    double force = 0;
    double speed = 0;
    for (int k = 0; k < 10; ++k) {
      RunFor(simulator.get(), 0.01);
      force += 0.1 * (setup.pose.R.transpose() * CalcContactForce(*simulator))[2];
    }
    speed = (CalcCentre(*simulator) - start).norm() / 0.2;
    const double angle = std::atan(slope), weight = body->mass() * kGravity;
    EXPECT_NEAR(force, weight * std::cos(angle), 0.03 * weight) << slope;
    if (slope < 0.5) {
      EXPECT_LT(speed, 1e-3) << slope;
    } else {
      const double a = kGravity * (std::sin(angle) - 0.5 * std::cos(angle));
      EXPECT_NEAR(speed, 0.6 * a, 0.1 * 0.6 * a);
    }
    EXPECT_LT(simulator->Step().max_penetration, 1e-4);
  }
}

TEST(Xpbd, RefusesWhatItDoesNotKnow) {
  TestWorld world;
  world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 1, Pose());
  EXPECT_THROW((void)world.Make(MakeSettings(StepMethod::Xpbd)), InputError);
  SimulatorSettings settings = MakeSettings(StepMethod::Xpbd, 0);
  EXPECT_THROW((void)TestWorld().Make(settings), InputError);
  settings = MakeSettings(StepMethod::Penalty);
  settings.penalty.stiffness = 0;
  EXPECT_THROW((void)TestWorld().Make(settings), InputError);
}

// A box on four points sinks by m g / 4 k, and slides with (F - mu m g)/m; in free fall nothing acts.
TEST(Penalty, BoxSinksInAndSlides) {
  for (const bool implicit : {false, true}) {
    TestWorld world;
    world.AddGround(0.2);
    world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 0.5, Pose(Vector3(0, 0, 0.1)), 0.2);
    SimulatorSettings settings = MakeSettings(StepMethod::Penalty);
    settings.scheme.step = 0.002;
    settings.penalty = {1000, 5, 20, implicit};
    const auto simulator = world.Make(settings);
    WrenchScript push;
    push.link = 0;
    push.force = Vector3(2, 0, 0);
    simulator->AddWrench(push);
    RunFor(simulator.get(), 1);
    EXPECT_NEAR(simulator->state().q[2], 0.1 - 0.5 * kGravity / 4000, 2e-5) << implicit;
    const double v = simulator->state().v.norm();
    RunFor(simulator.get(), 0.5);
    EXPECT_NEAR(simulator->state().v.norm() - v, 0.5 * (2 - 0.2 * 0.5 * kGravity) / 0.5, 0.02) << implicit;
  }
  TestWorld world;
  world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 0.5, Pose(Vector3(0, 0, 5)), 0.2);
  const auto simulator = world.Make(MakeSettings(StepMethod::Penalty));
  RunFor(simulator.get(), 0.5);
  EXPECT_NEAR(simulator->state().q[2], 5 - kGravity * 1e-4 * 50 * 51 / 2, 1e-9);
}

// Explicit springs that are too stiff for the step throw things up; at the end of the step they do not.
TEST(Penalty, StiffSpringsBounceUnlessImplicit) {
  for (const bool implicit : {false, true}) {
    TestWorld world;
    world.AddGround(0.2);
    world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 0.5, Pose(Vector3(0, 0, 0.1)), 0.2);
    SimulatorSettings settings = MakeSettings(StepMethod::Penalty);
    settings.penalty = {1e4, 50, 100, implicit};
    const auto simulator = world.Make(settings);
    double highest = 0;
    for (int k = 0; k < 100; ++k) {
      ASSERT_TRUE(simulator->Step().moved());
      highest = std::max(highest, simulator->state().q[2]);
    }
    if (implicit) {
      EXPECT_LT(highest, 0.1 + 1e-6);
    } else {
      EXPECT_GT(highest, 0.1 + 1e-4);
    }
  }
}

// With deformables too: the weight is carried.
TEST(Penalty, SoftBlockRests) {
  TestWorld world;
  world.AddGround(0.5);
  SimulatorSettings settings = MakeSettings(StepMethod::Penalty);
  settings.penalty = {1e4, 10, 100, true};
  const auto simulator = world.Make(settings);
  const auto body = MakeSolid(MakeBoxTets(Vector3(0.1, 0.1, 0.1), {2, 2, 2}), 2e5);
  DeformableSetup setup;
  setup.pose.p = Vector3(0, 0, 0.05);
  simulator->AddDeformable(body, setup);
  RunFor(simulator.get(), 1);
  EXPECT_NEAR(CalcContactForce(*simulator)[2], body->mass() * kGravity, 1e-3 * body->mass() * kGravity);
}

}  // namespace
}  // namespace tactus
