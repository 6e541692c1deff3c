// The difference A - B of two convex cores, whose distance to the origin is the distance between them.
#pragma once

#include <algorithm>

#include "tactus/collision/convex_core.h"
#include "tactus/core/types.h"
#include "tactus/math/spatial.h"

namespace tactus {

/// A point of A - B on its boundary, and where it comes from.
struct MinkowskiVertex {
  Vector3 w;     ///< a - b
  Vector3 a, b;  ///< in A's frame
  int vertex_a = -1, vertex_b = -1;
};

/// Cores A and B, the latter at X_AB. Everything is computed in A's frame, so that it does not matter how far the two
/// are from the world's origin.
class MinkowskiDifference {
 public:
  MinkowskiDifference(const ConvexCore& a, const ConvexCore& b, const Pose& X_AB) : a_(a), b_(b), X_AB_(X_AB) {
    scale_ = std::max({CalcExtent(a), CalcExtent(b), X_AB.p.cwiseAbs().maxCoeff()});
  }

  /// The point farthest along d.
  MinkowskiVertex Support(const Vector3& d) {
    const SupportPoint a = CalcSupport(a_, d, last_a_);
    const SupportPoint b = CalcSupport(b_, -(X_AB_.R.transpose() * d), last_b_);
    last_a_ = a.vertex;
    last_b_ = b.vertex;
    const Vector3 b_A = X_AB_ * b.p;
    return {a.p - b_A, a.p, b_A, a.vertex, b.vertex};
  }

  /// g(n): how far A is from B along the unit vector n, negative if they overlap in it. The gap of the cores is the
  /// maximum over all n; every n gives a lower bound.
  double CalcSeparation(const Vector3& n) { return Support(-n).w.dot(n); }

  const ConvexCore& a() const { return a_; }
  const ConvexCore& b() const { return b_; }
  const Pose& X_AB() const { return X_AB_; }
  double scale() const { return scale_; }  ///< the largest number in play; rounding errors are a fraction of it [m]

 private:
  const ConvexCore& a_;
  const ConvexCore& b_;
  Pose X_AB_;
  double scale_ = 0;
  int last_a_ = -1, last_b_ = -1;  // where the next search for a vertex starts
};

}  // namespace tactus
