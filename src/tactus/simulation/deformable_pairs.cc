// What parts of deformables touch with: narrow phase of DeformableContacts.
#include <algorithm>
#include <cmath>

#include "tactus/collision/buried_point.h"
#include "tactus/collision/convex_contact.h"
#include "tactus/collision/minkowski.h"
#include "tactus/geometry/closest_on_triangle.h"
#include "tactus/simulation/deformable_contacts.h"

namespace tactus {

namespace {

// Of an edge's length: a triangle touches by itself only where it is that much nearer than its corners.
constexpr double kBetween = 3e-3;
// The same of the margin, which is less, where something round or sharp touches: there the point is on its way from
// corner to corner, and as long as they stand for it, it is that deep. Contacts that close by less do not act either.
constexpr double kBetweenSharp = 1e-3;
// Cosine between the normal of a contact and that of a face that lies flat on a triangle.
constexpr double kFlat = 0.995;
// Weights below this are none: the point is on an edge, or a corner.
constexpr double kOnBorder = 1e-4;
// Of an edge's length: what is this deep behind a triangle belongs to another side of the body.
constexpr double kDeepest = 0.5;
// Of an edge's length: what is nearer than this at rest never touches itself, but across a gap wider than kGroove,
// where the cosine between gap and normal is above kStraight.
constexpr double kNeighbour = 1.5, kGroove = 1e-3, kStraight = 0.99;
// An overlap is undone the way a triangle faces, if that is at most so many times the shortest way.
constexpr double kLonger = 4;

const CollisionShape& PointShape() {
  static const std::shared_ptr<const CollisionShape> shape = CollisionShape::Make(Shape{}, "node");
  return *shape;
}

// A capsule's axis is z, a segment's x.
Pose CapsulePose(const Pose& X) {
  Pose out = X;
  out.R.col(0) = -X.R.col(2);
  out.R.col(2) = X.R.col(0);
  return out;
}

Vector3 CalcNormal(const std::array<Vector3, 3>& t) { return (t[1] - t[0]).cross(t[2] - t[0]).normalized(); }

// Several points of one short segment say nothing more than the nearest; alike ones become their mean, so that no end
// is preferred.
void ReduceToOne(ContactManifold* manifold) {
  std::vector<ContactPoint>& points = manifold->points;
  if (points.size() < 2) return;
  const auto nearest = std::min_element(points.begin(), points.end(),
                                        [](const ContactPoint& x, const ContactPoint& y) { return x.gap < y.gap; });
  ContactPoint out = *nearest;
  Vector3 sum = Vector3::Zero();
  double count = 0;
  for (const ContactPoint& point : points) {
    if (point.gap > out.gap + 1e-9 || point.normal.dot(out.normal) < 1 - 1e-6) continue;
    sum += point.point;
    ++count;
  }
  out.point = sum / count;
  points.assign(1, out);
}

// Only from outside: what is behind the triangle is the matter of others. `face`: its normal.
TriangleSeparation CalcTriangleSeparation(const ConvexCore& core, const Pose& X, const std::array<Vector3, 3>& corners,
                                          const Vector3& face, double limit, ConvexScratch* scratch) {
  TriangleSeparation out;
  ConvexCore triangle;
  triangle.kind = CoreKind::Triangle;
  for (std::size_t i = 0; i < 3; ++i) triangle.corners[i] = corners[i] - X.p;
  const Pose X_AT(X.R.transpose(), Vector3::Zero());
  MinkowskiDifference difference(core, triangle, X_AT);
  const double along = difference.CalcSeparation(X_AT.R * face);
  if (!(along <= limit + core.radius)) return out;
  const CoreSeparation separation = CalcSeparation(&difference, limit + core.radius, scratch);
  if (!separation.within) return out;
  out.normal = X.R * separation.normal;
  out.foot = X * separation.b;
  out.gap = separation.gap;
  const double facing = out.normal.dot(face);
  if (separation.gap > 0 && facing < 0) return out;
  if (separation.gap <= 0 && facing < 0.5) {
    // Overlapping, and the shortest way out leads along the triangle or through it: out the way it came instead. Not if
    // that is far longer: what only grazes the triangle's side, as a wall does the end of a beam in a hole, would push
    // along all of the wall. The triangles round the corner see it.
    const bool aside = facing > -0.5;
    if (-along > kDeepest * (corners[1] - corners[0]).norm() || (aside && along < kLonger * separation.gap)) return out;
    out.normal = face;
    out.gap = along;
    const Vector3 deepest = X * CalcSupport(core, -(X.R.transpose() * face)).p;
    out.foot = deepest - face * face.dot(deepest - corners[0]);
  }
  out.weights = ClosestOnTriangle(out.foot, corners[0], corners[1], corners[2]);
  const Vector3 foot = out.weights[0] * corners[0] + out.weights[1] * corners[1] + out.weights[2] * corners[2];
  if ((foot - out.foot).norm() > 1e-6 * (corners[1] - corners[0]).norm() + 1e-12) return out;
  out.foot = foot;
  out.gap -= core.radius;
  out.within = out.gap <= limit;
  return out;
}

// How much nearer than the corners a point between them is that counts. A face that lies flat is as near in many
// places, and which is the nearest changes all the time; with it the answer must not.
double CalcBetween(const ConvexCore& core, const Pose& X, const Vector3& normal, double edge, double margin,
                   SupportFeature* feature) {
  CalcSupportFeature(core, -(X.R.transpose() * normal), feature);
  const bool flat = feature->count() >= 3 && -normal.dot(X.R * feature->normal) > kFlat;
  return flat ? kBetween * edge : std::min(kBetween * edge, kBetweenSharp * margin);
}

}  // namespace

std::array<Vector3, 3> DeformableContacts::Corners(const Input& in, int part, int triangle) const {
  const std::size_t k = static_cast<std::size_t>(part);
  const std::array<int, 3>& t = parts_[k].body->surface().triangles[static_cast<std::size_t>(triangle)];
  const VectorX& q = (*in.states)[k].q;
  return {q.segment<3>(3 * t[0]), q.segment<3>(3 * t[1]), q.segment<3>(3 * t[2])};
}

DeformableContacts::Side DeformableContacts::RigidSide(const Input& in, int object, const Vector3& p) const {
  const std::size_t o = static_cast<std::size_t>(object);
  const SimulatorObject& rigid = in.rigid->objects[o];
  const ObjectMotion& motion = in.rigid->motions[o];
  const Vector3 arm = p - in.rigid->poses[o] * rigid.shape->centre();
  return {object, -1, {}, rigid.body, motion.v + motion.w.cross(arm)};
}

DeformableContacts::Side DeformableContacts::DeformableSide(const Input& in, int part, const DeformablePoint& point,
                                                            const Vector3& p) const {
  const Part& k = parts_[static_cast<std::size_t>(part)];
  return {k.object, part, point, FindCarrier(k, point), PointVelocity(*in.states, part, point, p)};
}

// Corners that do not count are left out; the feature is what the point is on: a face, an edge or a node.
DeformablePoint DeformableContacts::PointOnTriangle(int part, int triangle, const Vector3& weights,
                                                    std::uint32_t* feature) const {
  const Part& k = parts_[static_cast<std::size_t>(part)];
  const std::array<int, 3>& corners = k.body->surface().triangles[static_cast<std::size_t>(triangle)];
  DeformablePoint out;
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (weights[static_cast<Eigen::Index>(i)] < kOnBorder) continue;
    out.items[static_cast<std::size_t>(out.count)] = corners[i];
    out.weights[static_cast<std::size_t>(out.count++)] = weights[static_cast<Eigen::Index>(i)];
    sum += weights[static_cast<Eigen::Index>(i)];
  }
  for (double& w : out.weights) w /= sum;
  *feature = FeatureId(FeatureKind::Face, triangle);
  if (out.count == 1) *feature = FeatureId(FeatureKind::Vertex, out.items[0]);
  if (out.count == 2) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (weights[static_cast<Eigen::Index>(i)] >= kOnBorder) continue;
      *feature = FeatureId(FeatureKind::Edge, k.edges[static_cast<std::size_t>(triangle)][i]);
    }
  }
  return out;
}

