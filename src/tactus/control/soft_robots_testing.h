// Small soft robots for tests.
#pragma once

#include <memory>
#include <vector>

#include "tactus/control/soft_inverse.h"
#include "tactus/deformable/mesh/tet_edit.h"
#include "tactus/deformable/mesh/tet_shapes.h"

namespace tactus {

struct ClampedBeam {
  std::unique_ptr<Simulator> simulator;
  std::shared_ptr<const FemBody> body;
  std::vector<int> held;
};

/// A beam of silicone along x, clamped where x = 0, its middle at `height` above the ground.
inline ClampedBeam MakeClampedBeam(const TetMesh& mesh, double height, double friction) {
  ModelDescription description;
  ShapeInstance ground;
  ground.name = "ground";
  ground.shape.type = ShapeType::HalfSpace;
  ground.material.friction = friction;
  description.world_shapes.push_back(ground);
  SimulatorSettings settings;
  settings.scheme.step = 0.01;
  settings.solve.tolerance = 1e-12;
  settings.contacts.margin = 0.005;
  ClampedBeam beam;
  beam.simulator = std::make_unique<Simulator>(std::make_shared<const Model>(description), settings);

  FemSettings fem;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    if (mesh.nodes[i].x() < 1e-9) fem.held.push_back(static_cast<int>(i));
  }
  FemMaterial material;
  material.young = 2e5;
  material.poisson = 0.4;
  material.stiffness_damping = 0.01;
  beam.held = fem.held;
  beam.body = std::make_shared<const FemBody>(mesh, material, fem);
  DeformableSetup setup;
  setup.pose = Pose(Vector3(0, 0, height));
  setup.material.friction = friction;
  setup.clamps.push_back({fem.held, nullptr});
  beam.simulator->AddDeformable(beam.body, setup);
  return beam;
}

/// A beam of silicone along x, clamped at x = 0, 2 mm above the ground, with a cable along its lower and one along its
/// upper side; with `motor` the clamp moves up and down.
inline std::unique_ptr<Simulator> MakeSoftBeam(bool motor, double height = 0.002, double friction = 0.6) {
  ClampedBeam beam = MakeClampedBeam(MakeBeamTets(0.1, 0.02, 0.02, {8, 2, 2}), 0.01 + height, friction);
  for (const double z : {-0.006, 0.006}) {
    std::vector<CablePoint> points;
    for (int k = 4; k >= 0; --k) points.push_back(CableInBody(*beam.body, Vector3(0.024 * k, 0, z)));
    SoftActuator cable;
    cable.name = z < 0 ? "lower" : "upper";
    cable.force = std::make_shared<const Cable>(*beam.body, points);
    cable.upper = 10;
    beam.simulator->AddSoftActuator(cable);
  }
  if (motor) {
    SoftActuator lift;
    lift.name = "lift";
    lift.items = beam.held;
    lift.lower = -0.1;
    lift.upper = 0.1;
    lift.travel_lower = -0.005;
    lift.travel_upper = 0.02;
    beam.simulator->AddSoftActuator(lift);
  }
  return std::move(beam.simulator);
}

/// A beam of silicone along x, clamped at x = 0, 0.5 mm above the ground, with a room along its lower and one along its
/// upper side.
inline std::unique_ptr<Simulator> MakeHollowBeam() {
  const TetBox lower{Vector3(0.01, -0.005, -0.008), Vector3(0.09, 0.005, -0.004)};
  const TetBox upper{Vector3(0.01, -0.005, 0.004), Vector3(0.09, 0.005, 0.008)};
  const TetMesh mesh = CutHoles(MakeBeamTets(0.1, 0.02, 0.024, {10, 4, 6}), {lower, upper});
  ClampedBeam beam = MakeClampedBeam(mesh, 0.0125, 0.6);
  for (const TetBox& room : {lower, upper}) {
    SoftActuator cavity;
    cavity.name = room.low.z() < 0 ? "lower" : "upper";
    cavity.force = std::make_shared<const PressureCavity>(*beam.body, FindWalls(mesh, room));
    cavity.lower = -2e3;
    cavity.upper = 8e3;
    beam.simulator->AddSoftActuator(cavity);
  }
  return std::move(beam.simulator);
}

/// The nodes of the free end go to `target`.
inline SoftTask MakeTipTask(const Simulator& simulator, const Vector3& target) {
  SoftTask task;
  task.name = "tip";
  task.deformable = 0;
  const Deformable& body = simulator.deformables().body(0);
  for (int i = 0; i < body.num_items(); ++i) {
    if (body.initial_q()[3 * i] > 0.1 - 1e-9) task.items.push_back(i);
  }
  task.target.times = {0};
  task.target.values = {{target[0], target[1], target[2]}};
  return task;
}

inline Vector3 CalcTip(const Simulator& simulator, const SoftTask& task) {
  Vector3 sum = Vector3::Zero();
  for (const int i : task.items) sum += simulator.state().deformables[0].q.segment<3>(3 * i);
  return sum / static_cast<double>(task.items.size());
}

}  // namespace tactus
