#include "tactus/collision/feature_clip.h"

#include <algorithm>
#include <cmath>

namespace tactus {

namespace {

// Of the features' size: points this far outside still count as inside, so that equal faces on each other keep their
// corners while rounding moves them.
constexpr double kOutside = 1e-6;
// Segments whose directions across the normal have a sine below this lie along each other.
constexpr double kParallel = 1e-3;

using Corner = ClipScratch::Corner;

double Cross(const Vector2& p, const Vector2& q) { return p[0] * q[1] - p[1] * q[0]; }

class Clipper {
 public:
  Clipper(const Vector3& normal, double radius_a, double radius_b, double least, double margin, ClipScratch* clip)
      : n_(normal), radius_a_(radius_a), radius_b_(radius_b), least_(least), margin_(margin), c_(*clip) {
    int axis = 0;
    n_.cwiseAbs().minCoeff(&axis);
    t1_ = n_.cross(Vector3::Unit(axis)).normalized();
    t2_ = n_.cross(t1_);
    origin_ = c_.a.points[0];
    double size = 0;
    Flatten(c_.a, &c_.flat_a, &size);
    Flatten(c_.b, &c_.flat_b, &size);
    tolerance_ = kOutside * size;
  }

  void Run() {
    const int count_a = c_.a.count(), count_b = c_.b.count();
    if (count_b >= 3) {
      const Plane plane_b = FitPlane(c_.b, c_.flat_b);
      StartWithA();
      ClipByB();
      for (const Corner& corner : c_.corners) {
        Emit(corner.u, corner.height_a, plane_b.At(corner.u), corner.feature_a, corner.feature_b);
      }
    } else if (count_a >= 3) {
      ClipBByA();
    } else if (count_a == 2 && count_b == 2) {
      OverlapSegments();
    }
    // A point against a segment or a point: the nearest point is all there is.
  }

 private:
  struct Plane {
    Vector2 slope;
    double offset;
    double At(const Vector2& u) const { return offset + slope.dot(u); }
  };

  void Flatten(const SupportFeature& feature, std::vector<Vector3>* flat, double* size) const {
    flat->clear();
    for (const Vector3& p : feature.points) {
      const Vector3 r = p - origin_;
      flat->emplace_back(t1_.dot(r), t2_.dot(r), n_.dot(r));
      *size = std::max({*size, std::abs(flat->back()[0] - (*flat)[0][0]), std::abs(flat->back()[1] - (*flat)[0][1])});
    }
  }

  // Height over the position across the normal, in the plane of a polygon.
  Plane FitPlane(const SupportFeature& feature, const std::vector<Vector3>& flat) const {
    const Vector3 m(t1_.dot(feature.normal), t2_.dot(feature.normal), n_.dot(feature.normal));
    Plane plane;
    plane.slope = -m.head<2>() / m[2];
    const Vector3& p = flat[0];
    plane.offset = p[2] - plane.slope.dot(p.head<2>());
    return plane;
  }

  void Emit(const Vector2& u, double height_a, double height_b, std::uint32_t feature_a, std::uint32_t feature_b) {
    const double low = height_b + radius_b_, high = height_a - radius_a_;
    if (!(high - low <= margin_)) return;
    LocalContact contact;
    contact.point = origin_ + u[0] * t1_ + u[1] * t2_ + 0.5 * (low + high) * n_;
    contact.normal = n_;
    contact.gap = std::max(high - low, least_);  // what is outside by a hair may seem deeper
    contact.feature_a = feature_a;
    contact.feature_b = feature_b;
    c_.points.push_back(contact);
  }