void DeformableContacts::Append(const Input& in, const Side& a, const Side& b, const ContactPoint& point,
                                std::vector<ContactState>* out) const {
  // No impulse parts what moves with one body, or as prescribed.
  if (a.carrier != kOwn && a.carrier == b.carrier) return;
  if (IsBeside(a, b) || IsBeside(b, a)) return;
  ContactState contact;
  contact.geometry = point;
  const bool swap = a.object > b.object;
  const Side &first = swap ? b : a, &second = swap ? a : b;
  if (swap) {
    contact.geometry.normal = -point.normal;
    contact.geometry.feature = (point.feature << 32) | (point.feature >> 32);
  }
  contact.object_a = first.object;
  contact.object_b = second.object;
  contact.point_a = first.point;
  contact.point_b = second.point;
  const double approach = std::min(contact.geometry.normal.dot(first.velocity - second.velocity), 0.0);
  contact.active = point.gap + in.h * approach <= in.margin;
  out->push_back(contact);
}

void DeformableContacts::CollideNodeShape(const Candidate& c, const Input& in, Worker* worker,
                                          std::vector<ContactState>* out) const {
  const Vector3 x = (*in.states)[static_cast<std::size_t>(c.a)].q.segment<3>(3 * c.item_a);
  const Side node = DeformableSide(in, c.a, {1, {c.item_a}, {1}}, x), rigid = RigidSide(in, c.b, x);
  const std::size_t o = static_cast<std::size_t>(c.b);
  const CollisionShape& shape = *in.rigid->objects[o].shape;
  const double margin = Margin(in, node.velocity - rigid.velocity);
  const double reach = std::max(margin, parts_[static_cast<std::size_t>(c.a)].edge);
  if (shape.kind() != CollisionKind::Surface || !CollideBuriedPoint(*shape.surface(), in.rigid->poses[o], x, reach,
                                                                    margin, &worker->scratch, &worker->manifold)) {
    CollideShapes(shape, in.rigid->poses[o], PointShape(), Pose(x), margin, &worker->scratch, &worker->manifold);
  }
  for (ContactPoint& point : worker->manifold.points) {
    point.feature =
        PairFeature(static_cast<std::uint32_t>(point.feature >> 32), FeatureId(FeatureKind::Vertex, c.item_a));
    Append(in, rigid, node, point, out);
  }
}

