#include "tactus/collision/convex_contact.h"

#include <algorithm>
#include <cmath>

#include "tactus/collision/line_ends.h"

namespace tactus {

namespace {

// Closer than this part of the scale the direction between the nearest points is lost in rounding.
constexpr double kTouching = 1e-8;
// Gaps that differ by this part of the scale are the same.
constexpr double kSame = 1e-10;
constexpr int kMaxRefinements = 40;
// Lines lie along each other if what they have in common is longer than this part of them.
constexpr double kAlongLeast = 1e-3;
// Cosine between the normals of a pair of lines and of its ends.
constexpr double kSameSide = 0.7;

// The feature that the vertices of a simplex span on one side.
template <typename Vertex>
std::uint32_t SimplexFeature(CoreKind kind, const Simplex& simplex, Vertex vertex) {
  int numbers[4];
  int count = 0;
  for (int i = 0; i < simplex.count; ++i) {
    const int v = vertex(simplex.vertex[static_cast<std::size_t>(i)]);
    if (v < 0) return FeatureId(FeatureKind::Whole, 0);
    if (std::find(numbers, numbers + count, v) == numbers + count) numbers[count++] = v;
  }
  if (count <= 1) return FeatureId(FeatureKind::Vertex, count == 1 ? numbers[0] : 0);
  std::sort(numbers, numbers + count);
  if (kind == CoreKind::Triangle) {
    const int edge = numbers[0] == 0 ? (numbers[1] == 1 ? 0 : 2) : 1;
    return count == 2 ? FeatureId(FeatureKind::Edge, edge) : FeatureId(FeatureKind::Face, 0);
  }
  // Not the edge's or face's own number, but as good as one.
  std::uint32_t hash = 2166136261u;
  for (int i = 0; i < count; ++i) hash = (hash ^ static_cast<std::uint32_t>(numbers[i])) * 16777619u;
  return FeatureId(count == 2 ? FeatureKind::Edge : FeatureKind::Face, static_cast<int>(hash & 0x3fffffffu));
}

void SetWitness(const MinkowskiDifference& difference, const Simplex& simplex, CoreSeparation* out) {
  out->a.setZero();
  out->b.setZero();
  for (int i = 0; i < simplex.count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    out->a += simplex.weight[k] * simplex.vertex[k].a;
    out->b += simplex.weight[k] * simplex.vertex[k].b;
  }
  out->feature_a = SimplexFeature(difference.a().kind, simplex, [](const MinkowskiVertex& v) { return v.vertex_a; });
  out->feature_b = SimplexFeature(difference.b().kind, simplex, [](const MinkowskiVertex& v) { return v.vertex_b; });
}

// Whether the point farthest along d is a place on a curve or curved surface, which moves with d but does not jump.
bool HasOneSupportPoint(const ConvexCore& core, const Vector3& d) {
  if (core.kind == CoreKind::Cylinder) return std::abs(d[2]) > 0.01 && std::hypot(d[0], d[1]) > 0.01;
  return core.kind == CoreKind::Ellipsoid;
}

// In how many directions the core goes on flat or smooth where it is touched: 0 at a corner, 1 along an edge or rim, 2
// on a face or a curved surface.
int CountSmoothDirections(const ConvexCore& core, std::uint32_t feature, const Vector3& d) {
  if (core.kind == CoreKind::Ellipsoid) return 2;
  if (core.kind == CoreKind::Cylinder) return HasOneSupportPoint(core, d) ? 1 : 2;
  const auto kind = static_cast<FeatureKind>(feature >> 30);
  return kind == FeatureKind::Vertex ? 0 : (kind == FeatureKind::Edge ? 1 : 2);
}

// The deepest point, midway between the surfaces. The nearest points that were found are gap * n apart but for a
// difference across n: where a surface is curved they are known to the root of the gap's error only. Moved across n a
// point leaves a smooth surface by the square of the way, but a corner or an edge by the way itself. So what is sharper
// says where the point is. If neither is, the support point of a curved surface or rim is better than what was found.
Vector3 CalcDeepestPoint(const MinkowskiDifference& difference, const CoreSeparation& separation) {
  const ConvexCore &a = difference.a(), &b = difference.b();
  const Pose& X_AB = difference.X_AB();
  const Vector3& n = separation.normal;
  const Vector3 d = -n, e = X_AB.R.transpose() * n;  // along which a and b are farthest, each in its frame
  const double half = 0.5 * (separation.gap - a.radius - b.radius);
  const int smooth_a = CountSmoothDirections(a, separation.feature_a, d),
            smooth_b = CountSmoothDirections(b, separation.feature_b, e);
  const auto from_a = [&](const Vector3& p) -> Vector3 { return p - (a.radius + half) * n; };
  const auto from_b = [&](const Vector3& p) -> Vector3 { return p + (b.radius + half) * n; };
  if (smooth_a <= smooth_b && HasOneSupportPoint(a, d)) return from_a(CalcSupport(a, d).p);
  if (smooth_b <= smooth_a && HasOneSupportPoint(b, e)) return from_b(X_AB * CalcSupport(b, e).p);
  if (smooth_a < smooth_b) return from_a(separation.a);
  if (smooth_b < smooth_a) return from_b(separation.b);
  return 0.5 * (from_a(separation.a) + from_b(separation.b));
}

// Where A - B is a point or a line there is no best normal; away from B is as good as any.
Vector3 AnyNormal(const Vector3& p_AB) {
  const double length = p_AB.norm();
  return length > 0 ? Vector3(-p_AB / length) : Vector3(Vector3::UnitZ());
}

// Smooth shapes deep in each other: the polytope finds the region of the best normal, this the normal. A is moved out
// along n by s, a little more than needed; the direction to it is then the m that maximizes
//     g(m) + s n.m = g(m) - s |m - n|^2 / 2 + s,
// a proximal step, so that g never falls.
void Refine(MinkowskiDifference* unmoved, CoreSeparation* out) {
  const MinkowskiDifference& difference = *unmoved;
  const double scale = difference.scale();
  for (int i = 0; i < kMaxRefinements; ++i) {
    const double shift = 0.01 * scale - 1.1 * out->gap;
    Pose X_AB = difference.X_AB();
    X_AB.p -= shift * out->normal;
    MinkowskiDifference moved(difference.a(), difference.b(), X_AB);
    const GjkResult gjk = CalcDistance(&moved, 1e300, out->normal);
    if (gjk.status != GjkStatus::Distance) return;
    const Vector3 n = gjk.nearest / gjk.distance;
    const double gap = gjk.lower_bound - shift * n.dot(out->normal);
    const double gain = gap - out->gap;
    const Vector3 before = out->normal;
    SetWitness(difference, gjk.simplex, out);
    out->b += shift * before;
    if (!(gain > 0)) return;
    out->normal = n;
    out->gap = gap;
    if (gain < kSame * 1e-2 * scale) return;
    // Where g is flat steps are short: go on in the same direction while that helps.
    for (int doubling = 1; doubling <= 6; ++doubling) {
      const double reach = 1 << doubling;
      const Vector3 farther = (before + reach * (n - before)).normalized();
      const double there = unmoved->CalcSeparation(farther);
      if (!(there > out->gap)) break;
      out->normal = farther;
      out->gap = there;
    }
  }
}

// Round lines (of capsules, of cylinders' mantles) across each other or across an edge also touch where they end.
void AddLineEnds(MinkowskiDifference* difference, const CoreSeparation& separation, double gap, double margin,
                 std::size_t first, ClipScratch* clip) {
  const ConvexCore &core_a = difference->a(), &core_b = difference->b();
  const Pose &X_AB = difference->X_AB(), X_BA = X_AB.Inverse();
  const Vector3& n = separation.normal;
  const double same = kSame * difference->scale();
  SupportLine a, b;
  if (core_a.kind == CoreKind::Box && core_b.kind == CoreKind::Box) return;
  // All but boxes have their lines along z.
  if (!CalcSupportLine(core_a, -n, separation.a, X_AB.R.col(2), &a)) return;
  if (!CalcSupportLine(core_b, X_BA.R * n, X_BA * separation.b, X_BA.R.col(2), &b)) return;
  const auto looks = [](const SupportLine& line, const Vector3& d) {
    return (line.sides.cwiseProduct(d).array() >= 0).all();
  };
  const auto make_round = [](const ConvexCore& core, const SupportLine& line, const Pose& X) {
    return RoundLine{X * line.middle, X.R * line.along, line.half, core.radius + line.round,
                     core.kind == CoreKind::Segment};
  };
  LineEnd ends[2];
  const double least = kAlongLeast * std::min(a.half, b.half);
  const int count = CalcLineEnds(make_round(core_a, a, Pose()), make_round(core_b, b, X_AB), n, least, ends);
  const std::size_t clipped = clip->points.size();
  for (int i = 0; i < count; ++i) {
    const LineEnd& end = ends[i];
    if (!(end.normal.dot(n) > kSameSide)) continue;
    if (!looks(a, -end.normal) || !looks(b, X_AB.R.transpose() * end.normal)) continue;
    if (!(end.gap <= margin) || end.gap < gap - same) continue;
    // Where a mantle is just above the edge of a face, both tell of the same place.
    const bool known = std::any_of(clip->points.begin() + static_cast<std::ptrdiff_t>(first),
                                   clip->points.begin() + static_cast<std::ptrdiff_t>(clipped),
                                   [&](const LocalContact& c) { return (c.point - end.point).norm() < least; });
    if (known) continue;
    // The nearest points. Where the shapes are as far apart along the end's own normal it is the better one: the other
    // is known to the root of the gap's error only.
    const bool take_nearest = end.gap <= gap + same && difference->CalcSeparation(end.normal) < separation.gap;
    LocalContact contact;
    contact.point = end.point;
    contact.normal = take_nearest ? n : end.normal;
    contact.gap = take_nearest ? gap : end.gap;
    contact.feature_a = end.a_ends ? a.end_ids[end.end] : a.line_id;
    contact.feature_b = end.a_ends ? b.line_id : b.end_ids[end.end];
    clip->points.push_back(contact);
  }
}

}  // namespace

CoreSeparation CalcSeparation(MinkowskiDifference* difference, double limit, ConvexScratch* scratch) {
  CoreSeparation out;
  const GjkResult gjk = CalcDistance(difference, limit, -difference->X_AB().p);
  if (gjk.status == GjkStatus::Far) return out;
  out.within = true;
  SetWitness(*difference, gjk.simplex, &out);
  if (gjk.distance > kTouching * difference->scale()) {
    out.normal = gjk.nearest / gjk.distance;
    out.gap = gjk.distance;
    return out;
  }
  const Penetration deep = CalcPenetration(difference, gjk.simplex, &scratch->epa);
  if (!std::isfinite(deep.gap)) {
    out.normal = AnyNormal(difference->X_AB().p);
    out.gap = difference->CalcSeparation(out.normal);
    return out;
  }
  out.normal = deep.normal;
  out.gap = deep.gap;
  if (gjk.status == GjkStatus::Distance && deep.gap > -kTouching * difference->scale()) {
    // They touch, to rounding: the points of GJK are the better ones.
    out.gap = std::max(deep.gap, std::min(gjk.distance, deep.gap + kSame * difference->scale()));
    return out;
  }
  SetWitness(*difference, deep.feature, &out);
  const double same = kSame * difference->scale();
  if (deep.upper_bound - deep.gap <= same) return out;
  Refine(difference, &out);
  if (deep.upper_bound - out.gap <= same) return out;
  // Many ways out are nearly as short: look into the one that might be the shortest.
  CoreSeparation other = out;
  other.normal = deep.hope;
  other.gap = difference->CalcSeparation(other.normal);
  Refine(difference, &other);
  return other.gap > out.gap ? other : out;
}

void SnapToFaces(MinkowskiDifference* difference, CoreSeparation* separation, ClipScratch* clip) {
  const double loss = kSame * difference->scale();
  for (const bool of_a : {false, true}) {
    const SupportFeature& feature = of_a ? clip->a : clip->b;
    if (feature.count() < 3) continue;
    const Vector3 n = of_a ? Vector3(-feature.normal) : Vector3(feature.normal);
    if (n == separation->normal) return;
    if (n.dot(separation->normal) < 0.9) continue;
    const double gap = difference->CalcSeparation(n);
    if (!(gap >= separation->gap - loss)) continue;
    separation->normal = n;
    separation->gap = gap;
    return;
  }
}

void MakeManifold(MinkowskiDifference* difference, const CoreSeparation& separation, double margin, bool with_witness,
                  ClipScratch* clip) {
  const ConvexCore &a = difference->a(), &b = difference->b();
  const std::size_t first = clip->points.size();
  const double gap = separation.gap - a.radius - b.radius;
  const double enough = gap + kSame * difference->scale();
  ClipFeatures(separation.normal, a.radius, b.radius, gap, margin, clip);
  const bool along = clip->a.count() == 2 && clip->b.count() == 2 && clip->points.size() > first;
  if (with_witness && !along) AddLineEnds(difference, separation, gap, margin, first, clip);
  if (!with_witness) return;
  for (std::size_t i = first; i < clip->points.size(); ++i) {
    if (clip->points[i].gap <= enough) return;
  }
  if (!(gap <= margin)) return;
  LocalContact contact;
  contact.point = CalcDeepestPoint(*difference, separation);
  contact.normal = separation.normal;
  contact.gap = gap;
  contact.feature_a = separation.feature_a;
  contact.feature_b = separation.feature_b;
  clip->points.push_back(contact);
}

void AppendToWorld(const Pose& X_WA, const ClipScratch& clip, ContactManifold* out) {
  for (const LocalContact& contact : clip.points) {
    out->points.push_back({X_WA * contact.point, X_WA.R * contact.normal, contact.gap,
                           PairFeature(contact.feature_a, contact.feature_b)});
  }
}

void CollideCores(const ConvexCore& a, const Pose& X_WA, const ConvexCore& b, const Pose& X_WB, double margin,
                  ConvexScratch* scratch, ContactManifold* out) {
  const Pose X_AB(X_WA.R.transpose() * X_WB.R, X_WA.R.transpose() * (X_WB.p - X_WA.p));
  MinkowskiDifference difference(a, b, X_AB);
  CoreSeparation separation = CalcSeparation(&difference, margin + a.radius + b.radius, scratch);
  if (!separation.within || separation.gap - a.radius - b.radius > margin) return;
  FindFeatures(difference, separation.normal, &scratch->clip);
  SnapToFaces(&difference, &separation, &scratch->clip);
  scratch->clip.points.clear();
  MakeManifold(&difference, separation, margin, true, &scratch->clip);
  AppendToWorld(X_WA, scratch->clip, out);
}

void FindFeatures(const MinkowskiDifference& difference, const Vector3& normal, ClipScratch* clip) {
  const Pose& X_AB = difference.X_AB();
  CalcSupportFeature(difference.a(), -normal, &clip->a);
  CalcSupportFeature(difference.b(), X_AB.R.transpose() * normal, &clip->b);
  for (Vector3& p : clip->b.points) p = X_AB * p;
  clip->b.normal = X_AB.R * clip->b.normal;
}

}  // namespace tactus
