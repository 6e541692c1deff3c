#include "tactus/model/joints/joints.h"

namespace tactus {

const JointKind kFixedJoint = {
    JointType::Fixed,
    "fixed",
    0,
    0,
    [](const double*, const FrameArrays& before, FrameArrays* after, double*) { *after = before; },
    [](double*) {},
    [](Random*, double*) {},
    [](double*, const double*) {},
    [](const double*, const double*, double*) {},
};

}  // namespace tactus
