// The lowest point of a probe's surface in a field: the gap of a pair.
#pragma once

#include <vector>

#include "tactus/collision/field_probe.h"
#include "tactus/collision/triangle_minimum.h"
#include "tactus/math/spatial.h"

namespace tactus {

/// A triangle of a probe that may have a point low enough to matter.
struct LowTriangle {
  int triangle;
  FieldSample at;    ///< the lowest found
  double least = 0;  ///< what it may have, to first order; FindDeepestPoint's own
};

struct DeepestInput {
  const FieldProbe& probe;  ///< with a field of its own
  const SignedDistanceField& field;
  const Pose& X_FP;
  const std::vector<FieldSample>& samples;  ///< at the probe's vertices, where a low triangle has a corner
  double limit;                             ///< what is higher does not matter
  double tolerance;                         ///< [m]
};

/// The lowest point of the probe's own surface (where its field is zero, not on the triangles), infinitely high if none
/// is found. Not a proof but a search from many places:
///   - the minima of the lowest triangles, and of parts of those that may have a lower one, as far as the gradients at
///     their corners tell, give a few starts at different places;
///   - from each a rough descent on the surface; from the lowest of what that finds an exact one;
///   - at kinks and edges, where other minima may be close by, once more from all around.
/// Reorders `low` and takes away from it.
FieldSample FindDeepestPoint(const DeepestInput& in, std::vector<LowTriangle>* low);

}  // namespace tactus
