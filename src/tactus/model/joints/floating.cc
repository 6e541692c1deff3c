#include "tactus/model/joints/joints.h"

namespace tactus {

using joint_detail::DifferenceQuaternion;
using joint_detail::IntegrateQuaternion;
using joint_detail::RandomQuaternion;
using joint_detail::StoreQuaternion;
using joint_detail::TranslationColumn;
using joint_detail::TurnByQuaternion;

namespace {

// Three translations along the fixed axes, then rotations about the axes of the moving frame.
void CalcMotion(const double* q, const FrameArrays& before, FrameArrays* after, double* S) {
  for (int i = 0; i < 3; ++i) {
    const double* r = before.R + 3 * i;
    after->p[i] = before.p[i] + r[0] * q[0] + r[1] * q[1] + r[2] * q[2];
  }
  for (int k = 0; k < 3; ++k) TranslationColumn(before.R, k, S + 6 * k);
  TurnByQuaternion(q + 3, before, after, S + 18);
}

void SetNeutral(double* q) {
  q[0] = q[1] = q[2] = 0;
  StoreQuaternion(Quaternion::Identity(), q + 3);
}

void SetRandom(Random* random, double* q) {
  for (int k = 0; k < 3; ++k) q[k] = random->Uniform(-1, 1);
  RandomQuaternion(random, q + 3);
}

void Integrate(double* q, const double* v) {
  for (int k = 0; k < 3; ++k) q[k] += v[k];
  IntegrateQuaternion(q + 3, v + 3);
}

void Difference(const double* q0, const double* q1, double* v) {
  for (int k = 0; k < 3; ++k) v[k] = q1[k] - q0[k];
  DifferenceQuaternion(q0 + 3, q1 + 3, v + 3);
}

}  // namespace

const JointKind kFloatingJoint = {JointType::Floating, "floating", 7,         6,         CalcMotion,
                                  SetNeutral,          SetRandom,  Integrate, Difference};

}  // namespace tactus
