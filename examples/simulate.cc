// A world from code: a box falls on a tilted plate that a drive holds, and what the contacts carry.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "tactus/simulation/sensors.h"
#include "tactus/simulation/simulator.h"

namespace {

using tactus::LinkDescription, tactus::Vector3;

tactus::ShapeInstance MakeBox(const char* name, const Vector3& half, double friction) {
  tactus::ShapeInstance shape;
  shape.name = name;
  shape.shape.type = tactus::ShapeType::Box;
  shape.shape.size = half;
  shape.material.friction = friction;
  return shape;
}

}  // namespace

int main() {
  // One description holds the whole world: links on joints, free bodies, fixed shapes.
  tactus::ModelDescription world;
  LinkDescription plate;
  plate.name = "plate";
  plate.X_PL = tactus::Pose(Vector3(0, 0, 0.5));
  plate.joints.emplace_back();
  plate.joints[0].name = "tilt";
  plate.joints[0].axis = Vector3::UnitY();
  plate.inertia = tactus::LinkInertia{2, Vector3::Zero(), Vector3(0.03, 0.03, 0.06).asDiagonal()};
  plate.shapes.push_back(MakeBox("plate", Vector3(0.2, 0.2, 0.01), 0.5));
  world.links.push_back(plate);

  LinkDescription box;
  box.name = "box";
  box.joints.emplace_back();
  box.joints[0].name = "box_free";
  box.joints[0].type = tactus::JointType::Floating;
  box.joints[0].initial = tactus::Pose(Vector3(0, 0, 0.65));
  box.inertia = tactus::LinkInertia{1, Vector3::Zero(), Vector3(0.002, 0.002, 0.002).asDiagonal()};
  box.shapes.push_back(MakeBox("box", Vector3(0.05, 0.05, 0.05), 0.5));
  world.links.push_back(box);

  tactus::Simulator simulator(std::make_shared<const tactus::Model>(world));
  const int drive = simulator.AddDrive({.joint = 0, .stiffness = 500, .damping = 20});
  // The plate tilts slowly from level to 0.6 rad; the box slides from atan(0.5) on.
  simulator.AddController(tactus::MakeController([drive](const tactus::Simulator& s, tactus::Control* control) {
    control->drives[static_cast<std::size_t>(drive)].position = 0.6 * std::min(s.time() / 2, 1.0);
  }));

  for (int step = 1; step <= 480; ++step) {
    const tactus::StepReport report = simulator.Step();
    if (report.status != tactus::StepStatus::Ok) {
      std::printf("t = %.3f s: %s (%s)\n", report.time, ToString(report.status), report.message.c_str());
      return 1;
    }
    if (step % 96 != 0) continue;
    const Vector3 force = tactus::CalcContactWrench(simulator, 1).head<3>();
    std::printf(
        "t = %.1f s: plate at %.3f rad, box at (%.3f, %.3f, %.3f) m, %d contacts carry (%.2f, %.2f, %.2f) N, "
        "residual below 1e-8\n",
        report.time, simulator.state().q[0], simulator.LinkPose(1).p[0], simulator.LinkPose(1).p[1],
        simulator.LinkPose(1).p[2], report.contacts, force[0], force[1], force[2]);
  }
  return 0;
}
