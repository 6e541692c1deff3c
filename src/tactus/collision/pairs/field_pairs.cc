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

// The point of the surface next to the centre is known by the field there. In corners and grooves there are others that
// are nearest in their direction; they are the feet of points beside the centre, if seen from half way they still are.
void CollideSphereField(const PairInput& in, CollisionScratch* /*scratch*/, ContactManifold* out) {
  const SignedDistanceField& field = *in.b.field();
  const double radius = in.a.core().radius;
  const FieldSample at = CalcSample(field, InField(in).p);
  if (!(at.value - radius <= in.margin)) return;
  out->points.push_back(MakeContact(in, at, radius, FeatureId(FeatureKind::Whole, 0)));
  if (!(at.value > 0.1 * radius)) return;  // deep: one way out is enough
  const std::size_t first = out->points.size() - 1;
  const auto foot = [&](const Vector3& p) -> Vector3 {
    const FieldSample sample = CalcSample(field, p);
    return p - sample.value * sample.gradient;
  };
  for (int k = 0; k < 6; ++k) {
    FieldSample other = at;
    const Vector3 start = at.p + (k % 2 == 0 ? 0.5 : -0.5) * at.value * Vector3::Unit(k / 2);
    Vector3 y = foot(start);
    double turned = 0;
    for (int i = 0; i < 4; ++i) {
      other.gradient = (at.p - y).normalized();
      y = foot(0.5 * (at.p + y));
      other.value = (at.p - y).norm();
      turned = 1 - other.gradient.dot((at.p - y) / other.value);
    }
    if (!(turned < 1e-9) || !(other.value - radius <= in.margin)) continue;
    const ContactPoint contact = MakeContact(in, other, radius, FeatureId(FeatureKind::Whole, 1 + k));
    const bool known = std::any_of(out->points.begin() + static_cast<std::ptrdiff_t>(first), out->points.end(),
                                   [&](const ContactPoint& c) { return c.normal.dot(contact.normal) > kSameFoot; });
    if (!known) out->points.push_back(contact);
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
