// Worlds out of several models: each becomes more links of one description.
#pragma once

#include <string>

#include "tactus/model/model_description.h"

namespace tactus {

/// What becomes of the links of a part that hang on the world.
enum class BaseChange {
  Keep,
  Fix,    ///< those that float are welded where they start
  Float,  ///< the first link, if it is welded to the world, gets a joint "floating_base"
};

/// Appends the links of `part` to those of `world`, with everything that refers to them. X_WP is the pose of the part's
/// world in `world`: links that are welded or jointed to the part's world move by it as they are, links that float
/// start from another `initial` pose.
///
/// Links, joints, shapes, sites, actuators, equalities and tendons are called "prefix/name" (an empty prefix leaves
/// names as they are). Keyframes of both are dropped, as they hold for whole models; so is what acts on a joint that
/// BaseChange::Fix takes away, and the part's gravity and time step. `world->warnings` gets the warnings of the part,
/// and one for each thing dropped. Throws InputError if names are there already, or if the first link is to float but
/// has other joints.
void AppendModel(const ModelDescription& part, const std::string& prefix, const Pose& X_WP, ModelDescription* world,
                 BaseChange base = BaseChange::Keep);

}  // namespace tactus
