#include "tactus/geometry/closest_on_triangle.h"

#include <limits>

namespace tactus {

namespace {

// Weight of b in the point of the segment ab next to p.
double AlongSegment(const Vector3& p, const Vector3& a, const Vector3& b) {
  const Vector3 ab = b - a;
  const double along = ab.dot(p - a), length2 = ab.squaredNorm();
  if (!(along > 0)) return 0;
  return along >= length2 ? 1 : along / length2;
}

}  // namespace

Vector3 ClosestOnTriangle(const Vector3& p, const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 ab = b - a, ac = c - a, ap = p - a;
  const double aa = ab.squaredNorm(), bb = ac.squaredNorm(), mixed = ab.dot(ac);
  const double determinant = aa * bb - mixed * mixed;
  if (determinant > 1e-14 * aa * bb) {
    const double u = ab.dot(ap), v = ac.dot(ap);
    const double weight_b = (bb * u - mixed * v) / determinant, weight_c = (aa * v - mixed * u) / determinant;
    if (weight_b >= 0 && weight_c >= 0 && weight_b + weight_c <= 1) {
      return {1 - weight_b - weight_c, weight_b, weight_c};
    }
  }
  // On the border: the best of the edges.
  const Vector3 corners[3] = {a, b, c};
  Vector3 best = Vector3::UnitX();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const double t = AlongSegment(p, corners[i], corners[j]);
    const double squared = (corners[i] + t * (corners[j] - corners[i]) - p).squaredNorm();
    if (!(squared < least)) continue;
    least = squared;
    best = (1 - t) * Vector3::Unit(i) + t * Vector3::Unit(j);
  }
  return best;
}

}  // namespace tactus
