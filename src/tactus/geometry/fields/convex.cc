// Ellipsoids and convex hulls: exact everywhere.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tactus/core/error.h"
#include "tactus/geometry/closest_on_triangle.h"
#include "tactus/geometry/fields/fields.h"

namespace tactus {

namespace {

class EllipsoidField final : public SignedDistanceField {
 public:
  EllipsoidField(const Vector3& axes, double edge) : axes_(axes) {
    const double scale = axes.maxCoeff();
    const FieldPointer sphere = MakeSphereField(1, edge / scale);
    TriangleMesh mesh = sphere->surface();
    for (Vector3& p : mesh.vertices) p = p.cwiseProduct(axes);
    SetSurface(std::move(mesh), scale * sphere->surface_error());
  }

  double Evaluate(const Vector3& p, Vector3* gradient) const override {
    // The nearest point y has p - y = t y / axes^2, with t the greatest root of
    //   g(t) = sum (axes p / (axes^2 + t))^2 - 1,  t >= -min axes^2,
    // which falls and is convex there: Newton's method from the left never passes the root. Next to the middle plane of
    // the thinnest axis the root is next to -min axes^2, so it is their difference w that is searched for.
    const Eigen::Array3d s = axes_.array(), q = p.array().abs(), s2 = s * s;
    int thin = 0;
    const double least = s2.minCoeff(&thin);
    const Eigen::Array3d above = s2 - least;
    double w = std::max((s * q - above).maxCoeff(), 0.0);
    const auto over = [&](const Eigen::Array3d& x) -> Eigen::Array3d { return (q > 0).select(x / (above + w), 0); };
    for (int i = 0; i < 60; ++i) {
      const Eigen::Array3d u = over(s * q);
      const double g = u.square().sum() - 1, slope = -2 * over(u.square()).sum();
      if (!(g > 0) || !(slope < 0)) break;
      const double next = w - g / slope;
      if (!(next > w)) break;
      w = next;
    }
    Eigen::Array3d y = over(s2 * q);
    // In that plane, deep inside: straight out along the thinnest axis.
    if (w == 0) y[thin] = s[thin] * std::sqrt(std::max(0.0, 1 - (y / s).square().sum()));
    if (gradient != nullptr) {
      const Vector3 n = (y / s2).matrix().normalized();
      for (int i = 0; i < 3; ++i) (*gradient)[i] = p[i] < 0 ? -n[i] : n[i];
    }
    const double distance = (q - y).matrix().norm();
    return (q / s).square().sum() < 1 ? -distance : distance;
  }

  bool CalcSupport(const Vector3& d, Vector3* point) const override {
    const Vector3 scaled = axes_.cwiseProduct(d);
    *point = axes_.cwiseProduct(scaled.normalized());
    return true;
  }

 private:
  Vector3 axes_;
};

class ConvexField final : public SignedDistanceField {
 public:
  explicit ConvexField(const TriangleMesh& hull) {
    for (const auto& t : hull.triangles) {
      const auto at = [&](std::size_t i) { return hull.vertices[static_cast<std::size_t>(t[i])]; };
      const Vector3 area = (at(1) - at(0)).cross(at(2) - at(0));
      if (area.norm() > 0) faces_.push_back({area.normalized(), {at(0), at(1), at(2)}});
    }
    Require(!faces_.empty(), "convex field", "the hull has no faces", "a closed convex mesh");
    SetSurface(hull, 0);
  }

  double Evaluate(const Vector3& p, Vector3* gradient) const override {
    double highest = -std::numeric_limits<double>::infinity();
    const Face* top = &faces_[0];
    for (const Face& face : faces_) {
      const double height = face.normal.dot(p - face.corners[0]);
      if (height > highest) {
        highest = height;
        top = &face;
      }
    }
    if (gradient != nullptr) *gradient = top->normal;
    if (highest <= 0) return highest;
    // Outside: the nearest of the faces that look here.
    double least2 = std::numeric_limits<double>::infinity();
    Vector3 nearest = Vector3::Zero();
    for (const Face& face : faces_) {
      const double height = face.normal.dot(p - face.corners[0]);
      if (height <= 0 || height * height >= least2) continue;
      const auto& c = face.corners;
      const Vector3 w = ClosestOnTriangle(p, c[0], c[1], c[2]);
      const Vector3 difference = p - (w[0] * c[0] + w[1] * c[1] + w[2] * c[2]);
      if (difference.squaredNorm() >= least2) continue;
      least2 = difference.squaredNorm();
      nearest = difference;
    }
    const double distance = std::sqrt(least2);
    // Of points that nearly touch, only the face knows the direction.
    if (!(distance > highest * (1 + 1e-12)) || distance < 1e-12 * p.norm()) return highest;
    if (gradient != nullptr) *gradient = nearest / distance;
    return distance;
  }

  bool CalcSupport(const Vector3& d, Vector3* point) const override {
    *point = faces_[0].corners[0];
    for (const Vector3& p : surface().vertices) *point = d.dot(p) > d.dot(*point) ? p : *point;
    return true;
  }

 private:
  struct Face {
    Vector3 normal;
    Vector3 corners[3];
  };
  std::vector<Face> faces_;
};

}  // namespace

FieldPointer MakeEllipsoidField(const Vector3& axes, double edge) {
  Require(axes.allFinite() && axes.minCoeff() > 0 && edge > 0, "ellipsoid field", "a size is not positive",
          "sizes > 0");
  return std::make_shared<EllipsoidField>(axes, edge);
}

FieldPointer MakeConvexField(const TriangleMesh& hull) { return std::make_shared<ConvexField>(hull); }

}  // namespace tactus
