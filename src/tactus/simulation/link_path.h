// A way for a link through space, and the joint positions that take it along.
#pragma once

#include <vector>

#include "tactus/dynamics/inverse_kinematics.h"
#include "tactus/simulation/controllers.h"

namespace tactus {

/// Where a frame is at a time. Between waypoints all that is scalar goes over smoothly or linearly, orientations the
/// short way round.
struct Waypoint {
  double time = 0;                                  ///< [s]
  Vector3 position = Vector3::Zero();               ///< [m]
  Quaternion orientation = Quaternion::Identity();  ///< of the frame in the world
  double turn = 0;                                  ///< and then about its own z axis, any number of turns [rad]
  double radius = 0, angle = 0;                     ///< moves it by radius (cos angle, sin angle, 0) [m, rad]
};

struct LinkPath {
  int link = -1;  ///< Model::links()
  Pose X_LF;      ///< the frame on the link
  Timeline::Kind kind = Timeline::Kind::Smooth;
  std::vector<Waypoint> waypoints;

  /// Throws InputError unless there are waypoints, finite, at increasing times.
  void Validate() const;
  /// Before the first and after the last waypoint those hold.
  Pose Evaluate(double time) const;
};

/// Positions of the joints of `dofs` (of one dof each) that take the frame along its path from the joints' positions in
/// `q_start`, at times `sample` [s] apart; joints not needed stay near where they start. Throws InputError that says
/// when, and by how much, where the path cannot be followed.
Timeline PlanPath(const Model& model, const VectorX& q_start, const LinkPath& path, const std::vector<int>& dofs,
                  double sample = 1.0 / 240);

}  // namespace tactus
