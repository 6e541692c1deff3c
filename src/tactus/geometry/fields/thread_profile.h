// The helical part of bolts and nuts.
#pragma once

#include "tactus/core/types.h"
#include "tactus/geometry/fields/fields.h"

namespace tactus {

/// An endless right-handed thread along z. In each half plane through the axis its section is the basic profile,
/// shifted along z by P a / (2 pi) at angle a. F is the distance from that profile within the half plane: exact there,
/// and |grad F| = sqrt(1 + (k dF/dz)^2) in space with k = P / (2 pi r). Therefore
///
///     f = F / sqrt(1 + k^2)
///
/// changes no faster than distance. It is low by a part of k^2 / 8 next to the flanks, k^2 / 2 next to crests and
/// roots. Towards the axis k grows; from a depth D of about P below the roots on, f gives way to a cone that rises half
/// as fast.
class ThreadProfile {
 public:
  explicit ThreadProfile(const MetricThread& thread);

  /// Of the thread with all its surface moved outwards by `offset`.
  double Evaluate(const Vector3& p, double offset, Vector3* gradient) const;

  double pitch() const { return pitch_; }
  double major_radius() const { return major_; }
  double minor_radius() const { return minor_; }

 private:
  // F and its gradient at radius r, z' from the middle of a ridge.
  double CalcSection(double r, double z, Vector2* gradient) const;

  double pitch_, major_, minor_;
  Vector2 corners_[4];    // (r, z) of half a ridge: crest, flank, root
  double depth_;          // D
  double inner_, outer_;  // k is that of the nearest radius between these
  double inner_scale_;    // 1 / sqrt(1 + k^2) at the inner one
};

}  // namespace tactus
