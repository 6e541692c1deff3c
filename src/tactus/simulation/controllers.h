// Controllers that need no code: drives that hold or follow, torques by a table, forces by a script.
#pragma once

#include <memory>
#include <vector>

#include "tactus/simulation/control.h"

namespace tactus {

/// Values at increasing times, for several joints.
struct Timeline {
  enum class Kind {
    Smooth,  ///< from value to value with zero velocity at each (3 s^2 - 2 s^3)
    Linear,
    Hold,  ///< each holds until the next
  };
  Kind kind = Kind::Smooth;
  std::vector<double> times;                ///< [s]
  std::vector<std::vector<double>> values;  ///< one for each time: one for each joint

  /// Throws InputError unless times increase and every time has `count` values.
  void Validate(std::size_t count) const;
  /// Value and slope at a time; before the first and after the last time those hold.
  double Evaluate(std::size_t joint, double time, double* slope) const;
};

/// A mass that a robot is told it carries.
struct Payload {
  int body = -1;
  Vector3 p_B = Vector3::Zero();  ///< where on the body [m]
  Timeline mass = {};             ///< one value a time [kg]; without any: nothing is carried
};

/// Targets of drives (Simulator::drives()) along a timeline: position and velocity. `gravity` adds the torques that
/// carry the robot's weight, and the payload's.
std::unique_ptr<Controller> MakeDriveController(const std::vector<int>& drives, const Timeline& timeline, bool gravity,
                                                double period, const Payload& payload = {});
/// Velocities of drives along a timeline, their positions following.
std::unique_ptr<Controller> MakeVelocityController(const std::vector<int>& drives, const Timeline& timeline,
                                                   double period);
/// Forces on dofs along a timeline.
std::unique_ptr<Controller> MakeForceController(const std::vector<int>& dofs, const Timeline& timeline, double period);

}  // namespace tactus
