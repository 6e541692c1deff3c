// Two capsules: nearest points of two segments; two contacts where they lie along each other.
#include <algorithm>
#include <cmath>

#include "tactus/collision/line_ends.h"
#include "tactus/collision/pairs/pairs.h"

namespace tactus {

namespace {

// Segments c + s u, |s| <= half_a, and t v, |t| <= half_b.
struct Segments {
  Vector3 c, u, v;
  double half_a, half_b;

  double NearestOnB(double s) const { return std::clamp((c + s * u).dot(v), -half_b, half_b); }
  double NearestOnA(double t) const { return std::clamp((t * v - c).dot(u), -half_a, half_a); }
  Vector3 Between(double s, double t) const { return c + s * u - t * v; }
};

// Parameters of the nearest points. For fixed s the best t is known, and the distance is convex in s: the minimum is
// where both lines are nearest, or at the end of a segment.
std::pair<double, double> Nearest(const Segments& g) {
  double best_s = 0, best_t = 0, best = 1e300;
  const auto consider = [&](double s, double t) {
    const double d = g.Between(s, t).squaredNorm();
    if (!(d < best)) return;
    best = d;
    best_s = s;
    best_t = t;
  };
  const double cosine = g.u.dot(g.v), sine2 = g.u.cross(g.v).squaredNorm();
  if (sine2 > 1e-20) {
    const double s = (g.c.dot(g.v) * cosine - g.c.dot(g.u)) / sine2;
    const double s_in = std::clamp(s, -g.half_a, g.half_a);
    const double t = g.NearestOnB(s_in);
    consider(g.NearestOnA(t), t);
  }
  for (const double end : {-1.0, 1.0}) {
    consider(end * g.half_a, g.NearestOnB(end * g.half_a));
    consider(g.NearestOnA(end * g.half_b), end * g.half_b);
  }
  return {best_s, best_t};
}

}  // namespace

void CollideCapsuleCapsule(const PairInput& in, CollisionScratch* /*scratch*/, ContactManifold* out) {
  const double radius_a = in.a.core().radius, radius_b = in.b.core().radius;
  const Segments g{in.X_WA.p - in.X_WB.p, in.X_WA.R.col(2), in.X_WB.R.col(2), in.a.core().size[2], in.b.core().size[2]};
  const double scale = g.half_a + g.half_b + g.c.norm();

  // Where the axes meet, the way out is across both.
  const Vector3 across = g.u.cross(g.v);
  Vector3 fallback = across;
  if (!(across.norm() > 1e-9)) {
    int axis = 0;
    g.u.cwiseAbs().minCoeff(&axis);
    fallback = g.u.cross(Vector3::Unit(axis));
  }
  fallback.normalize();
  if (fallback.dot(g.c) < 0) fallback = -fallback;

  const auto [s, t] = Nearest(g);
  const Vector3 d = g.Between(s, t);
  const double distance = d.norm();
  const bool meet = !(distance > 1e-12 * scale);
  const std::uint32_t edge = FeatureId(FeatureKind::Edge, 0), whole = FeatureId(FeatureKind::Whole, 0);
  ContactPoint nearest;
  nearest.normal = meet ? fallback : Vector3(d / distance);
  nearest.gap = (meet ? 0 : distance) - radius_a - radius_b;
  nearest.point = in.X_WB.p + (t * g.v + (radius_b + 0.5 * nearest.gap) * nearest.normal);
  nearest.feature = PairFeature(whole, whole);
  if (!(nearest.gap <= in.margin)) return;

  const double same = 1e-12 * scale;
  LineEnd ends[2];
  const int count = CalcLineEnds({g.c, g.u, g.half_a, radius_a, true}, {Vector3::Zero(), g.v, g.half_b, radius_b, true},
                                 nearest.normal, 1e-9 * scale, ends);
  double least = 1e300;
  for (int i = 0; i < count; ++i) {
    const LineEnd& end = ends[i];
    if (!(end.gap <= in.margin) || end.gap < nearest.gap - same) continue;
    least = std::min(least, end.gap);
    const std::uint32_t vertex = FeatureId(FeatureKind::Vertex, end.end);
    const std::uint64_t feature = end.a_ends ? PairFeature(vertex, edge) : PairFeature(edge, vertex);
    out->points.push_back({in.X_WB.p + end.point, end.normal, end.gap, feature});
  }
  if (least > nearest.gap + same) out->points.push_back(nearest);
}

}  // namespace tactus
