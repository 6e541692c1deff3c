// Robots for tests of controllers.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tactus/control/rigid_inverse.h"
#include "tactus/core/random.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/io/urdf.h"
#include "tactus/simulation/simulator.h"

namespace tactus {

inline ModelDescription LoadRobot(const std::string& name, BaseType base) {
  UrdfSettings settings;
  settings.base = base;
  return LoadUrdf(std::filesystem::path(TACTUS_PROJECT_DIR) / "models" / (name + ".urdf"), settings);
}

/// On a floor of friction 0.7 at z = 0.
inline std::shared_ptr<const Model> MakeRobot(const std::string& name, BaseType base) {
  ModelDescription description = LoadRobot(name, base);
  ShapeInstance ground;
  ground.name = "ground";
  ground.shape.type = ShapeType::HalfSpace;
  ground.material.friction = 0.7;
  description.world_shapes.push_back(ground);
  for (LinkDescription& link : description.links) {
    for (ShapeInstance& shape : link.shapes) shape.material.friction = 0.7;
  }
  return std::make_shared<const Model>(description);
}

/// All joints of one dof.
inline std::vector<int> FindMotors(const Model& model) {
  std::vector<int> joints;
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    if (model.body(model.joints()[j].body).nv == 1) joints.push_back(static_cast<int>(j));
  }
  return joints;
}

inline RobotDescription DescribeRobot(const Model& model) {
  RobotDescription robot;
  for (const int j : FindMotors(model)) {
    const ModelJoint& joint = model.joints()[static_cast<std::size_t>(j)];
    robot.motors.push_back(model.body(joint.body).v);
    robot.effort.push_back(joint.description.effort_limit);
  }
  return robot;
}

/// A Go2 in a crouch on the floor, at rest, feet just touching.
inline State MakeCrouch(const Model& model) {
  State state;
  state.q = model.MakeInitial();
  state.v = VectorX::Zero(model.nv());
  for (const char* leg : {"FL", "FR", "RL", "RR"}) {
    const auto entry = [&](const char* joint) -> double& {
      const int j = model.FindJoint(std::string(leg) + joint);
      return state.q[model.body(model.joints()[static_cast<std::size_t>(j)].body).q];
    };
    entry("_thigh_joint") = 0.9;
    entry("_calf_joint") = -1.8;
  }
  ModelData data(model);
  CalcPositions(model, state.q, &data);
  state.q[2] -= data.LinkPose(model, model.FindLink("FL_foot")).p[2] - 0.022;
  return state;
}

}  // namespace tactus
