// Where two flat features lie above each other: their outlines, seen along the contact normal, are cut to what they
// have in common; each corner of that is a contact point.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/collision/convex_core.h"
#include "tactus/core/types.h"

namespace tactus {

/// A point of contact in the frame of a.
struct LocalContact {
  Vector3 point = Vector3::Zero();
  Vector3 normal = Vector3::UnitZ();
  double gap = 0;
  std::uint32_t feature_a = 0, feature_b = 0;
};

struct ClipScratch {
  /// Corner of the common outline: position across the normal, heights of both features along it, and what they are.
  struct Corner {
    Vector2 u;
    double height_a;
    std::uint32_t feature_a, feature_b;
    int edge;  ///< label of the edge to the next corner: k >= 0: edge k of a; -1 - j: edge j of b
  };
  SupportFeature a, b;
  std::vector<Vector3> flat_a, flat_b;  ///< the features' points: x, y across the normal, z along it
  std::vector<Corner> corners, clipped;
  std::vector<LocalContact> points;  ///< what comes out
};

/// Features clip->a (above) and clip->b, normal from b to a, all in one frame. Appends the corners of the common part
/// with (height of a - radius_a) - (height of b + radius_b) <= margin to clip->points. Nothing if they are not above
/// each other. No gap is less than `least`, the gap of the shapes.
void ClipFeatures(const Vector3& normal, double radius_a, double radius_b, double least, double margin,
                  ClipScratch* clip);

}  // namespace tactus
