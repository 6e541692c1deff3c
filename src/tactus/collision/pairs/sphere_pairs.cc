// Spheres: one contact, in closed form. Its feature is the same wherever the two touch, so that a rolling sphere keeps
// its impulse.
#include <algorithm>
#include <cmath>

#include "tactus/collision/pairs/pairs.h"

namespace tactus {

namespace {

constexpr std::uint64_t kFeature = PairFeature(FeatureId(FeatureKind::Whole, 0), FeatureId(FeatureKind::Whole, 0));

// `foot`: point of b's core next to the centre of the sphere, relative to b's position, `distance` from it along the
// unit vector n, both in world axes.
void Append(const PairInput& in, const Vector3& foot, const Vector3& n, double distance, ContactManifold* out) {
  const double radius_b = in.b.core().radius;
  const double gap = distance - in.a.core().radius - radius_b;
  if (!(gap <= in.margin)) return;
  out->points.push_back({in.X_WB.p + (foot + (radius_b + 0.5 * gap) * n), n, gap, kFeature});
}

Vector3 AnyPerpendicular(const Vector3& d) {
  int axis = 0;
  d.cwiseAbs().minCoeff(&axis);
  return d.cross(Vector3::Unit(axis)).normalized();
}

}  // namespace

void CollideSphereSphere(const PairInput& in, CollisionScratch* /*scratch*/, ContactManifold* out) {
  const Vector3 d = in.X_WA.p - in.X_WB.p;
  const double distance = d.norm();
  Append(in, Vector3::Zero(), distance > 0 ? Vector3(d / distance) : Vector3(Vector3::UnitZ()), distance, out);
}

void CollideSphereCapsule(const PairInput& in, CollisionScratch* /*scratch*/, ContactManifold* out) {
  const Vector3 axis = in.X_WB.R.col(2), d = in.X_WA.p - in.X_WB.p;
  const double half = in.b.core().size[2];
  const Vector3 foot = std::clamp(d.dot(axis), -half, half) * axis;
  const Vector3 off = d - foot;
  const double distance = off.norm();
  // On the axis any way out is as short.
  const bool on_axis = !(distance > 1e-14 * (half + d.norm()));
  Append(in, foot, on_axis ? AnyPerpendicular(axis) : Vector3(off / distance), on_axis ? 0 : distance, out);
}

void CollideSphereBox(const PairInput& in, CollisionScratch* /*scratch*/, ContactManifold* out) {
  const Matrix3& R = in.X_WB.R;
  const Vector3& half = in.b.core().size;
  const Vector3 p = R.transpose() * (in.X_WA.p - in.X_WB.p);
  const Vector3 clamped = p.cwiseMax(-half).cwiseMin(half);
  const Vector3 off = p - clamped;
  const double distance = off.norm();
  if (distance > 1e-12 * half.maxCoeff() && distance > 0) {
    Append(in, R * clamped, R * (off / distance), distance, out);
    return;
  }
  // The centre is inside: out through the nearest face.
  int axis = 0;
  const double depth = (p.cwiseAbs() - half).maxCoeff(&axis);
  const double sign = p[axis] < 0 ? -1 : 1;
  Vector3 foot = p;
  foot[axis] = sign * half[axis];
  Append(in, R * foot, sign * R.col(axis), depth, out);
}

void CollideSphereCylinder(const PairInput& in, CollisionScratch* /*scratch*/, ContactManifold* out) {
  const Matrix3& R = in.X_WB.R;
  const double radius = in.b.core().size[0], half = in.b.core().size[2];
  const Vector3 p = R.transpose() * (in.X_WA.p - in.X_WB.p);
  const double rho = std::hypot(p[0], p[1]);
  const Vector3 radial = rho > 0 ? Vector3(p[0] / rho, p[1] / rho, 0) : Vector3(Vector3::UnitX());
  const Vector3 axial(0, 0, p[2] < 0 ? -1 : 1);
  const double over_rim = rho - radius, over_cap = std::abs(p[2]) - half;
  const double corner = std::hypot(std::max(over_rim, 0.0), std::max(over_cap, 0.0));
  const Vector3 foot_inside = std::min(rho, radius) * radial + std::min(std::abs(p[2]), half) * axial;
  if (over_rim > 0 && over_cap > 0 && corner > 1e-12 * (radius + half)) {
    Append(in, R * foot_inside, R * ((over_rim * radial + over_cap * axial) / corner), corner, out);
  } else if (over_rim > over_cap) {
    Append(in, R * (radius * radial + p[2] * Vector3::UnitZ()), R * radial, over_rim, out);
  } else {
    Append(in, R * (rho * radial + half * axial), R * axial, over_cap, out);
  }
}

}  // namespace tactus
