// What joints can do: one kind a file in joints/, one line each in the table of joint.cc.
//
// A joint moves a frame: X_before -> X_after = X_before X_J(q). The axis of revolute and prismatic joints is always the
// z axis of the frame (Model sees to that), the plane of a planar joint its xy plane.
#pragma once

#include <string>

#include "tactus/core/random.h"
#include "tactus/core/types.h"

namespace tactus {

enum class JointType {
  Fixed,
  Revolute,    ///< q: angle [rad]
  Continuous,  ///< the same without position limits
  Prismatic,   ///< q: distance [m]
  Ball,        ///< q: unit quaternion (w, x, y, z); v: angular velocity in the moving frame
  Planar,      ///< q: x, y, angle; v: their rates
  Floating,    ///< q: position, unit quaternion; v: linear velocity in the fixed frame, angular in the moving frame
};

/// R row major and p of a frame in world axes, relative to the origin of the spatial vectors.
struct FrameArrays {
  double R[9];
  double p[3];
};

/// One kind of joint. Functions see only the joint's own entries of q and v.
struct JointKind {
  JointType type;
  const char* name;
  int nq, nv;
  /// Frame after the joint, and its motion subspace: nv spatial velocities [v; w] in world axes about the origin.
  void (*calc_motion)(const double* q, const FrameArrays& before, FrameArrays* after, double* S);
  void (*set_neutral)(double* q);
  /// Uniform over rotations; positions in [-1, 1] m, angles in [-pi, pi].
  void (*set_random)(Random* random, double* q);
  /// q <- q (+) v: v is a velocity times a duration. Quaternions stay of unit length.
  void (*integrate)(double* q, const double* v);
  /// v such that q0 (+) v = q1.
  void (*difference)(const double* q0, const double* q1, double* v);
};

const JointKind& GetJointKind(JointType type);
/// By name ("revolute", ...); null if there is none.
const JointKind* FindJointKind(const std::string& name);

}  // namespace tactus