  void StartWithA() {
    c_.corners.clear();
    for (int i = 0; i < c_.a.count(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      const Vector3& p = c_.flat_a[k];
      c_.corners.push_back({p.head<2>(), p[2], c_.a.point_ids[k], c_.b.face_id, i});
    }
  }

  // Sutherland and Hodgman, with labels. A single segment is an outline of two corners, there and back.
  void ClipByB() {
    const int count = c_.b.count();
    // Seen along the normal b's outline runs counterclockwise: it looks along the normal.
    for (int j = 0; j < count && !c_.corners.empty(); ++j) {
      const Vector2 from = c_.flat_b[static_cast<std::size_t>(j)].head<2>();
      Vector2 along = c_.flat_b[static_cast<std::size_t>((j + 1) % count)].head<2>() - from;
      const double length = along.norm();
      if (!(length > 0)) continue;
      along /= length;
      const auto inside = [&](const Corner& corner) { return Cross(along, corner.u - from); };
      c_.clipped.clear();
      const std::size_t n = c_.corners.size();
      for (std::size_t i = 0; i < n; ++i) {
        const Corner& here = c_.corners[i];
        const Corner& next = c_.corners[(i + 1) % n];
        const double d0 = inside(here), d1 = inside(next);
        const bool in0 = d0 >= -tolerance_, in1 = d1 >= -tolerance_;
        if (in0) c_.clipped.push_back(here);
        if (in0 == in1 || (n == 2 && i == 1)) continue;
        if (in0 && d0 <= tolerance_) {  // the corner is where the cut would be
          c_.clipped.back().edge = -1 - j;
          continue;
        }
        if (in1 && d1 <= tolerance_) continue;
        const double t = d0 / (d0 - d1);
        Corner cut;
        cut.u = here.u + t * (next.u - here.u);
        cut.height_a = here.height_a + t * (next.height_a - here.height_a);
        Label(here.edge, j, &cut);
        cut.edge = in0 ? -1 - j : here.edge;
        c_.clipped.push_back(cut);
      }
      c_.corners.swap(c_.clipped);
    }
  }

  // What it is that lies where an edge of the outline meets edge j of b.
  void Label(int outline_edge, int j, Corner* corner) const {
    const int count = c_.b.count();
    if (outline_edge >= 0) {
      corner->feature_a = c_.a.count() == 2 ? c_.a.face_id : c_.a.edge_ids[static_cast<std::size_t>(outline_edge)];
      corner->feature_b = c_.b.edge_ids[static_cast<std::size_t>(j)];
      return;
    }
    const int other = -1 - outline_edge;
    const int vertex = (other + 1) % count == j ? j : (j + 1) % count;
    corner->feature_a = c_.a.face_id;
    corner->feature_b = c_.b.point_ids[static_cast<std::size_t>(vertex)];
  }

  // The segment or point b over polygon a.
  void ClipBByA() {
    const Plane plane_a = FitPlane(c_.a, c_.flat_a);
    const int count = c_.a.count();
    const bool segment = c_.b.count() == 2;
    const Vector3 p = c_.flat_b[0], q = segment ? c_.flat_b[1] : p;
    double t0 = 0, t1 = 1;
    std::uint32_t id0 = 0, id1 = 0;  // edges of a that cut, 0 where the ends are inside
    for (int j = 0; j < count; ++j) {
      const Vector2 from = c_.flat_a[static_cast<std::size_t>(j)].head<2>();
      Vector2 along = c_.flat_a[static_cast<std::size_t>((j + 1) % count)].head<2>() - from;
      const double length = along.norm();
      if (!(length > 0)) continue;
      // a looks against the normal: its outline runs clockwise.
      along /= -length;
      const double d0 = Cross(along, p.head<2>() - from), d1 = Cross(along, q.head<2>() - from);
      if (d0 < -tolerance_ && d1 < -tolerance_) return;
      const std::uint32_t edge = c_.a.edge_ids[static_cast<std::size_t>(j)];
      if (d0 >= -tolerance_ && d1 >= -tolerance_) continue;
      const double t = std::clamp(d0 / (d0 - d1), 0.0, 1.0);
      if (d0 < d1 && t > t0) {
        t0 = t;
        id0 = edge;
      } else if (d0 > d1 && t < t1) {
        t1 = t;
        id1 = edge;
      }
    }
    if (t0 > t1) return;
    const auto emit = [&](double t, std::uint32_t edge, std::size_t end) {
      const Vector3 x = p + t * (q - p);
      const Vector2 u = x.head<2>();
      const bool cut = edge != 0;
      Emit(u, plane_a.At(u), x[2], cut ? edge : c_.a.face_id, cut ? c_.b.face_id : c_.b.point_ids[end]);
    };
    emit(t0, id0, 0);
    if (segment) emit(t1, id1, 1);
  }

  void OverlapSegments() {
    const Vector2 a0 = c_.flat_a[0].head<2>(), b0 = c_.flat_b[0].head<2>();
    Vector2 da = c_.flat_a[1].head<2>() - a0;
    const Vector2 db = c_.flat_b[1].head<2>() - b0;
    const double length_a = da.norm(), length_b = db.norm();
    if (!(std::abs(Cross(da, db)) <= kParallel * length_a * length_b) || !(length_a > 0) || !(length_b > 0)) return;
    da /= length_a;
    // b's ends along a, and the heights there.
    double s[2] = {da.dot(b0 - a0), da.dot(b0 + db - a0)};
    double h[2] = {c_.flat_b[0][2], c_.flat_b[1][2]};
    std::size_t order[2] = {0, 1};
    if (s[0] > s[1]) {
      std::swap(s[0], s[1]);
      std::swap(h[0], h[1]);
      std::swap(order[0], order[1]);
    }
    if (s[1] < 0 || s[0] > length_a) return;
    for (std::size_t end = 0; end < 2; ++end) {
      const double a_end = end == 0 ? 0 : length_a;
      const bool b_ends = end == 0 ? s[0] > a_end : s[1] < a_end;
      const double at = b_ends ? s[end] : a_end;
      const double tb = (at - s[0]) / (s[1] - s[0]), ta = at / length_a;
      const double height_b = h[0] + tb * (h[1] - h[0]);
      const double height_a = c_.flat_a[0][2] + ta * (c_.flat_a[1][2] - c_.flat_a[0][2]);
      const double along_b = order[0] == 0 ? tb : 1 - tb;
      const Vector2 u = 0.5 * (a0 + at * da + b0 + along_b * db);
      Emit(u, height_a, height_b, b_ends ? c_.a.face_id : c_.a.point_ids[end],
           b_ends ? c_.b.point_ids[order[end]] : c_.b.face_id);
    }
  }

  Vector3 n_, t1_, t2_, origin_;
  double radius_a_, radius_b_, least_, margin_;
  double tolerance_ = 0;
  ClipScratch& c_;
};

}  // namespace

void ClipFeatures(const Vector3& normal, double radius_a, double radius_b, double least, double margin,
                  ClipScratch* clip) {
  Clipper(normal, radius_a, radius_b, least, margin, clip).Run();
}

}  // namespace tactus
