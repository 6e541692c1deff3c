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
    return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all();
  }
  bool Contains(const Aabb& other) const {
    return (low.array() <= other.low.array()).all() && (other.high.array() <= high.array()).all();
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
