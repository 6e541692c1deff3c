// Joint positions that bring a link to a pose.
#pragma once

#include <vector>

#include "tactus/dynamics/model_data.h"

namespace tactus {

/// A frame F on a body, and where it should be.
struct PoseTarget {
  int body = -1;
  Pose X_BF, X_WF;
};

struct InverseKinematicsSettings {
  int max_iterations = 100;
  double tolerance = 1e-9;  ///< on |position error| [m] and |rotation error| [rad]
  double max_step = 0.2;    ///< of a joint in an iteration [rad, m]
  double posture_gain =
      0.05;  ///< share of the way to the rest posture that the first iteration goes, where the target lets it
};

struct InverseKinematicsResult {
  bool reached = false;
  double position_error = 0, rotation_error = 0;  ///< of the q returned
  int iterations = 0;
};

/// Newton's method with damping from `q`, which it changes; only joints of one dof in `dofs` move, within their
/// limits. Where they are more than the target needs, they stay near `rest` (a q; null: nowhere in particular). Memory
/// is kept, so that a second solve allocates nothing; one a thread.
class InverseKinematics {
 public:
  InverseKinematics(const Model& model, std::vector<int> dofs, const InverseKinematicsSettings& settings = {});
  InverseKinematicsResult Solve(const PoseTarget& target, const VectorX* rest, VectorX* q);

 private:
  const Model* model_;
  std::vector<int> dofs_;
  InverseKinematicsSettings settings_;
  ModelData data_;
  Matrix6X all_, J_;
  Vector6 error_ = Vector6::Zero();
  VectorX step_, posture_;
  std::vector<bool> locked_;
};

}  // namespace tactus
