// Anything on a field. Spheres and capsules by the field at their cores; the rest by their surface on the field and, if
// they are fields themselves, the field's surface on them.
#include <algorithm>
#include <array>
#include <cmath>

#include "tactus/collision/field_contact.h"
#include "tactus/collision/pairs/pairs.h"

namespace tactus {

namespace {

// Of the smaller shape: points nearer to each other are one.
constexpr double kSamePlace = 1e-3;
constexpr int kCapsulePieces = 8;
constexpr double kSteep = 0.5;
// Cosine of the angle between contacts of a sphere that count as one.
constexpr double kSameFoot = 0.94;
// Along rays from a sphere's centre: of what the field says is free.
constexpr double kRayStep = 0.9;
constexpr int kRaySteps = 16;
constexpr int kFootSteps = 40;
constexpr int kDirections = 6;

Pose InField(const PairInput& in) {
  return {in.X_WB.R.transpose() * in.X_WA.R, in.X_WB.R.transpose() * (in.X_WA.p - in.X_WB.p)};
}

// `at`: on the core of a, `radius` inside its surface.
ContactPoint MakeContact(const PairInput& in, const FieldSample& at, double radius, std::uint32_t feature) {
  const Vector3 n = UnitGradient(at, Vector3::UnitZ());
  const double gap = at.value - radius;
  return {in.X_WB.p + in.X_WB.R * (at.p - (radius + 0.5 * gap) * n), in.X_WB.R * n, gap,
          PairFeature(feature, FeatureId(FeatureKind::Whole, 0))};
}

}  // namespace

// Of a foot, by where it is seen from the sphere: one of six parts of all directions in the field's frame. Their order
// would not do, as the nearest of them changes when a ball rolls from a floor to a wall.
int CalcDirectionPart(const Vector3& normal) {
  int axis = 0;
  normal.cwiseAbs().maxCoeff(&axis);
  return 2 * axis + (normal[axis] < 0 ? 1 : 0);
}

// The point of the surface next to the centre is known by the field there. In corners and grooves, or above a floor
// beside a wall, there are others that are nearest in their direction. They are looked for from points on six rays,
// each as far from the last one as the field lets it go, so that no wall is jumped; and they are feet of the centre if,
// seen from a place on the way to it, they still are the nearest.
void CollideSphereField(const PairInput& in, CollisionScratch* /*scratch*/, ContactManifold* out) {
  const SignedDistanceField& field = *in.b.field();
  const double radius = in.a.core().radius, limit = radius + in.margin;
  const FieldSample at = CalcSample(field, InField(in).p);
  if (!(at.value <= limit)) return;
  const std::size_t first = out->points.size();
  const auto any = [&](const auto& holds) {
    return std::any_of(out->points.begin() + static_cast<std::ptrdiff_t>(first), out->points.end(), holds);
  };
  const auto is_known = [&](const Vector3& normal) {
    return any([&](const ContactPoint& c) { return c.normal.dot(normal) > kSameFoot; });
  };
  // Two within the same part of directions differ by a further number.
  const auto add = [&](const FieldSample& sample) {
    int direction = CalcDirectionPart(sample.gradient);
    ContactPoint contact = MakeContact(in, sample, radius, FeatureId(FeatureKind::Whole, direction));
    if (is_known(contact.normal)) return;
    while (any([&](const ContactPoint& c) { return c.feature == contact.feature; })) {
      direction += kDirections;
      contact = MakeContact(in, sample, radius, FeatureId(FeatureKind::Whole, direction));
    }
    out->points.push_back(contact);
  };
  add(at);
  if (!(at.value > 0.1 * radius)) return;  // deep: one way out is enough
  const double near = 0.5 * at.value;
  const auto foot = [&](const FieldSample& sample) -> Vector3 { return sample.p - sample.value * sample.gradient; };
  for (int k = 0; k < 6; ++k) {
    const Vector3 ray = k % 2 == 0 ? Vector3::Unit(k / 2) : Vector3(-Vector3::Unit(k / 2));
    double way = near;
    for (int i = 0; i < kRaySteps && way < limit; ++i) {
      const FieldSample sample = CalcSample(field, at.p + way * ray);
      if (!(sample.value > 1e-3 * radius)) break;
      way += kRayStep * sample.value;
      Vector3 y = foot(sample);
      FieldSample other = at;
      other.gradient = (at.p - y).normalized();
      if (is_known(in.X_WB.R * other.gradient)) continue;
      double turned = 1;
      for (int j = 0; j < kFootSteps && turned > 1e-12; ++j) {
        y = foot(CalcSample(field, y + near * other.gradient));
        other.value = (at.p - y).norm();
        const Vector3 direction = (at.p - y) / other.value;
        turned = 0.5 * (direction - other.gradient).squaredNorm();
        other.gradient = direction;
      }
      if (turned < 1e-9 && other.value <= limit) add(other);
    }
  }
}

void CollideCapsuleField(const PairInput& in, CollisionScratch* scratch, ContactManifold* out) {
  const SignedDistanceField& field = *in.b.field();
  const double radius = in.a.core().radius, half = in.a.core().size[2], limit = in.margin + radius;
  if (!(half > 1e-9 * radius)) {
    CollideSphereField(in, scratch, out);
    return;
  }
  const Pose X_FA = InField(in);
  const Vector3 axis = X_FA.R.col(2);
  if (field.Evaluate(X_FA.p, nullptr) > limit + half) return;
  std::array<FieldSample, kCapsulePieces + 1> samples;
  for (int i = 0; i <= kCapsulePieces; ++i) {
    samples[static_cast<std::size_t>(i)] = CalcSample(field, X_FA.p + half * (2.0 * i / kCapsulePieces - 1) * axis);
  }
  const double tolerance = 1e-8 * (half + radius);
  for (int i = 0; i <= kCapsulePieces; ++i) {
    const FieldSample& at = samples[static_cast<std::size_t>(i)];
    const double before = i > 0 ? samples[static_cast<std::size_t>(i) - 1].value : at.value;
    const double after = i < kCapsulePieces ? samples[static_cast<std::size_t>(i) + 1].value : at.value;
    const double slope = at.gradient.dot(axis);
    const bool falls = (i > 0 && slope > kSteep) || (i < kCapsulePieces && slope < -kSteep);
    const bool lowest = at.value <= before && at.value <= after;
    if (at.value <= limit && (lowest || !falls)) {
      out->points.push_back(MakeContact(in, at, radius, FeatureId(FeatureKind::Vertex, i)));
    }
    if (i == kCapsulePieces) break;
    const FieldSample& next = samples[static_cast<std::size_t>(i) + 1];
    const TriangleMinimum minimum = FindTriangleMinimum(field, {&at, &next, &next}, limit, 1e-3 * tolerance);
    if (minimum.corner < 0 && minimum.at.value <= limit &&
        minimum.at.value < std::min(at.value, next.value) - tolerance) {
      out->points.push_back(MakeContact(in, minimum.at, radius, FeatureId(FeatureKind::Edge, i)));
    }
  }
}

void CollideProbeField(const PairInput& in, CollisionScratch* scratch, ContactManifold* out) {
  const FieldProbe &a = in.a.probe(), &b = in.b.probe();
  scratch->field.grid.Reset(kSamePlace * std::min(a.radius(), b.radius()), in.X_WA.p);
  ProbeField({a, in.X_WA, *in.b.field(), in.X_WB, in.margin, in.a.corners_only(), true}, &scratch->field, out);
  if (a.field() != nullptr) {
    ProbeField({b, in.X_WB, *a.field(), in.X_WA, in.margin, in.b.corners_only(), false}, &scratch->field, out);
  }
}

}  // namespace tactus