void DeformableContacts::CollideTriangleShape(const Candidate& c, const Input& in, Worker* worker,
                                              std::vector<ContactState>* out) const {
  const std::size_t o = static_cast<std::size_t>(c.b);
  const CollisionShape& shape = *in.rigid->objects[o].shape;
  const Pose& X = in.rigid->poses[o];
  const std::array<Vector3, 3> corners = Corners(in, c.a, c.item_a);
  const Vector3 centre = (corners[0] + corners[1] + corners[2]) / 3;
  const std::array<int, 3>& nodes =
      parts_[static_cast<std::size_t>(c.a)].body->surface().triangles[static_cast<std::size_t>(c.item_a)];
  const DeformablePoint middle{3, nodes, {1.0 / 3, 1.0 / 3, 1.0 / 3}};
  const double limit =
      Margin(in, DeformableSide(in, c.a, middle, centre).velocity - RigidSide(in, c.b, centre).velocity);
  const double edge = (corners[1] - corners[0]).norm();
  TriangleSeparation near;
  if (shape.kind() == CollisionKind::Field) {
    std::array<FieldSample, 3> samples;
    const Pose X_FW = X.Inverse();
    for (std::size_t i = 0; i < 3; ++i) samples[i] = CalcSample(*shape.field(), X_FW * corners[i]);
    const double least = std::min({samples[0].value, samples[1].value, samples[2].value});
    if (least - edge > limit) return;
    const TriangleMinimum minimum =
        FindTriangleMinimum(*shape.field(), {&samples[0], &samples[1], &samples[2]}, limit, 1e-3 * kBetween * edge);
    if (minimum.corner >= 0 || minimum.at.value > std::min(limit, least - kBetween * edge)) return;
    near.gap = minimum.at.value;
    near.normal = -(X.R * UnitGradient(minimum.at, Vector3::UnitZ()));
    near.foot = X * minimum.at.p;
    if (near.normal.dot(CalcNormal(corners)) < 0) return;
    near.weights = ClosestOnTriangle(near.foot, corners[0], corners[1], corners[2]);
  } else {
    const Vector3 face = CalcNormal(corners);
    near = CalcTriangleSeparation(shape.core(), X, corners, face, limit, &worker->scratch.convex);
    if (!near.within) return;
    // What is round lies on a flat triangle along a line, of which that was some point: its ends are on the edges.
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3 &a = corners[k], &b = corners[(k + 1) % 3];
      TriangleSeparation at = CalcTriangleSeparation(shape.core(), X, {a, b, b}, face, limit, &worker->scratch.convex);
      if (!at.within) continue;
      const double along = std::clamp((at.foot - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
      at.weights.setZero();
      at.weights[static_cast<Eigen::Index>(k)] = 1 - along;
      at.weights[static_cast<Eigen::Index>((k + 1) % 3)] = along;
      AppendBetween(c, in, at, {a, b, b}, worker, out);
    }
    return AppendBetween(c, in, near, corners, worker, out);
  }
  AppendOnTriangle(c, in, near, out);
}

// A point between nodes; where one of them is as near, the node does it.
void DeformableContacts::AppendBetween(const Candidate& c, const Input& in, const TriangleSeparation& near,
                                       const std::array<Vector3, 3>& corners, Worker* worker,
                                       std::vector<ContactState>* out) const {
  if (near.weights.maxCoeff() > 1 - kOnBorder) return;
  const std::size_t o = static_cast<std::size_t>(c.b);
  const CollisionShape& shape = *in.rigid->objects[o].shape;
  const Pose& X = in.rigid->poses[o];
  const double between = CalcBetween(shape.core(), X, near.normal, (corners[1] - corners[0]).norm(), in.margin,
                                     &worker->scratch.convex.clip.a);
  for (const Vector3& corner : corners) {
    CollideShapes(shape, X, PointShape(), Pose(corner), near.gap + between, &worker->scratch, &worker->manifold);
    if (!worker->manifold.empty()) return;
  }
  AppendOnTriangle(c, in, near, out);
}

void DeformableContacts::AppendOnTriangle(const Candidate& c, const Input& in, const TriangleSeparation& near,
                                          std::vector<ContactState>* out) const {
  ContactPoint point;
  std::uint32_t feature = 0;
  const DeformablePoint on = PointOnTriangle(c.a, c.item_a, near.weights, &feature);
  point.gap = near.gap;
  point.normal = near.normal;
  point.point = near.foot + 0.5 * near.gap * near.normal;
  point.feature = PairFeature(FeatureId(FeatureKind::Whole, 0), feature);
  Append(in, RigidSide(in, c.b, point.point), DeformableSide(in, c.a, on, point.point), point, out);
}

void DeformableContacts::CollideSegmentShape(const Candidate& c, const Input& in, Worker* worker,
                                             std::vector<ContactState>* out) const {
  const Part& part = parts_[static_cast<std::size_t>(c.a)];
  const std::size_t o = static_cast<std::size_t>(c.b);
  const Pose X = CalcItemPose(*part.body, (*in.states)[static_cast<std::size_t>(c.a)].q, c.item_a);
  const DeformablePoint segment{1, {c.item_a}, {1}};
  CollideShapes(*in.rigid->objects[o].shape, in.rigid->poses[o], *part.capsule, CapsulePose(X),
                Margin(in, DeformableSide(in, c.a, segment, X.p).velocity - RigidSide(in, c.b, X.p).velocity),
                &worker->scratch, &worker->manifold);
  const SegmentCapsule& capsule = part.body->surface().capsules.front();
  const bool is_short = capsule.half_length <= 2 * capsule.radius;
  if (is_short) ReduceToOne(&worker->manifold);
  for (ContactPoint& point : worker->manifold.points) {
    // Ends of a segment are told apart; a short one has one contact, whatever it is on.
    const std::uint32_t own = static_cast<std::uint32_t>(point.feature);
    const int end = (own >> 30) == 0 ? static_cast<int>(own & 1u) : 2;
    point.feature = is_short ? PairFeature(FeatureId(FeatureKind::Whole, 0), FeatureId(FeatureKind::Whole, c.item_a))
                             : PairFeature(static_cast<std::uint32_t>(point.feature >> 32),
                                           FeatureId(FeatureKind::Edge, 3 * c.item_a + end));
    Append(in, RigidSide(in, c.b, point.point), DeformableSide(in, c.a, segment, point.point), point, out);
  }
}

void DeformableContacts::CollideSegments(const Candidate& c, const Input& in, Worker* worker,
                                         std::vector<ContactState>* out) const {
  const Part &a = parts_[static_cast<std::size_t>(c.a)], &b = parts_[static_cast<std::size_t>(c.b)];
  const Pose X_A = CalcItemPose(*a.body, (*in.states)[static_cast<std::size_t>(c.a)].q, c.item_a);
  const Pose X_B = CalcItemPose(*b.body, (*in.states)[static_cast<std::size_t>(c.b)].q, c.item_b);
  const DeformablePoint on_a{1, {c.item_a}, {1}}, on_b{1, {c.item_b}, {1}};
  const Vector3 relative =
      DeformableSide(in, c.a, on_a, X_A.p).velocity - DeformableSide(in, c.b, on_b, X_B.p).velocity;
  CollideShapes(*a.capsule, CapsulePose(X_A), *b.capsule, CapsulePose(X_B), Margin(in, relative), &worker->scratch,
                &worker->manifold);
  ReduceToOne(&worker->manifold);
  for (ContactPoint& point : worker->manifold.points) {
    point.feature = PairFeature(FeatureId(FeatureKind::Whole, c.item_a), FeatureId(FeatureKind::Whole, c.item_b));
    Append(in, DeformableSide(in, c.a, on_a, point.point), DeformableSide(in, c.b, on_b, point.point), point, out);
  }
}

void DeformableContacts::CollideSegmentTriangle(const Candidate& c, const Input& in, Worker* worker,
                                                std::vector<ContactState>* out) const {
  const Part& rod = parts_[static_cast<std::size_t>(c.a)];
  const Pose X = CalcItemPose(*rod.body, (*in.states)[static_cast<std::size_t>(c.a)].q, c.item_a);
  const std::array<Vector3, 3> corners = Corners(in, c.b, c.item_b);
  const DeformablePoint segment{1, {c.item_a}, {1}};
  const std::array<int, 3>& nodes =
      parts_[static_cast<std::size_t>(c.b)].body->surface().triangles[static_cast<std::size_t>(c.item_b)];
  const DeformablePoint middle{3, nodes, {1.0 / 3, 1.0 / 3, 1.0 / 3}};
  const double limit =
      Margin(in, DeformableSide(in, c.a, segment, X.p).velocity - DeformableSide(in, c.b, middle, corners[0]).velocity);
  const TriangleSeparation near = CalcTriangleSeparation(rod.capsule->core(), CapsulePose(X), corners,
                                                         CalcNormal(corners), limit, &worker->scratch.convex);
  if (!near.within) return;
  ContactPoint point;
  std::uint32_t feature = 0;
  const DeformablePoint on = PointOnTriangle(c.b, c.item_b, near.weights, &feature);
  point.gap = near.gap;
  point.normal = near.normal;
  point.point = near.foot + 0.5 * near.gap * near.normal;
  point.feature = PairFeature(FeatureId(FeatureKind::Whole, c.item_a), feature);
  Append(in, DeformableSide(in, c.a, segment, point.point), DeformableSide(in, c.b, on, point.point), point, out);
}

void DeformableContacts::CollideNodeTriangle(const Candidate& c, const Input& in,
                                             std::vector<ContactState>* out) const {
  const Part &from = parts_[static_cast<std::size_t>(c.a)], &to = parts_[static_cast<std::size_t>(c.b)];
  const Vector3 x = (*in.states)[static_cast<std::size_t>(c.a)].q.segment<3>(3 * c.item_a);
  const std::array<Vector3, 3> corners = Corners(in, c.b, c.item_b);
  const Vector3 weights = ClosestOnTriangle(x, corners[0], corners[1], corners[2]), face = CalcNormal(corners);
  const Vector3 off = x - (weights[0] * corners[0] + weights[1] * corners[1] + weights[2] * corners[2]);
  const double height = off.dot(face), distance = off.norm();
  std::uint32_t feature = 0;
  const DeformablePoint on = PointOnTriangle(c.b, c.item_b, weights, &feature);
  const DeformablePoint node{1, {c.item_a}, {1}};
  const Side a = DeformableSide(in, c.a, node, x), b = DeformableSide(in, c.b, on, x);
  if (!(distance <= Margin(in, a.velocity - b.velocity) || height < 0)) return;
  // Behind a triangle: only above it, its border included, and not so deep that it comes from another side.
  const bool above = on.count == 3 || (off - height * face).norm() <= kOnBorder * to.edge;
  if (height < 0 && (!above || height < -kDeepest * to.edge)) return;
  if (c.a == c.b) {
    const std::array<int, 3>& t = to.body->surface().triangles[static_cast<std::size_t>(c.item_b)];
    const VectorX& q = to.body->initial_q();
    const Vector3 r0 = q.segment<3>(3 * t[0]), r1 = q.segment<3>(3 * t[1]), r2 = q.segment<3>(3 * t[2]);
    const Vector3 r = from.body->initial_q().segment<3>(3 * c.item_a), w = ClosestOnTriangle(r, r0, r1, r2);
    // Neighbours do not touch each other, unless they face each other across a gap, as the walls of a groove do: there
    // the node is straight above the triangle.
    const Vector3 apart = r - w[0] * r0 - w[1] * r1 - w[2] * r2;
    const double rest = apart.norm();
    const bool faces = rest > kGroove * to.edge && apart.dot(CalcNormal({r0, r1, r2})) > kStraight * rest;
    if (rest < kNeighbour * to.edge && !faces) return;
  }
  ContactPoint point;
  const bool beside = height >= 0 && on.count < 3 && distance > 1e-9 * to.edge;
  point.normal = beside ? Vector3(off / distance) : face;
  point.gap = beside ? distance : height;
  point.point = x - 0.5 * point.gap * point.normal;
  point.feature = PairFeature(FeatureId(FeatureKind::Vertex, c.item_a), feature);
  Append(in, a, b, point, out);
}

void DeformableContacts::Collide(const Candidate& c, const Input& in, Worker* worker,
                                 std::vector<ContactState>* out) const {
  switch (c.kind) {
    case Kind::NodeShape: return CollideNodeShape(c, in, worker, out);
    case Kind::TriangleShape: return CollideTriangleShape(c, in, worker, out);
    case Kind::SegmentShape: return CollideSegmentShape(c, in, worker, out);
    case Kind::SegmentSegment: return CollideSegments(c, in, worker, out);
    case Kind::SegmentTriangle: return CollideSegmentTriangle(c, in, worker, out);
    case Kind::NodeTriangle: return CollideNodeTriangle(c, in, out);
  }
}

}  // namespace tactus
