// Boxes along the axes.
#pragma once

#include <limits>

#include "tactus/core/types.h"

namespace tactus {

struct Aabb {
  /// Empty: overlaps nothing, neutral in a union.
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity());
  Vector3 high = Vector3::Constant(-std::numeric_limits<double>::infinity());

  bool Overlaps(const Aabb& other) const {
    // All at once rather than one after the other: which comparison fails cannot be predicted.
    return (low[0] <= other.high[0]) & (low[1] <= other.high[1]) & (low[2] <= other.high[2]) &
           (other.low[0] <= high[0]) & (other.low[1] <= high[1]) & (other.low[2] <= high[2]);
  }
  bool Contains(const Aabb& other) const {
    return (low[0] <= other.low[0]) & (low[1] <= other.low[1]) & (low[2] <= other.low[2]) & (other.high[0] <= high[0]) &
           (other.high[1] <= high[1]) & (other.high[2] <= high[2]);
  }
  void Extend(const Vector3& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  void Extend(const Aabb& other) {
    low = low.cwiseMin(other.low);
    high = high.cwiseMax(other.high);
  }
  Aabb Padded(double d) const { return {low - Vector3::Constant(d), high + Vector3::Constant(d)}; }
  /// Half of the surface area; what the cost of a tree is made of.
  double half_area() const {
    const Vector3 d = high - low;
    return d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
  }
  bool bounded() const { return low.allFinite() && high.allFinite(); }
};

}  // namespace tactus
