#include "tactus/model/joints/joints.h"

namespace tactus {

using joint_detail::AddOne;
using joint_detail::SetZero;
using joint_detail::SubtractOne;
using joint_detail::TranslationColumn;

namespace {

void CalcMotion(const double* q, const FrameArrays& before, FrameArrays* after, double* S) {
  std::memcpy(after->R, before.R, sizeof before.R);
  for (int i = 0; i < 3; ++i) after->p[i] = before.p[i] + q[0] * before.R[3 * i + 2];
  TranslationColumn(before.R, 2, S);
}

void SetRandom(Random* random, double* q) { q[0] = random->Uniform(-1, 1); }

}  // namespace

const JointKind kPrismaticJoint = {JointType::Prismatic, "prismatic", 1, 1, CalcMotion, SetZero, SetRandom, AddOne,
                                   SubtractOne};

}  // namespace tactus
