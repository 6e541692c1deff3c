// Cables, cavities and motors in a simulator.
#include "tactus/simulation/soft_actuator.h"

#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/deformable/mesh/tet_edit.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/simulation/world_testing.h"

namespace tactus {
namespace {

constexpr double kHalf = 0.02;
const TetBox kRoom{Vector3::Constant(-0.01), Vector3::Constant(0.01)};

// A hollow cube in space, the nodes of its left side held.
struct HollowCube {
  std::shared_ptr<const FemBody> body;
  std::unique_ptr<Simulator> simulator;
  std::vector<int> held;

  explicit HollowCube(const Pose& pose = {}) {
    const TetMesh mesh = CutHoles(MakeBoxTets(Vector3::Constant(2 * kHalf), {4, 4, 4}), {kRoom});
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
      if (mesh.nodes[i].x() < -kHalf + 1e-9) held.push_back(static_cast<int>(i));
    }
    FemMaterial material;
    material.young = 1e5;
    material.stiffness_damping = 0.05;
    FemSettings settings;
    settings.held = held;
    body = std::make_shared<const FemBody>(mesh, material, settings);
    ModelDescription description;
    description.gravity.setZero();
    SimulatorSettings sim;
    sim.scheme.step = 0.01;
    simulator = std::make_unique<Simulator>(std::make_shared<const Model>(description), sim);
    DeformableSetup setup;
    setup.pose = pose;
    simulator->AddDeformable(body, setup);
  }
  SoftActuator MakeCavity() const {
    SoftActuator out;
    out.force = std::make_shared<const PressureCavity>(*body, FindWalls(body->mesh(), kRoom));
    out.upper = 5e3;
    return out;
  }
  SoftActuator MakeMotor() const {
    SoftActuator out;
    out.items = held;
    out.axis = Vector3::UnitY();
    out.lower = -0.1;
    out.upper = 0.1;
    out.travel_lower = -0.02;
    out.travel_upper = 0.03;
    return out;
  }
  const VectorX& q() const { return simulator->state().deformables[0].q; }
};

TEST(SoftActuator, PressureMakesACavityLarger) {
  HollowCube cube;
  const SoftActuator cavity = cube.MakeCavity();
  ASSERT_EQ(cube.simulator->AddSoftActuator(cavity), 0);
  const auto& room = dynamic_cast<const PressureCavity&>(*cavity.force);
  cube.simulator->control().soft[0] = 2e3;
  StepFor(cube.simulator.get(), 1);
  const double first = room.CalcVolume(cube.q()) - 8e-6;
  EXPECT_GT(first, 1e-8);
  // What is beyond the bounds is clipped.
  cube.simulator->control().soft[0] = 1e9;
  StepFor(cube.simulator.get(), 1);
  const double most = room.CalcVolume(cube.q()) - 8e-6;
  EXPECT_NEAR(most / first, 2.5, 0.2);
  cube.simulator->control().soft[0] = 0;
  StepFor(cube.simulator.get(), 2);
  EXPECT_NEAR(room.CalcVolume(cube.q()), 8e-6, 1e-10);
}

TEST(SoftActuator, MotorsMoveWhatIsHeldAndStop) {
  HollowCube cube(Pose(Vector3(0, 0, 3)));
  cube.simulator->AddSoftActuator(cube.MakeMotor());
  cube.simulator->control().soft[0] = 0.1;
  StepFor(cube.simulator.get(), 0.2);
  EXPECT_NEAR(
      CalcSoftTravel(cube.simulator->deformables(), cube.simulator->soft_actuators()[0], cube.simulator->state()), 0.02,
      1e-12);
  cube.simulator->control().soft[0] = 5;
  StepFor(cube.simulator.get(), 1);
  const VectorX start = cube.body->initial_q();
  for (int i = 0; i < cube.body->num_nodes(); ++i) {
    const Vector3 moved = cube.q().segment<3>(3 * i) - start.segment<3>(3 * i);
    EXPECT_LT((moved - Vector3(0, 0.03, 3)).norm(), 1e-4) << i;
  }
}

TEST(SoftActuator, RefusesWhatDoesNotFit) {
  HollowCube cube;
  SoftActuator motor = cube.MakeMotor();
  motor.items = {cube.body->num_nodes() - 1};  // free
  EXPECT_THROW(cube.simulator->AddSoftActuator(motor), InputError);
  motor = cube.MakeMotor();
  motor.axis = Vector3(1, 1, 0);
  EXPECT_THROW(cube.simulator->AddSoftActuator(motor), InputError);
  motor = cube.MakeMotor();
  motor.travel_upper = -1;
  EXPECT_THROW(cube.simulator->AddSoftActuator(motor), InputError);
  SoftActuator cavity = cube.MakeCavity();
  cavity.lower = 1e9;
  EXPECT_THROW(cube.simulator->AddSoftActuator(cavity), InputError);
  cavity = cube.MakeCavity();
  cavity.deformable = 1;
  EXPECT_THROW(cube.simulator->AddSoftActuator(cavity), InputError);
  EXPECT_EQ(cube.simulator->control().soft.size(), 0);
}

}  // namespace
}  // namespace tactus
