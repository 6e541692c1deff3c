// Small worlds for tests of the simulator.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tactus/geometry/mass_properties.h"
#include "tactus/simulation/simulator.h"

namespace tactus {

/// Steps for some time, each of which must be solved to the tolerance.
inline void StepFor(Simulator* simulator, double duration) {
  const double end = simulator->time() + duration;
  while (simulator->time() < end - 1e-9) {
    const StepReport report = simulator->Step();
    ASSERT_EQ(report.status, StepStatus::Ok) << "t = " << report.time << ": " << report.message;
  }
}

/// A wheel of 1 kg on the world that turns about y; its joint has its name.
inline LinkDescription MakeHinge(const std::string& name, const Vector3& place, double inertia) {
  LinkDescription link;
  link.name = name;
  link.X_PL = Pose(place);
  JointDescription joint;
  joint.name = name;
  joint.axis = Vector3::UnitY();
  link.joints.push_back(joint);
  link.inertia = LinkInertia{1, Vector3::Zero(), inertia * Matrix3::Identity()};
  return link;
}

/// An arm of 2 kg on the world along x, its middle 0.5 m from its hinge "hinge" about y.
inline LinkDescription MakeArm() {
  LinkDescription arm = MakeHinge("hinge", Vector3::Zero(), 0);
  arm.name = "arm";
  arm.inertia = LinkInertia{2, Vector3(0.5, 0, 0), Matrix3::Identity() * 0.01};
  return arm;
}

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
      case ShapeType::Capsule:
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
