// The kinds of joints, one file each, and what they share.
#pragma once

#include <cmath>
#include <cstring>
#include <numbers>

#include "tactus/math/spatial.h"
#include "tactus/model/joint.h"

namespace tactus {

extern const JointKind kFixedJoint, kRevoluteJoint, kContinuousJoint, kPrismaticJoint, kBallJoint, kPlanarJoint,
    kFloatingJoint;

namespace joint_detail {

/// Columns x and y of R (row major) turned about its z axis by an angle with this cosine and sine.
inline void TurnAboutZ(const double* R, double c, double s, double* out) {
  for (int i = 0; i < 3; ++i) {
    const double x = R[3 * i], y = R[3 * i + 1];
    out[3 * i] = c * x + s * y;
    out[3 * i + 1] = c * y - s * x;
    out[3 * i + 2] = R[3 * i + 2];
  }
}

/// Rotation about the unit axis a (in world axes) through p: [p x a; a].
inline void RotationColumn(const double* a, const double* p, double* S) {
  S[0] = p[1] * a[2] - p[2] * a[1];
  S[1] = p[2] * a[0] - p[0] * a[2];
  S[2] = p[0] * a[1] - p[1] * a[0];
  S[3] = a[0];
  S[4] = a[1];
  S[5] = a[2];
}

/// Translation along column k of R.
inline void TranslationColumn(const double* R, int k, double* S) {
  for (int i = 0; i < 3; ++i) {
    S[i] = R[3 * i + k];
    S[3 + i] = 0;
  }
}

/// after.R = before.R R(quaternion w, x, y, z), and the three rotations about the axes of `after` through its origin.
void TurnByQuaternion(const double* quaternion, const FrameArrays& before, FrameArrays* after, double* S);

inline Quaternion LoadQuaternion(const double* q) { return {q[0], q[1], q[2], q[3]}; }
inline void StoreQuaternion(const Quaternion& quaternion, double* q) {
  q[0] = quaternion.w();
  q[1] = quaternion.x();
  q[2] = quaternion.y();
  q[3] = quaternion.z();
}
void RandomQuaternion(Random* random, double* q);
/// q <- q exp(w), of unit length.
void IntegrateQuaternion(double* q, const double* w);
void DifferenceQuaternion(const double* q0, const double* q1, double* w);

void SetZero(double* q);  // one number
void SetRandomAngle(Random* random, double* q);
void AddOne(double* q, const double* v);
void SubtractOne(const double* q0, const double* q1, double* v);

}  // namespace joint_detail

}  // namespace tactus
