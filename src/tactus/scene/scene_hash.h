// What a scene says beside its model, as 64 bits. For scene/ only.
#pragma once

#include <cstdint>

#include "tactus/scene/scene_description.h"

namespace tactus {

/// Over constraints, controllers, forces, motions, and where everything starts.
std::uint64_t CalcSceneTag(const SceneDescription& scene, const VectorX& initial);

}  // namespace tactus
