// What a robot is asked to do in one control step, as rows that should vanish, at the level of velocities (paper 004,
// section IV-A: "classical task functions, rewritten at the velocity level").
//
// A task of motion has a function x(q) with Jacobian J and a reference x_r(t). Its rows are w (J v_next - v_d), with
//
//     v_d = x_r'(t + h) + beta alpha e + (1 - beta) (J v - x_r'(t)),    e = x_r(t) - x,   beta = min(1, kappa h).
//
// alpha (`gain`) is how fast the error decays, kappa (`damping`) how fast the velocity follows. With infinite kappa the
// velocity is what it should be after one control step: J v_next = x_r' + alpha e, the paper's exponential tracking.
// With a finite one the rows are those of an acceleration, x_r'' + kappa alpha e + kappa (x_r' - J v), which asks for
// less torque.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "tactus/dynamics/model_data.h"
#include "tactus/simulation/link_path.h"

namespace tactus {

enum class TaskType {
  Position,         ///< of a frame's origin, along its path
  Orientation,      ///< of a frame, along its path
  Pose,             ///< both
  AngularVelocity,  ///< of a link, world axes; target: three values [rad/s]
  CenterOfMass,     ///< of the robot; target: three values [m]
  Height,           ///< z of a frame's origin; target: one value [m]
  Attitude,         ///< the frame's z axis points upwards, whatever its heading
  Posture,          ///< of joints; target: one value for each, or none: where they start [rad, m]
  Force,            ///< sum of contact forces on a link, world axes; target: three values [N]
  Torque,           ///< of the robot's motors; target: one value for each, or none: zero [N m, N]
};
const char* ToString(TaskType type);
/// Position, orientation or pose: it follows TaskTerm::path.
bool FollowsPath(TaskType type);

struct TaskTerm {
  std::string name;
  TaskType type = TaskType::Position;
  double weight = 1;  ///< w, what the rows are multiplied with, > 0 [s/m, s/rad, 1/N, 1/(N m)]
  /// Pose: that of its orientation [s/rad].
  double rotation_weight = 0.3;
  double gain = 20;                                          ///< alpha, >= 0 [1/s]
  double damping = std::numeric_limits<double>::infinity();  ///< kappa, > 0 [1/s]
  std::array<bool, 3> axes = {true, true, true};             ///< world axes that count (Pose: of its position)
  /// It counts at control steps with from <= t < to [s].
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();
  /// The link and the frame on it (all types that have one), and the way of types that follow one.
  LinkPath path;
  Timeline target;        ///< of the other types
  std::vector<int> dofs;  ///< Posture: of joints of one dof; Torque: of motors

  /// Throws InputError unless all this fits the type and the model.
  void Validate(const Model& model) const;
  bool Counts(double time) const { return time >= from && time < to; }
};

/// A task of motion at an instant; rows of axes that do not count are left out.
struct TaskMotion {
  int rows = 0;
  MatrixX J;       ///< the first `rows` rows, by dofs
  VectorX error;   ///< e [m, rad]
  VectorX now;     ///< x_r'(t), backwards difference
  VectorX next;    ///< x_r'(t + h), forward difference
  VectorX weight;  ///< of the rows
  Matrix6X body;   ///< scratch: a body's Jacobian
  Matrix3X sum;    ///< scratch

  /// Room for the most rows that a task of this model can have.
  void Reserve(int most_rows, int nv);
};

/// Most rows of a task.
int CountTaskRows(const TaskTerm& term);
bool IsMotionTask(TaskType type);

/// Fills `out` for a task of motion. Positions and inertias of `data` must be known (CalcPositions). `robot` says, for
/// each body, whether it is part of the robot (CenterOfMass). Allocates nothing once `out` was reserved.
void CalcTaskMotion(const Model& model, const ModelData& data, const ConstVectorRef& q, const std::vector<bool>& robot,
                    const TaskTerm& term, double time, double h, TaskMotion* out);

/// v_d of row r, see above; `v` is J v there.
double CalcTaskVelocity(const TaskTerm& term, const TaskMotion& motion, int r, double v, double h);

}  // namespace tactus
