#include "tactus/model/joints/joints.h"

namespace tactus {

using joint_detail::AddOne;
using joint_detail::RotationColumn;
using joint_detail::SetRandomAngle;
using joint_detail::SetZero;
using joint_detail::SubtractOne;
using joint_detail::TurnAboutZ;

namespace {

void CalcMotion(const double* q, const FrameArrays& before, FrameArrays* after, double* S) {
  TurnAboutZ(before.R, std::cos(q[0]), std::sin(q[0]), after->R);
  std::memcpy(after->p, before.p, sizeof before.p);
  const double axis[3] = {before.R[2], before.R[5], before.R[8]};
  RotationColumn(axis, before.p, S);
}

}  // namespace

const JointKind kRevoluteJoint = {JointType::Revolute, "revolute", 1,          1, CalcMotion, SetZero,
                                  SetRandomAngle,      AddOne,     SubtractOne};
// A revolute joint that happens to have no limits; the angle is not wrapped, so that q stays continuous.
const JointKind kContinuousJoint = {JointType::Continuous, "continuous", 1,          1, CalcMotion, SetZero,
                                    SetRandomAngle,        AddOne,       SubtractOne};

}  // namespace tactus
