// Boxes along the axes.
#pragma once

#include <limits>

#include "tactus/core/types.h"

namespace tactus {

struct Aabb {
  /// Empty: overlaps nothing, neutral in a union.
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity());
  Vector3 high = Vector3::Constant(-std::numeric_limits<double>::infinity());

  bool Overlaps(const Aabb& other) const { return AllLess(low, other.high) && AllLess(other.low, high); }
  bool Contains(const Aabb& other) const { return AllLess(low, other.low) && AllLess(other.high, high); }
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

 private:
  // Or equal. All three at once: which of them fails cannot be predicted.
  static bool AllLess(const Vector3& p, const Vector3& q) {
    return (static_cast<int>(p[0] <= q[0]) & static_cast<int>(p[1] <= q[1]) & static_cast<int>(p[2] <= q[2])) != 0;
  }
};

}  // namespace tactus
