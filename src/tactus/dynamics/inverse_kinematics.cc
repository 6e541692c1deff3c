#include "tactus/dynamics/inverse_kinematics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <Eigen/Cholesky>

#include "tactus/core/error.h"
#include "tactus/dynamics/kinematics.h"

namespace tactus {

InverseKinematics::InverseKinematics(const Model& model, std::vector<int> dofs,
                                     const InverseKinematicsSettings& settings)
    : model_(&model), dofs_(std::move(dofs)), settings_(settings), data_(model) {
  for (const int d : dofs_) {
    Require(d >= 0 && d < model.nv() && model.body(model.dof_body(d)).nv == 1, "inverse kinematics",
            "dof " + std::to_string(d) + " is not that of a joint of one dof", "dofs of hinges and sliders");
  }
  all_ = Matrix6X::Zero(6, model.nv());
  J_ = Matrix6X::Zero(6, static_cast<Eigen::Index>(dofs_.size()));
  step_ = posture_ = VectorX::Zero(static_cast<Eigen::Index>(dofs_.size()));
  locked_.resize(dofs_.size());
}

InverseKinematicsResult InverseKinematics::Solve(const PoseTarget& target, const VectorX* rest, VectorX* q) {
  // Damping, of the trace of J J^T: keeps singular poses solvable, and grows where steps lead astray.
  constexpr double kLeast = 1e-10, kFirst = 1e-4;
  double damping = kLeast, least = std::numeric_limits<double>::infinity();
  double posture_gain = rest != nullptr ? settings_.posture_gain : 0;
  const int n = static_cast<int>(dofs_.size());
  const auto place = [&](int k) { return model_->body(model_->dof_body(dofs_[static_cast<std::size_t>(k)])).q; };
  InverseKinematicsResult result;
  for (;; ++result.iterations) {
    CalcFrames(*model_, *q, &data_);
    Pose X_WF = data_.BodyPose(target.body) * target.X_BF;
    Vector6 error;
    error << target.X_WF.p - X_WF.p, LogRotation(Quaternion(target.X_WF.R * X_WF.R.transpose()));
    result.position_error = error.head<3>().norm();
    result.rotation_error = error.tail<3>().norm();
    result.reached = std::max(result.position_error, result.rotation_error) <= settings_.tolerance;
    const bool worse = !(error.norm() < least);
    if (worse && result.iterations > 0 && !result.reached) {
      for (int k = 0; k < n; ++k) (*q)[place(k)] -= step_[k];
      // It may have been the posture's fault, where the target was nearly met: first without, then shorter.
      if (posture_gain > 0) {
        posture_gain = 0;
      } else {
        damping = std::max(kFirst, 10 * damping);
      }
      error = error_;
      result.position_error = error.head<3>().norm();
      result.rotation_error = error.tail<3>().norm();
    } else {
      least = error.norm();
      damping = std::max(kLeast, 0.1 * damping);
    }
    if (result.reached || result.iterations == settings_.max_iterations) return result;
    if (worse && result.iterations > 0) {
      CalcFrames(*model_, *q, &data_);
      X_WF = data_.BodyPose(target.body) * target.X_BF;
    }
    error_ = error;

    all_.setZero();
    CalcPointJacobian(*model_, data_, target.body, X_WF.p, &all_);
    for (int k = 0; k < n; ++k) {
      J_.col(k) = all_.col(dofs_[static_cast<std::size_t>(k)]);
      posture_[k] = rest != nullptr ? posture_gain * ((*rest)[place(k)] - (*q)[place(k)]) : 0;
    }
    posture_gain *= 0.5;  // what moves beside the target disturbs it to second order
    std::fill(locked_.begin(), locked_.end(), false);
    // Joints that would leave their limits stay there, and the others are asked again.
    for (int round = 0; round <= n; ++round) {
      Vector6 rhs = error;
      Matrix6 JJ = Matrix6::Zero();
      for (int k = 0; k < n; ++k) {
        if (locked_[static_cast<std::size_t>(k)]) {
          rhs -= J_.col(k) * step_[k];
        } else {
          rhs -= J_.col(k) * posture_[k];
          JJ.noalias() += J_.col(k) * J_.col(k).transpose();
        }
      }
      JJ.diagonal().array() += damping * (1 + JJ.trace());
      const Vector6 y = JJ.ldlt().solve(rhs);
      bool again = false;
      for (int k = 0; k < n; ++k) {
        if (locked_[static_cast<std::size_t>(k)]) continue;
        const JointDescription& joint =
            model_
                ->joints()[static_cast<std::size_t>(
                    model_->body(model_->dof_body(dofs_[static_cast<std::size_t>(k)])).joint)]
                .description;
        const double wanted = posture_[k] + J_.col(k).dot(y);
        const double lower = std::max(-settings_.max_step, std::min(0.0, joint.lower - (*q)[place(k)]));
        const double upper = std::min(settings_.max_step, std::max(0.0, joint.upper - (*q)[place(k)]));
        step_[k] = std::clamp(wanted, lower, upper);
        if (step_[k] != wanted) locked_[static_cast<std::size_t>(k)] = again = true;
      }
      if (!again) break;
    }
    for (int k = 0; k < n; ++k) (*q)[place(k)] += step_[k];
  }
}

}  // namespace tactus
