// Random mechanisms, to test algorithms with.
#pragma once

#include <cstdint>

#include "tactus/model/model.h"

namespace tactus {

struct RandomModelOptions {
  int joints = 20;
  bool floating_base = true;
  double branching = 0.3;  ///< how often a link hangs not on the last one
  bool all_types = true;   ///< else revolute and prismatic only
};

/// Links with random inertias (some without, some welded) on joints of all types, with random axes and anchors.
ModelDescription MakeRandomDescription(std::uint64_t seed, const RandomModelOptions& options = {});
/// Bodies that float alone, with random inertias.
ModelDescription MakeRandomFreeBodies(std::uint64_t seed, int count);

}  // namespace tactus
