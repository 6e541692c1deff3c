#include "tactus/model/joints/joints.h"

namespace tactus {

using joint_detail::DifferenceQuaternion;
using joint_detail::IntegrateQuaternion;
using joint_detail::RandomQuaternion;
using joint_detail::StoreQuaternion;
using joint_detail::TurnByQuaternion;

namespace {

void CalcMotion(const double* q, const FrameArrays& before, FrameArrays* after, double* S) {
  std::memcpy(after->p, before.p, sizeof before.p);
  TurnByQuaternion(q, before, after, S);
}

void SetNeutral(double* q) { StoreQuaternion(Quaternion::Identity(), q); }

}  // namespace

const JointKind kBallJoint = {
    JointType::Ball, "ball", 4, 3, CalcMotion, SetNeutral, RandomQuaternion, IntegrateQuaternion, DifferenceQuaternion};

}  // namespace tactus
