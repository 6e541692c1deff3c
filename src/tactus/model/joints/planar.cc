#include "tactus/model/joints/joints.h"

namespace tactus {

using joint_detail::RotationColumn;
using joint_detail::SetRandomAngle;
using joint_detail::TranslationColumn;
using joint_detail::TurnAboutZ;

namespace {

// Two translations along the fixed x and y axes, then a rotation about z.
void CalcMotion(const double* q, const FrameArrays& before, FrameArrays* after, double* S) {
  for (int i = 0; i < 3; ++i) after->p[i] = before.p[i] + q[0] * before.R[3 * i] + q[1] * before.R[3 * i + 1];
  TurnAboutZ(before.R, std::cos(q[2]), std::sin(q[2]), after->R);
  TranslationColumn(before.R, 0, S);
  TranslationColumn(before.R, 1, S + 6);
  const double axis[3] = {before.R[2], before.R[5], before.R[8]};
  RotationColumn(axis, after->p, S + 12);
}

void SetNeutral(double* q) { q[0] = q[1] = q[2] = 0; }

void SetRandom(Random* random, double* q) {
  q[0] = random->Uniform(-1, 1);
  q[1] = random->Uniform(-1, 1);
  SetRandomAngle(random, q + 2);
}

void Integrate(double* q, const double* v) {
  for (int k = 0; k < 3; ++k) q[k] += v[k];
}

void Difference(const double* q0, const double* q1, double* v) {
  for (int k = 0; k < 3; ++k) v[k] = q1[k] - q0[k];
}

}  // namespace

const JointKind kPlanarJoint = {JointType::Planar, "planar",  3,         3,         CalcMotion,
                                SetNeutral,        SetRandom, Integrate, Difference};

}  // namespace tactus
