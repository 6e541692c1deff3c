// Anything on a half-space: each of its extreme points that is near enough.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tactus/collision/pairs/pairs.h"

namespace tactus {

namespace {

// Adds points of a.
class Floor {
 public:
  Floor(const PairInput& in, ContactManifold* out)
      : in_(in), n_(in.X_WB.R.col(2)), height_(n_.dot(in.X_WA.p - in.X_WB.p)), out_(*out) {}

  /// Point p (in a's frame) less `radius` along the normal.
  void Add(const Vector3& p, double radius, std::uint32_t feature) const {
    const Vector3 r = in_.X_WA.R * p;
    const double gap = height_ + n_.dot(r) - radius;
    if (!(gap <= in_.margin)) return;
    out_.points.push_back(
        {in_.X_WA.p + (r - (radius + 0.5 * gap) * n_), n_, gap, PairFeature(feature, FeatureId(FeatureKind::Face, 0))});
  }

  /// Downwards in a's frame.
  Vector3 down() const { return -(in_.X_WA.R.transpose() * n_); }

 private:
  const PairInput& in_;
  Vector3 n_;
  double height_;
  ContactManifold& out_;
};

}  // namespace

void CollideSphereHalfSpace(const PairInput& in, CollisionScratch* /*scratch*/, ContactManifold* out) {
  Floor(in, out).Add(Vector3::Zero(), in.a.core().radius, FeatureId(FeatureKind::Whole, 0));
}

void CollideCapsuleHalfSpace(const PairInput& in, CollisionScratch* /*scratch*/, ContactManifold* out) {
  const Floor floor(in, out);
  const ConvexCore& core = in.a.core();
  for (const int end : {0, 1}) {
    floor.Add(Vector3(0, 0, end == 0 ? -core.size[2] : core.size[2]), core.radius, FeatureId(FeatureKind::Vertex, end));
  }
}

void CollideBoxHalfSpace(const PairInput& in, CollisionScratch* /*scratch*/, ContactManifold* out) {
  const Floor floor(in, out);
  const Vector3& half = in.a.core().size;
  for (int k = 0; k < 8; ++k) {
    const Vector3 corner((k & 1) != 0 ? half[0] : -half[0], (k & 2) != 0 ? half[1] : -half[1],
                         (k & 4) != 0 ? half[2] : -half[2]);
    floor.Add(corner, 0, FeatureId(FeatureKind::Vertex, k));
  }
}

void CollideCylinderHalfSpace(const PairInput& in, CollisionScratch* scratch, ContactManifold* out) {
  const Floor floor(in, out);
  SupportFeature& feature = scratch->convex.clip.a;
  CalcSupportFeature(in.a.core(), floor.down(), &feature);
  for (std::size_t i = 0; i < feature.points.size(); ++i) floor.Add(feature.points[i], 0, feature.point_ids[i]);
}

void CollideEllipsoidHalfSpace(const PairInput& in, CollisionScratch* /*scratch*/, ContactManifold* out) {
  const Floor floor(in, out);
  floor.Add(CalcSupport(in.a.core(), floor.down()).p, 0, FeatureId(FeatureKind::Whole, 0));
}

void CollidePointsHalfSpace(const PairInput& in, CollisionScratch* /*scratch*/, ContactManifold* out) {
  const Floor floor(in, out);
  const std::vector<Vector3>& points = in.a.hull_points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    floor.Add(points[i], 0, FeatureId(FeatureKind::Vertex, static_cast<int>(i)));
  }
}

// Hull points are on the surface, but the lowest point of a curved one is between them.
void CollideFieldHalfSpace(const PairInput& in, CollisionScratch* scratch, ContactManifold* out) {
  CollidePointsHalfSpace(in, scratch, out);
  const Floor floor(in, out);
  Vector3 lowest;
  if (!in.a.field()->CalcSupport(floor.down(), &lowest)) return;
  double least = std::numeric_limits<double>::infinity();
  for (const ContactPoint& contact : out->points) least = std::min(least, contact.gap);
  const Vector3 n = in.X_WB.R.col(2);
  const double gap = n.dot(in.X_WA.p - in.X_WB.p) + n.dot(in.X_WA.R * lowest);
  if (gap < least - 1e-9 * lowest.norm()) floor.Add(lowest, 0, FeatureId(FeatureKind::Whole, 0));
}

}  // namespace tactus
