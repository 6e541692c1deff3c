// What drives a simulation from outside: drives, forces, controllers.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tactus/core/types.h"

namespace tactus {

class Simulator;

/// A drive on a joint of one dof, solved together with the contacts and implicitly, so stable for any gain:
/// force = stiffness (target - q) + damping (target_velocity - v) + feedforward, within +- effort.
struct JointDrive {
  int joint = -1;                                           ///< Model::joints()
  double stiffness = 0;                                     ///< [N m/rad, N/m]
  double damping = 0;                                       ///< [N m s/rad, N s/m]
  double effort = std::numeric_limits<double>::infinity();  ///< [N m, N]; the joint's own limit holds too
};

struct DriveTarget {
  double position = 0, velocity = 0, feedforward = 0;
};

/// What controllers set. It stays until it is set again.
struct Control {
  VectorX force;                    ///< on dofs [N, N m]; clipped to the joints' effort limits
  std::vector<DriveTarget> drives;  ///< of Simulator::drives()
  VectorX actuators;                ///< inputs of the model's actuators
  VectorX soft;                     ///< of Simulator::soft_actuators() [N, Pa, m/s]; clipped to their bounds
  std::vector<Vector6> wrenches;    ///< on bodies at their origins, [force; moment] in world axes
};

/// A force on a link while from <= t < to.
struct WrenchScript {
  int link = -1;
  Vector3 force = Vector3::Zero();   ///< world axes [N]
  Vector3 torque = Vector3::Zero();  ///< world axes [N m]
  Vector3 point = Vector3::Zero();   ///< where the force acts, in the link's frame [m]
  double from = 0;                   ///< [s]
  double to = std::numeric_limits<double>::infinity();
};

/// Called at the start of steps, at its own rate.
class Controller {
 public:
  virtual ~Controller() = default;
  /// Seconds between updates, 0: every step.
  virtual double period() const { return 0; }
  virtual void Update(const Simulator& simulator, Control* control) = 0;
  /// All that influences the future, for snapshots. Nothing by default.
  virtual void Save(std::vector<double>* /*state*/) const {}
  virtual void Load(const std::vector<double>& /*state*/) {}
};

/// A controller from a function.
std::unique_ptr<Controller> MakeController(std::function<void(const Simulator&, Control*)> update, double period = 0);

}  // namespace tactus
