#include "tactus/collision/convex_core.h"

#include <algorithm>
#include <cmath>

namespace tactus {

namespace {

// Below this cosine between direction and face, the face is seen edge on and is better taken as an edge.
constexpr double kEdgeOn = 0.05;
// A cylinder touches with its cap if it leans less than 45 degrees.
constexpr double kCap = 0.70710678118654752;
// A segment that leans no more than this (sine) is seen as its end.
constexpr double kEndOn = 0.01;

// A line that leans more than this (sine) is touched at its end only.
constexpr double kLeaning = 0.2;

constexpr double kRimX[kRimPoints] = {1,  0.70710678118654752,  0, -0.70710678118654752,
                                      -1, -0.70710678118654752, 0, 0.70710678118654752};

double SignOf(double x) { return x < 0 ? -1.0 : 1.0; }

SupportPoint CylinderSupport(const Vector3& size, const Vector3& d) {
  const double length = std::hypot(d[0], d[1]);
  const double z = SignOf(d[2]) * size[2];
  if (!(length > 0)) return {Vector3(size[0], 0, z), -1};
  return {Vector3(size[0] * d[0] / length, size[0] * d[1] / length, z), -1};
}

SupportPoint EllipsoidSupport(const Vector3& size, const Vector3& d) {
  const Vector3 scaled = size.cwiseProduct(d);
  const double length = scaled.stableNorm();
  if (!(length > 0)) return {Vector3(0, 0, size[2]), -1};
  return {size.cwiseProduct(scaled) / length, -1};
}

// Corner k of a box has the sign of bit i of k along axis i.
Vector3 BoxCorner(const Vector3& size, int k) {
  return {(k & 1) != 0 ? size[0] : -size[0], (k & 2) != 0 ? size[1] : -size[1], (k & 4) != 0 ? size[2] : -size[2]};
}

SupportPoint BoxSupport(const Vector3& size, const Vector3& d) {
  const int k = (d[0] >= 0 ? 1 : 0) | (d[1] >= 0 ? 2 : 0) | (d[2] >= 0 ? 4 : 0);
  return {BoxCorner(size, k), k};
}

// Edges of a box: four along each axis, told apart by the signs along the two others.
int BoxEdge(int corner, int other) {
  const int axis_bit = corner ^ other;
  const int axis = axis_bit == 1 ? 0 : (axis_bit == 2 ? 1 : 2);
  const int low = corner & other;
  const int bits = ((low >> ((axis + 1) % 3)) & 1) | (((low >> ((axis + 2) % 3)) & 1) << 1);
  return 4 * axis + bits;
}

void BoxFeature(const Vector3& size, const Vector3& d, SupportFeature* out) {
  int axis = 0;
  d.cwiseAbs().maxCoeff(&axis);
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  const bool positive = d[axis] >= 0;
  const int base = positive ? 1 << axis : 0;
  int corners[4] = {base, base | 1 << u, base | 1 << u | 1 << v, base | 1 << v};
  if (!positive) std::swap(corners[1], corners[3]);
  out->face_id = FeatureId(FeatureKind::Face, 2 * axis + (positive ? 1 : 0));
  out->normal = Vector3::Zero();
  out->normal[axis] = positive ? 1 : -1;
  for (int i = 0; i < 4; ++i) {
    out->Add(BoxCorner(size, corners[i]), FeatureId(FeatureKind::Vertex, corners[i]),
             FeatureId(FeatureKind::Edge, BoxEdge(corners[i], corners[(i + 1) % 4])));
  }
}

void CylinderFeature(const ConvexCore& core, const Vector3& d, SupportFeature* out) {
  const SupportPoint deepest = CalcSupport(core, d);
  const int side = d[2] < 0 ? -1 : 1, top = side > 0 ? 1 : 0;
  if (std::abs(d[2]) < kCap) {  // a line of the mantle
    out->face_id = FeatureId(FeatureKind::Edge, 2);
    const Vector3& p = deepest.p;
    out->Add(Vector3(p[0], p[1], -core.size[2]), FeatureId(FeatureKind::Vertex, 0), out->face_id);
    out->Add(Vector3(p[0], p[1], core.size[2]), FeatureId(FeatureKind::Vertex, 1), out->face_id);
    return;
  }
  // The cap: fixed rim points, and the deepest one among them where the cylinder leans.
  out->face_id = FeatureId(FeatureKind::Face, top);
  out->normal = Vector3(0, 0, side);
  const bool leans = std::hypot(d[0], d[1]) > 1e-9;
  const double angle = leans ? std::atan2(side * d[1], d[0]) : 0;
  const double turns = angle / (2 * M_PI) * kRimPoints;
  const int after = ((static_cast<int>(std::floor(turns)) % kRimPoints) + kRimPoints) % kRimPoints;
  for (int i = 0; i < kRimPoints; ++i) {
    // Counterclockwise seen from outside: backwards on the lower cap.
    const int k = side > 0 ? i : (kRimPoints - i) % kRimPoints;
    const int number = 2 + kRimPoints * top + k;
    const std::uint32_t edge = FeatureId(FeatureKind::Edge, number);
    const Vector3 p = RimPoint(core, k, side);
    if (!leans || (p - deepest.p).squaredNorm() > 1e-12 * core.size[0] * core.size[0]) {
      out->Add(p, FeatureId(FeatureKind::Vertex, number), edge);
    }
    if (leans && i == after) {
      out->Add(deepest.p, FeatureId(FeatureKind::Vertex, top), FeatureId(FeatureKind::Edge, 2 * kRimPoints + number));
    }
  }
}

// One edge of polygon `out` in place of it: the one that is most level along d, through the farthest point.
void KeepEdge(const Vector3& d, SupportFeature* out) {
  const int n = out->count();
  int best = 0;
  double best_height = -1e300;
  for (int i = 0; i < n; ++i) {
    const double height =
        d.dot(out->points[static_cast<std::size_t>(i)]) + d.dot(out->points[static_cast<std::size_t>((i + 1) % n)]);
    if (height > best_height) {
      best_height = height;
      best = i;
    }
  }
  const auto i = static_cast<std::size_t>(best), j = static_cast<std::size_t>((best + 1) % n);
  const Vector3 p = out->points[i], q = out->points[j];
  const std::uint32_t p_id = out->point_ids[i], q_id = out->point_ids[j], edge = out->edge_ids[i];
  out->Clear();
  out->face_id = edge;
  out->Add(p, p_id, edge);
  out->Add(q, q_id, edge);
}

void PolytopeFeature(const Polytope& polytope, const Vector3& d, SupportFeature* out) {
  const int vertex = CalcSupportVertex(polytope, d, -1);
  int face = -1;
  double best = -2;
  for (const int f : polytope.vertex_faces[vertex]) {
    const double along = polytope.face_normals[static_cast<std::size_t>(f)].dot(d);
    if (along <= best) continue;
    best = along;
    face = f;
  }
  const auto loop = polytope.face_vertices[face], edges = polytope.face_edges[face];
  for (std::size_t i = 0; i < loop.size(); ++i) {
    out->Add(polytope.vertices[static_cast<std::size_t>(loop[i])], FeatureId(FeatureKind::Vertex, loop[i]),
             FeatureId(FeatureKind::Edge, edges[i]));
  }
  out->face_id = FeatureId(FeatureKind::Face, face);
  out->normal = polytope.face_normals[static_cast<std::size_t>(face)];
  if (best < kEdgeOn) KeepEdge(d, out);
}

void TriangleFeature(const ConvexCore& core, const Vector3& d, SupportFeature* out) {
  const Vector3 area = (core.corners[1] - core.corners[0]).cross(core.corners[2] - core.corners[0]);
  const double length = area.norm();
  const bool edge_on = !(std::abs(area.dot(d)) > kEdgeOn * length);
  // Seen from behind it is turned, so that the order is the same as for other polygons; ids stay.
  const bool front = area.dot(d) >= 0;
  for (int i = 0; i < 3; ++i) {
    const int k = front ? i : 2 - i;
    const int edge = front ? k : (k + 2) % 3;
    out->Add(core.corners[k], FeatureId(FeatureKind::Vertex, k), FeatureId(FeatureKind::Edge, edge));
  }
  out->face_id = FeatureId(FeatureKind::Face, 0);
  if (length > 0) out->normal = area / (front ? length : -length);
  if (edge_on) KeepEdge(d, out);
}

}  // namespace

void SupportFeature::Clear() {
  points.clear();
  point_ids.clear();
  edge_ids.clear();
  normal.setZero();
  face_id = 0;
}

void SupportFeature::Add(const Vector3& p, std::uint32_t point_id, std::uint32_t edge_id) {
  points.push_back(p);
  point_ids.push_back(point_id);
  edge_ids.push_back(edge_id);
}

Vector3 RimPoint(const ConvexCore& cylinder, int i, int side) {
  return {cylinder.size[0] * kRimX[i], cylinder.size[0] * kRimX[(i + 6) % kRimPoints], side * cylinder.size[2]};
}

SupportPoint CalcSupport(const ConvexCore& core, const Vector3& d, int start) {
  switch (core.kind) {
    case CoreKind::Point: return {Vector3::Zero(), 0};
    case CoreKind::Segment: return {Vector3(0, 0, SignOf(d[2]) * core.size[2]), d[2] < 0 ? 0 : 1};
    case CoreKind::Cylinder: return CylinderSupport(core.size, d);
    case CoreKind::Ellipsoid: return EllipsoidSupport(core.size, d);
    case CoreKind::Box: return BoxSupport(core.size, d);
    case CoreKind::Polytope: {
      const int v = CalcSupportVertex(*core.polytope, d, start);
      return {core.polytope->vertices[static_cast<std::size_t>(v)], v};
    }
    case CoreKind::Triangle: {
      const double h[3] = {d.dot(core.corners[0]), d.dot(core.corners[1]), d.dot(core.corners[2])};
      const int k = h[0] >= h[1] ? (h[0] >= h[2] ? 0 : 2) : (h[1] >= h[2] ? 1 : 2);
      return {core.corners[k], k};
    }
  }
  return {Vector3::Zero(), -1};
}

void CalcSupportFeature(const ConvexCore& core, const Vector3& d, SupportFeature* out) {
  out->Clear();
  switch (core.kind) {
    case CoreKind::Point:
      out->Add(Vector3::Zero(), FeatureId(FeatureKind::Vertex, 0), 0);
      out->face_id = out->point_ids[0];
      return;
    case CoreKind::Segment:
      out->face_id = FeatureId(FeatureKind::Edge, 0);
      for (int end = 0; end < 2; ++end) {
        if (std::hypot(d[0], d[1]) < kEndOn && (end == 1) != (d[2] >= 0)) continue;
        out->Add(Vector3(0, 0, end == 0 ? -core.size[2] : core.size[2]), FeatureId(FeatureKind::Vertex, end),
                 out->face_id);
      }
      return;
    case CoreKind::Ellipsoid:
      out->Add(CalcSupport(core, d).p, FeatureId(FeatureKind::Whole, 0), 0);
      out->face_id = out->point_ids[0];
      return;
    case CoreKind::Cylinder: CylinderFeature(core, d, out); return;
    case CoreKind::Box: BoxFeature(core.size, d, out); return;
    case CoreKind::Polytope: PolytopeFeature(*core.polytope, d, out); return;
    case CoreKind::Triangle: TriangleFeature(core, d, out); return;
  }
}

bool CalcSupportLine(const ConvexCore& core, const Vector3& d, const Vector3& p, const Vector3& other,
                     SupportLine* out) {
  const bool is_box = core.kind == CoreKind::Box;
  if (!is_box && core.kind != CoreKind::Segment && core.kind != CoreKind::Cylinder) return false;
  int axis = 2;
  if (is_box) {
    int face = 0;
    d.cwiseAbs().maxCoeff(&face);
    const int u = (face + 1) % 3, v = (face + 2) % 3;
    axis = std::abs(other[u]) > std::abs(other[v]) ? u : v;
  }
  if (!(std::abs(d[axis]) < kLeaning)) return false;
  out->middle.setZero();
  out->sides.setZero();
  out->along = Vector3::Unit(axis);
  out->half = core.size[axis];
  out->round = core.kind == CoreKind::Cylinder ? core.size[0] : 0;
  out->line_id = FeatureId(FeatureKind::Edge, core.kind == CoreKind::Cylinder ? 2 : 0);
  int corners[2] = {0, 1};
  if (is_box) {
    // Where d looks away from a face, only the point tells on which side of it.
    Vector3 look = d;
    for (int k = 0; k < 3; ++k) {
      if (std::abs(d[k]) < kLeaning) look[k] = p[k];
    }
    const int corner = BoxSupport(core.size, look).vertex;
    corners[0] = corner & ~(1 << axis);
    corners[1] = corner | 1 << axis;
    out->middle = 0.5 * (BoxCorner(core.size, corners[0]) + BoxCorner(core.size, corners[1]));
    out->sides = out->middle.cwiseSign();
    out->line_id = FeatureId(FeatureKind::Edge, BoxEdge(corners[0], corners[1]));
  }
  for (int end = 0; end < 2; ++end) out->end_ids[end] = FeatureId(FeatureKind::Vertex, corners[end]);
  return true;
}

double CalcExtent(const ConvexCore& core) {
  if (core.kind != CoreKind::Triangle) return core.size.maxCoeff();
  double extent = 0;
  for (const Vector3& p : core.corners) extent = std::max(extent, p.cwiseAbs().maxCoeff());
  return extent;
}

}  // namespace tactus
