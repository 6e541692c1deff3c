// Distances from lines in the plane.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "tactus/core/types.h"

namespace tactus {

inline Vector2 ClosestOnSegment(const Vector2& p, const Vector2& a, const Vector2& b) {
  const Vector2 ab = b - a;
  const double length2 = ab.squaredNorm();
  const double along = (p - a).dot(ab);
  if (!(along > 0) || !(length2 > 0)) return a;
  return along >= length2 ? b : Vector2(a + (along / length2) * ab);
}

/// Distance from the line through `points` (at least one), and its gradient: (0, 1) on the line itself.
inline double CalcPolylineDistance(std::span<const Vector2> points, const Vector2& p, Vector2* gradient) {
  Vector2 nearest = p - points[0];
  double nearest2 = nearest.squaredNorm();
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Vector2 difference = p - ClosestOnSegment(p, points[i], points[i + 1]);
    const double squared = difference.squaredNorm();
    if (squared < nearest2) {
      nearest = difference;
      nearest2 = squared;
    }
  }
  const double distance = std::sqrt(nearest2);
  if (gradient) *gradient = distance > 0 ? Vector2(nearest / distance) : Vector2(0, 1);
  return distance;
}

}  // namespace tactus
