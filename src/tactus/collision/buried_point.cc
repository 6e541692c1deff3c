#include "tactus/collision/buried_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tactus/geometry/closest_on_triangle.h"

namespace tactus {

namespace {

// Relative: distances nearer to each other are the same edge's or vertex's.
constexpr double kSame = 1e-9;

struct Foot {
  Vector3 offset = Vector3::Zero();  // from the triangle's nearest point to p
  double distance = std::numeric_limits<double>::infinity(), height = 0;
};

Foot FindFoot(const TriangleSurface& surface, const TriangleSurface::Triangle& t, const Vector3& p) {
  const Vector3 &a = surface.vertex(t.vertex[0]), &b = surface.vertex(t.vertex[1]), &c = surface.vertex(t.vertex[2]);
  const Vector3 w = ClosestOnTriangle(p, a, b, c);
  Foot out;
  out.offset = p - (w[0] * a + w[1] * b + w[2] * c);
  out.distance = out.offset.norm();
  out.height = t.normal.dot(p - a);
  return out;
}

}  // namespace

bool CollideBuriedPoint(const TriangleSurface& surface, const Pose& X_WS, const Vector3& p_W, double reach,
                        double margin, CollisionScratch* scratch, ContactManifold* out) {
  if (!surface.one_sided()) return false;
  const Vector3 p = X_WS.Inverse() * p_W;
  const double far = std::max(reach, margin);
  surface.Find(Aabb{p, p}.Padded(far), &scratch->stack, &scratch->triangles);
  Foot nearest;
  int nearest_triangle = -1;
  for (const int t : scratch->triangles) {
    const TriangleSurface::Triangle& triangle = surface.triangle(t);
    if (triangle.normal.isZero()) continue;
    const Foot foot = FindFoot(surface, triangle, p);
    const double same = kSame * (foot.distance + nearest.distance);
    // Of triangles that share the nearest edge or vertex the one that p is most over tells its side.
    const bool tie = nearest_triangle >= 0 && std::abs(foot.distance - nearest.distance) <= same;
    if (tie ? std::abs(foot.height) > std::abs(nearest.height) : foot.distance < nearest.distance) {
      nearest = foot;
      nearest_triangle = t;
    }
  }
  if (nearest_triangle < 0 || nearest.distance > reach || !(nearest.height < 0)) return false;
  out->Clear();
  const auto append = [&](int t, const Vector3& outward, double gap) {
    const Vector3 n = X_WS.R * outward;
    out->points.push_back({p_W - 0.5 * gap * n, -n, gap, PairFeature(FeatureId(FeatureKind::Face, t), 0)});
  };
  const Vector3 face = surface.triangle(nearest_triangle).normal;
  // On the surface, but for rounding, the offset says nothing.
  const bool on = nearest.distance < kSame * far;
  const Vector3 outward = on ? face : Vector3(-nearest.offset / nearest.distance);
  append(nearest_triangle, outward, -nearest.distance);
  for (const int t : scratch->triangles) {
    const TriangleSurface::Triangle& triangle = surface.triangle(t);
    if (triangle.normal.isZero() || triangle.normal.dot(outward) > 1 - 1e-6) continue;
    const Foot foot = FindFoot(surface, triangle, p);
    const bool over = foot.distance - foot.height <= kSame * far;  // its nearest point is within the triangle
    if (foot.height >= 0 && foot.height <= margin && over) append(t, triangle.normal, foot.height);
  }
  return true;
}

}  // namespace tactus
