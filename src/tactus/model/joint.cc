#include "tactus/model/joint.h"

#include "tactus/model/joints/joints.h"

namespace tactus {

namespace {

// The table of joints, in the order of JointType.
const JointKind* const kKinds[] = {&kFixedJoint, &kRevoluteJoint, &kContinuousJoint, &kPrismaticJoint,
                                   &kBallJoint,  &kPlanarJoint,   &kFloatingJoint};

}  // namespace

const JointKind& GetJointKind(JointType type) { return *kKinds[static_cast<int>(type)]; }

const JointKind* FindJointKind(const std::string& name) {
  for (const JointKind* kind : kKinds) {
    if (name == kind->name) return kind;
  }
  return nullptr;
}

}  // namespace tactus
