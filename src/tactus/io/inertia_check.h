// Whether mass properties can be those of a body.
#pragma once

#include <string>

#include "tactus/model/model_description.h"

namespace tactus {

/// What is not physical about them, with numbers; empty if a body can have them. A body has mass > 0, and principal
/// inertias A, B, C > 0 with A + B >= C; rounding of the file's digits is forgiven.
std::string DescribeNonPhysical(const LinkInertia& inertia);

}  // namespace tactus
