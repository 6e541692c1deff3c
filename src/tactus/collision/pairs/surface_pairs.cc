// A convex shape on a surface of triangles: triangle by triangle, each aware of its neighbours. Where triangles meet in
// a plane or a dent, the edge between them is not there for the shape: no contact has its normal from it, and no point
// is put on it.
#include <algorithm>
#include <cmath>

#include "tactus/collision/pairs/pairs.h"

namespace tactus {

namespace {

// Slack (sine) for normals at the limits of what an edge or vertex may have.
constexpr double kSlack = 1e-6;
// Of the shape's size: points nearer to each other are one.
constexpr double kSamePlace = 1e-5;

using Triangle = TriangleSurface::Triangle;

class SurfaceCollider {
 public:
  SurfaceCollider(const PairInput& in, CollisionScratch* scratch, ContactManifold* out)
      : in_(in),
        core_(in.a.core()),
        surface_(*in.b.surface()),
        scratch_(*scratch),
        out_(*out),
        X_SA_(in.X_WB.R.transpose() * in.X_WA.R, in.X_WB.R.transpose() * (in.X_WA.p - in.X_WB.p)),
        X_AS_(X_SA_.R.transpose(), Vector3::Zero()),
        centre_(X_SA_.R * in.a.centre()) {}

  void Run() {
    const Aabb box = in_.a.CalcBox(X_SA_).Padded(in_.margin);
    surface_.Find(box, &scratch_.stack, &scratch_.triangles);
    triangle_.kind = CoreKind::Triangle;
    for (const int t : scratch_.triangles) Collide(t);
  }

 private:
  void Collide(int t) {
    const Triangle& triangle = surface_.triangle(t);
    if (triangle.normal.isZero()) return;
    // Triangle in the surface's axes, about the shape's position: small numbers.
    for (std::size_t i = 0; i < 3; ++i) triangle_.corners[i] = surface_.vertex(triangle.vertex[i]) - X_SA_.p;
    // The side to be pushed to: outside, or for sheets where the shape is.
    const double height = triangle.normal.dot(centre_ - triangle_.corners[0]);
    const bool flip = !surface_.one_sided() && height < 0;
    const Vector3 face_normal = flip ? Vector3(-triangle.normal) : triangle.normal;
    MinkowskiDifference difference(core_, triangle_, X_AS_);
    const double limit = in_.margin + core_.radius;
    const double along = difference.CalcSeparation(X_AS_.R * face_normal);
    if (along > limit) return;  // most triangles go here
    CoreSeparation separation;
    bool natural = false;
    if (!surface_.flat_triangle(triangle)) {
      separation = CalcSeparation(&difference, limit, &scratch_.convex);
      if (!separation.within) return;
      const Vector3 n_S = X_SA_.R * separation.normal;
      const bool from_behind = face_normal.dot(n_S) < -kSlack;
      if (from_behind && separation.gap > 0) return;
      natural = !from_behind && IsNatural(triangle, n_S);
    }
    if (!natural) {
      // The larger part is behind: that is another triangle's matter.
      if (surface_.one_sided() && height < 0) return;
      separation.normal = X_AS_.R * face_normal;
      separation.gap = along;
    }
    if (separation.gap - core_.radius > in_.margin) return;
    ClipScratch& clip = scratch_.convex.clip;
    clip.points.clear();
    FindFeatures(difference, separation.normal, &clip);
    if (natural) SnapToFaces(&difference, &separation, &clip);
    // Along the face's own normal clipping finds all; a nearest point on its border is the neighbour's, too.
    const bool along_face = face_normal.dot(X_SA_.R * separation.normal) > 1 - 1e-12;
    MakeManifold(&difference, separation, in_.margin, natural && !along_face, &clip);
    for (const LocalContact& contact : clip.points) Append(contact, t);
  }

  // Whether the surface may push along n where the triangle is farthest along it: no neighbour is in the way.
  bool IsNatural(const Triangle& triangle, const Vector3& n) const {
    double height[3];
    double size = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      height[i] = n.dot(triangle_.corners[i]);
      size = std::max(size, (triangle_.corners[i] - triangle_.corners[0]).cwiseAbs().maxCoeff());
    }
    const double top = *std::max_element(height, height + 3) - kSlack * size;
    int first = -1, count = 0;
    for (int i = 0; i < 3; ++i) {
      if (height[i] < top) continue;
      ++count;
      first = i;
    }
    if (count == 3) return true;
    if (count == 2) {
      const std::size_t lower = height[0] < top ? 0 : (height[1] < top ? 1 : 2);
      const std::size_t edge = (lower + 1) % 3;
      const int across = triangle.opposite[edge];
      return across < 0 || Below(n, triangle.vertex[edge], across);
    }
    const int vertex = triangle.vertex[static_cast<std::size_t>(first)];
    const auto neighbours = surface_.vertex_neighbours()[vertex];
    return std::all_of(neighbours.begin(), neighbours.end(), [&](int other) { return Below(n, vertex, other); });
  }

  bool Below(const Vector3& n, int vertex, int other) const {
    const Vector3 d = surface_.vertex(other) - surface_.vertex(vertex);
    return n.dot(d) <= kSlack * d.norm();
  }

  void Append(const LocalContact& local, int t) {
    const Triangle& triangle = surface_.triangle(t);
    const auto kind = static_cast<FeatureKind>(local.feature_b >> 30);
    const auto k = static_cast<std::size_t>(local.feature_b & 0x3fffffffu) % 3;
    std::uint32_t feature = FeatureId(FeatureKind::Face, t);
    if (kind == FeatureKind::Vertex) {
      if (!surface_.sharp_vertex(triangle.vertex[k])) return;
      feature = FeatureId(FeatureKind::Vertex, triangle.vertex[k]);
    } else if (kind == FeatureKind::Edge) {
      if (!surface_.sharp_edge(triangle.edge[k])) return;
      feature = FeatureId(FeatureKind::Edge, triangle.edge[k]);
    }
    const ContactPoint contact{in_.X_WA * local.point, in_.X_WA.R * local.normal, local.gap,
                               PairFeature(local.feature_a, feature)};
    // Triangles that share the feature find it, too; those that share only the place are as superfluous.
    const double same = kSamePlace * (CalcExtent(core_) + core_.radius);
    for (ContactPoint& other : out_.points) {
      const bool alike = other.normal.dot(contact.normal) > 1 - 1e-9;
      if (other.feature != contact.feature && !(alike && (other.point - contact.point).cwiseAbs().maxCoeff() <= same)) {
        continue;
      }
      if (contact.gap < other.gap) other = contact;
      return;
    }
    out_.points.push_back(contact);
  }

  const PairInput& in_;
  const ConvexCore& core_;
  const TriangleSurface& surface_;
  CollisionScratch& scratch_;
  ContactManifold& out_;
  Pose X_SA_, X_AS_;
  Vector3 centre_;  // of the shape, in the surface's axes about the shape's position
  ConvexCore triangle_;
};

}  // namespace

void CollideConvexSurface(const PairInput& in, CollisionScratch* scratch, ContactManifold* out) {
  SurfaceCollider(in, scratch, out).Run();
}

}  // namespace tactus
