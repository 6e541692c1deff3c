// How deformables go through a step: energy, impacts under the midpoint rule, Newton's method, linearisations, warm
// start.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tactus/deformable/fem/fem_body.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/deformable/rods/rod.h"
#include "tactus/simulation/world_testing.h"

namespace tactus {
namespace {

std::shared_ptr<const FemBody> MakeCube(double damping) {
  FemMaterial material;
  material.young = 5e4;
  material.density = 500;
  material.stiffness_damping = damping;
  return std::make_shared<const FemBody>(MakeBoxTets(Vector3(0.1, 0.1, 0.1), {3, 3, 3}), material);
}

std::unique_ptr<Simulator> MakeDrop(double height, double damping, SimulatorSettings settings) {
  TestWorld world;
  world.AddGround(0.5);
  auto simulator = world.Make(settings);
  DeformableSetup setup;
  setup.pose.p = Vector3(0, 0, 0.05 + height);
  setup.material.friction = 0.5;
  simulator->AddDeformable(MakeCube(damping), setup);
  return simulator;
}

double CalcEnergy(const Simulator& simulator) {
  return simulator.deformables().CalcEnergy(0, simulator.state().deformables[0], simulator.model().gravity()).total();
}

// Nothing gives energy to a cube that falls and bounces, and backward Euler takes some.
TEST(DeformableStepping, BackwardEulerLosesEnergy) {
  SimulatorSettings settings;
  settings.scheme.step = 0.002;
  const auto simulator = MakeDrop(0.05, 0, settings);
  double before = CalcEnergy(*simulator);
  const double start = before, scale = simulator->deformables().body(0).mass() * 9.81 * 0.05;
  for (int k = 0; k < 200; ++k) {
    ASSERT_EQ(simulator->Step().status, StepStatus::Ok);
    const double now = CalcEnergy(*simulator);
    EXPECT_LT(now, before + 0.01 * scale) << k;
    before = now;
  }
  EXPECT_LT(before, start - 0.1 * scale);
}

// The midpoint rule gives way to backward Euler where the cube hits, and keeps its energy in flight.
TEST(DeformableStepping, MidpointGivesWayToImpacts) {
  SimulatorSettings settings;
  settings.scheme = {0.005, 0.5};
  const auto simulator = MakeDrop(0.05, 0.002, settings);
  const double start = CalcEnergy(*simulator), scale = simulator->deformables().body(0).mass() * 9.81 * 0.05;
  int implicit = 0;
  for (int k = 0; k < 200; ++k) {
    const StepReport report = simulator->Step();
    ASSERT_EQ(report.status, StepStatus::Ok);
    implicit += report.implicit_step ? 1 : 0;
    const double now = CalcEnergy(*simulator);
    if (implicit == 0) {
      EXPECT_NEAR(now, start, 1e-6 * scale) << k;
    }
    EXPECT_LT(now, start + 0.02 * scale) << k;
  }
  EXPECT_GT(implicit, 0);
}

// Newton's method ends at its tolerance, at an answer that does not depend on where it began.
TEST(DeformableStepping, FullyImplicitSteps) {
  VectorX q[2];
  for (const int k : {0, 1}) {
    TestWorld world;
    SimulatorSettings settings;
    settings.scheme.step = 0.05;
    settings.newton_iterations = k == 0 ? 0 : 100;
    settings.newton_tolerance = 1e-10;
    const auto simulator = world.Make(settings);
    RodSettings rod;
    rod.segments = 10;
    rod.radius = 0.01;
    rod.held = {0};
    simulator->AddDeformable(std::make_shared<const Rod>(rod));
    for (int step = 0; step < 5; ++step) {
      const StepReport report = simulator->Step();
      ASSERT_EQ(report.status, StepStatus::Ok);
      EXPECT_EQ(report.newton_steps > 0, k == 1);
      EXPECT_LT(report.newton_steps, 100);
    }
    q[k] = simulator->state().deformables[0].q;
  }
  // At large steps it matters.
  EXPECT_GT((q[0] - q[1]).cwiseAbs().maxCoeff(), 1e-3);
}

// On a curved surface, gaps where the step ends are what counts.
TEST(DeformableStepping, LinearizationsFollowCurvedSurfaces) {
  double deepest[2] = {0, 0};
  for (const int k : {0, 1}) {
    TestWorld world;
    world.description.world_shapes.push_back(world.MakeShape(ShapeType::Sphere, Vector3(0.1, 0, 0), 0, "ball"));
    SimulatorSettings settings;
    settings.scheme.step = 0.01;
    settings.linearizations = k == 0 ? 1 : 3;
    const auto simulator = world.Make(settings);
    DeformableSetup setup;
    setup.material.friction = 0;
    // Slides off the ball, beside its top.
    setup.pose.p = Vector3(0.03, 0, 0.15);
    simulator->AddDeformable(MakeCube(0.01), setup);
    for (int step = 0; step < 40; ++step) {
      const StepReport report = simulator->Step();
      ASSERT_TRUE(report.moved());
      deepest[k] = std::max(deepest[k], report.max_penetration);
    }
  }
  EXPECT_LT(deepest[1], 0.3 * deepest[0]);
}

TEST(DeformableStepping, WarmStartsHelp) {
  int iterations[2] = {0, 0};
  for (const int k : {0, 1}) {
    SimulatorSettings settings;
    settings.scheme.step = 0.01;
    settings.solver = "cond";
    settings.warm_start = k == 1;
    const auto simulator = MakeDrop(0.001, 0.01, settings);
    for (int step = 0; step < 100; ++step) {
      const StepReport report = simulator->Step();
      ASSERT_EQ(report.status, StepStatus::Ok);
      if (step >= 50) iterations[k] += report.solve.iterations;
    }
  }
  EXPECT_LT(iterations[1], 0.8 * iterations[0]);
}

}  // namespace
}  // namespace tactus
