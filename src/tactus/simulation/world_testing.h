// Small worlds for tests of the simulator.
#pragma once

#include <memory>
#include <string>

#include "tactus/geometry/mass_properties.h"
#include "tactus/simulation/simulator.h"

namespace tactus {

class TestWorld {
 public:
  ShapeInstance MakeShape(ShapeType type, const Vector3& size, double friction, const std::string& name) {
    ShapeInstance instance;
    instance.name = name;
    instance.shape.type = type;
    instance.shape.size = size;
    instance.material.friction = friction;
    return instance;
  }

  /// z <= 0, tilted about y by an angle if wanted.
  ShapeInstance& AddGround(double friction = 1, double tilt = 0) {
    ShapeInstance ground = MakeShape(ShapeType::HalfSpace, Vector3::Zero(), friction, "ground");
    ground.X_LS.R = Eigen::AngleAxisd(tilt, Vector3::UnitY()).toRotationMatrix();
    description.world_shapes.push_back(ground);
    return description.world_shapes.back();
  }

  /// A free body of one shape.
  LinkDescription& AddBody(ShapeType type, const Vector3& size, double mass, const Pose& X_WB, double friction = 1) {
    LinkDescription link;
    link.name = "body" + std::to_string(description.links.size());
    link.shapes.push_back(MakeShape(type, size, friction, link.name));
    link.inertia = MakeInertia(type, size, mass);
    JointDescription joint;
    joint.name = link.name + "_free";
    joint.type = JointType::Floating;
    joint.initial = X_WB;
    link.joints.push_back(joint);
    description.links.push_back(link);
    return description.links.back();
  }

  static LinkInertia MakeInertia(ShapeType type, const Vector3& size, double mass) {
    LinkInertia inertia;
    inertia.mass = mass;
    Vector3 s = size.cwiseAbs2();
    switch (type) {
      case ShapeType::Box:
        inertia.central = (mass / 3 * Vector3(s[1] + s[2], s[0] + s[2], s[0] + s[1])).asDiagonal();
        break;
      case ShapeType::Cylinder:
        inertia.central = (mass * Vector3(s[0] / 4 + s[1] / 3, s[0] / 4 + s[1] / 3, s[0] / 2)).asDiagonal();
        break;
      default: inertia.central = (0.4 * mass * s[0] * Vector3::Ones()).asDiagonal(); break;
    }
    return inertia;
  }

  std::unique_ptr<Simulator> Make(const SimulatorSettings& settings = {}) const {
    return std::make_unique<Simulator>(std::make_shared<const Model>(description), settings);
  }

  ModelDescription description;
};

}  // namespace tactus
