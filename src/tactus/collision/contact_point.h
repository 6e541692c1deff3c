// What collision detection finds: points where two shapes touch or nearly do.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/core/types.h"

namespace tactus {

/// A contact between shapes a and b, in world coordinates.
struct ContactPoint {
  Vector3 point = Vector3::Zero();    ///< midway between the two surfaces [m]
  Vector3 normal = Vector3::UnitZ();  ///< unit, from b towards a
  double gap = 0;                     ///< along the normal, negative where the shapes overlap [m]
  /// Which features meet: that of a in the upper half, that of b in the lower (FeatureId). The same contact keeps its
  /// id while shapes move a little; ids within a manifold differ.
  std::uint64_t feature = 0;
};

/// All points of a pair. Reuse it from pair to pair: it keeps its capacity.
struct ContactManifold {
  std::vector<ContactPoint> points;
  int merged = 0;  ///< how many more there were before ClusterContacts

  void Clear() {
    points.clear();
    merged = 0;
  }
  bool empty() const { return points.empty(); }
  int size() const { return static_cast<int>(points.size()); }
};

/// What a shape touches with. Whole: the only feature of something smooth.
enum class FeatureKind : std::uint32_t { Vertex, Edge, Face, Whole };

constexpr std::uint32_t FeatureId(FeatureKind kind, int index) {
  return (static_cast<std::uint32_t>(kind) << 30) | (static_cast<std::uint32_t>(index) & 0x3fffffffu);
}

constexpr std::uint64_t PairFeature(std::uint32_t a, std::uint32_t b) {
  return (static_cast<std::uint64_t>(a) << 32) | b;
}

}  // namespace tactus
