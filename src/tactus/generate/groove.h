// A node in a groove, whose motion is known.
#pragma once

#include "tactus/contact/contact_problem.h"

namespace tactus {

/// A node of `mass` that moves along a groove of half angle 45 degrees at 1 m/s and is pressed into it at 1 m/s. Both
/// walls carry mass/(2 cos) and brake by mu each: it goes on at 1 - sqrt(2) mu.
ContactProblem MakeNodeInGroove(double mass, double mu);

}  // namespace tactus
