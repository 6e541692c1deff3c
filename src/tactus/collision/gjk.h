// Distance between convex cores: the algorithm of Gilbert, Johnson and Keerthi.
#pragma once

#include <array>

#include "tactus/collision/minkowski.h"

namespace tactus {

/// Up to four points of A - B whose hull holds its point nearest to the origin.
struct Simplex {
  std::array<MinkowskiVertex, 4> vertex;
  std::array<double, 4> weight{};  ///< of the nearest point, >= 0, sum 1
  int count = 0;
};

enum class GjkStatus {
  Far,       ///< farther apart than the limit: nothing else is known
  Distance,  ///< apart: `nearest`, `distance` are found
  Overlap,   ///< the simplex holds the origin, to rounding
};

struct GjkResult {
  GjkStatus status = GjkStatus::Far;
  Simplex simplex;
  Vector3 nearest = Vector3::Zero();  ///< point of A - B nearest to the origin
  double distance = 0;                ///< |nearest|, an upper bound [m]
  double lower_bound = 0;             ///< [m]
  int iterations = 0;
};

/// Stops early where the distance is beyond `limit`. `direction`: a guess of where A is from B, zero for none.
GjkResult CalcDistance(MinkowskiDifference* difference, double limit, const Vector3& direction);

/// Reduces the simplex to the part nearest to the origin, which must hold the last vertex or be all of it. Sets
/// weights; returns the nearest point.
Vector3 ReduceSimplex(Simplex* simplex);

/// Weights of the corners for the point of the triangle's plane nearest to the origin; not all positive if that is
/// outside of the triangle, not finite if it has no area. Returns a vector across the plane.
Vector3 CalcTriangleWeights(const Vector3& a, const Vector3& b, const Vector3& c, double* weights);

}  // namespace tactus
