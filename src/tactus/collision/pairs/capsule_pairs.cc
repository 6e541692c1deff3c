// Two capsules: nearest points of two segments; two contacts where they lie along each other.
#include <algorithm>
#include <cmath>

#include "tactus/collision/pairs/pairs.h"

namespace tactus {

namespace {

// Sine of the angle below which capsules lie along each other: at a greater one they touch in one place, too, but their
// ends are only a hair apart and rock within a step.
constexpr double kParallel = 0.5;

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

  const auto make = [&](double s, double t, std::uint32_t feature_a, std::uint32_t feature_b) {
    const Vector3 d = g.Between(s, t);
    const double distance = d.norm();
    const bool meet = !(distance > 1e-12 * scale);
    ContactPoint contact;
    contact.normal = meet ? fallback : Vector3(d / distance);
    contact.gap = (meet ? 0 : distance) - radius_a - radius_b;
    contact.point = in.X_WB.p + (t * g.v + (radius_b + 0.5 * contact.gap) * contact.normal);
    contact.feature = PairFeature(feature_a, feature_b);
    return contact;
  };

  const std::uint32_t edge = FeatureId(FeatureKind::Edge, 0), whole = FeatureId(FeatureKind::Whole, 0);
  const auto [s, t] = Nearest(g);
  const ContactPoint nearest = make(s, t, whole, whole);
  if (!(nearest.gap <= in.margin)) return;

  // The ends of what a and b have in common along a.
  const double centre = -g.c.dot(g.u), reach = g.half_b * g.u.dot(g.v);
  const double low = std::max(-g.half_a, centre - std::abs(reach)), high = std::min(g.half_a, centre + std::abs(reach));
  double least = 1e300;
  if (across.norm() < kParallel && high - low > 1e-9 * scale) {
    for (const int end : {0, 1}) {
      const double at = end == 0 ? low : high;
      const bool a_ends = std::abs(at) == g.half_a;
      const int end_b = (end == 1) == (reach >= 0) ? 1 : 0;
      const double at_b = a_ends ? g.NearestOnB(at) : (end_b == 1 ? g.half_b : -g.half_b);
      const ContactPoint contact = make(at, at_b, a_ends ? FeatureId(FeatureKind::Vertex, end) : edge,
                                        a_ends ? edge : FeatureId(FeatureKind::Vertex, end_b));
      least = std::min(least, contact.gap);
      if (contact.gap <= in.margin) out->points.push_back(contact);
    }
  }
  if (least > nearest.gap + 1e-12 * scale) out->points.push_back(nearest);
}

}  // namespace tactus
