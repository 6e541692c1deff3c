// Spheres, boxes, capsules and cylinders: exact everywhere.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "tactus/core/error.h"
#include "tactus/geometry/fields/fields.h"
#include "tactus/geometry/fields/revolved_mesh.h"

namespace tactus {

namespace {

constexpr double kQuarter = std::numbers::pi / 2;

void RequireSizes(const char* where, std::initializer_list<double> sizes, double edge) {
  for (const double size : sizes)
    Require(size > 0 && std::isfinite(size), where, "a size is not positive", "sizes > 0");
  Require(edge > 0, where, "the edge length of its triangles is not positive", "edge > 0");
}

// Parallel to the axis, the sphere or the end: any direction away from it.
double DistanceFrom(const Vector3& difference, Vector3* gradient, const Vector3& otherwise) {
  const double distance = difference.norm();
  if (gradient != nullptr) *gradient = distance > 0 ? Vector3(difference / distance) : otherwise;
  return distance;
}

class SphereField final : public SignedDistanceField {
 public:
  SphereField(double radius, double edge) : radius_(radius) {
    OutlineBuilder outline(edge);
    outline.AddArc(Vector2::Zero(), radius, -kQuarter, kQuarter);
    RevolvedMesh revolved = MakeRevolvedMesh(outline.points(), edge);
    SetSurface(std::move(revolved.mesh), outline.error() + revolved.error);
  }
  double Evaluate(const Vector3& p, Vector3* gradient) const override {
    return DistanceFrom(p, gradient, Vector3::UnitZ()) - radius_;
  }
  bool CalcSupport(const Vector3& d, Vector3* point) const override {
    *point = radius_ * d.normalized();
    return true;
  }

 private:
  double radius_;
};

class CapsuleField final : public SignedDistanceField {
 public:
  CapsuleField(double radius, double half, double edge) : radius_(radius), half_(half) {
    OutlineBuilder outline(edge);
    outline.AddArc(Vector2(0, -half), radius, -kQuarter, 0);
    outline.AddLine(Vector2(radius, -half), Vector2(radius, half));
    outline.AddArc(Vector2(0, half), radius, 0, kQuarter);
    RevolvedMesh revolved = MakeRevolvedMesh(outline.points(), edge);
    SetSurface(std::move(revolved.mesh), outline.error() + revolved.error);
  }
  double Evaluate(const Vector3& p, Vector3* gradient) const override {
    return DistanceFrom(Vector3(p[0], p[1], p[2] - std::clamp(p[2], -half_, half_)), gradient, Vector3::UnitX()) -
           radius_;
  }
  bool CalcSupport(const Vector3& d, Vector3* point) const override {
    *point = radius_ * d.normalized() + Vector3(0, 0, d[2] < 0 ? -half_ : half_);
    return true;
  }

 private:
  double radius_, half_;
};

class CylinderField final : public SignedDistanceField {
 public:
  CylinderField(double radius, double half, double edge) : radius_(radius), half_(half) {
    OutlineBuilder outline(edge);
    outline.AddLine(Vector2(0, -half), Vector2(radius, -half));
    outline.AddLine(Vector2(radius, -half), Vector2(radius, half));
    outline.AddLine(Vector2(radius, half), Vector2(0, half));
    RevolvedMesh revolved = MakeRevolvedMesh(outline.points(), edge);
    SetSurface(std::move(revolved.mesh), revolved.error);
  }
  double Evaluate(const Vector3& p, Vector3* gradient) const override {
    const double rho = std::hypot(p[0], p[1]);
    const Vector3 radial = rho > 0 ? Vector3(p[0] / rho, p[1] / rho, 0) : Vector3(Vector3::UnitX());
    const Vector3 axial(0, 0, p[2] < 0 ? -1 : 1);
    const double over_rim = rho - radius_, over_cap = std::abs(p[2]) - half_;
    if (over_rim > 0 && over_cap > 0) {
      const double distance = std::hypot(over_rim, over_cap);
      if (gradient != nullptr) *gradient = (over_rim * radial + over_cap * axial) / distance;
      return distance;
    }
    if (gradient != nullptr) *gradient = over_rim > over_cap ? radial : axial;
    return std::max(over_rim, over_cap);
  }
  bool CalcSupport(const Vector3& d, Vector3* point) const override {
    const double rho = std::hypot(d[0], d[1]);
    *point = Vector3(0, 0, d[2] < 0 ? -half_ : half_);
    if (rho > 0) *point += radius_ / rho * Vector3(d[0], d[1], 0);
    return true;
  }

 private:
  double radius_, half_;
};

class BoxField final : public SignedDistanceField {
 public:
  BoxField(const Vector3& half, double edge) : half_(half) { SetSurface(MakeMesh(edge), 0); }

  double Evaluate(const Vector3& p, Vector3* gradient) const override {
    const Vector3 over = p.cwiseAbs() - half_;
    const auto sign = [&](int i) { return p[i] < 0 ? -1.0 : 1.0; };
    int axis = 0;
    const double most = over.maxCoeff(&axis);
    if (most <= 0) {
      if (gradient != nullptr) *gradient = sign(axis) * Vector3::Unit(axis);
      return most;
    }
    const Vector3 outside = over.cwiseMax(0);
    // Scaled: the square of a tiny distance may be zero.
    const double distance = most * (outside / most).norm();
    if (gradient != nullptr) {
      for (int i = 0; i < 3; ++i) (*gradient)[i] = sign(i) * outside[i] / distance;
    }
    return distance;
  }
  bool CalcSupport(const Vector3& d, Vector3* point) const override {
    for (int i = 0; i < 3; ++i) (*point)[i] = d[i] < 0 ? -half_[i] : half_[i];
    return true;
  }

 private:
  // A grid on each face; vertices on edges and corners are shared.
  TriangleMesh MakeMesh(double edge) const {
    std::array<int, 3> cells{};
    for (int i = 0; i < 3; ++i)
      cells[static_cast<std::size_t>(i)] = std::max(1, static_cast<int>(std::ceil(2 * half_[i] / edge - 1e-9)));
    TriangleMesh mesh;
    std::map<std::array<int, 3>, int> numbers;
    const auto vertex = [&](const std::array<int, 3>& at) {
      const auto [entry, added] = numbers.try_emplace(at, static_cast<int>(mesh.vertices.size()));
      if (added) {
        Vector3 p;
        for (int i = 0; i < 3; ++i) {
          const auto k = static_cast<std::size_t>(i);
          p[i] = half_[i] * (2.0 * at[k] / cells[k] - 1);
        }
        mesh.vertices.push_back(p);
      }
      return entry->second;
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
      for (const int side : {0, 1}) {
        for (int i = 0; i < cells[u]; ++i) {
          for (int j = 0; j < cells[v]; ++j) {
            const auto at = [&](int a, int b) {
              std::array<int, 3> k{};
              k[axis] = side * cells[axis];
              k[u] = i + a;
              k[v] = j + b;
              return vertex(k);
            };
            const int p = at(0, 0), q = side == 1 ? at(1, 0) : at(0, 1), r = at(1, 1),
                      s = side == 1 ? at(0, 1) : at(1, 0);
            mesh.triangles.push_back({p, q, r});
            mesh.triangles.push_back({p, r, s});
          }
        }
      }
    }
    return mesh;
  }

  Vector3 half_;
};

}  // namespace

FieldPointer MakeSphereField(double radius, double edge) {
  RequireSizes("sphere field", {radius}, edge);
  return std::make_shared<SphereField>(radius, edge);
}

FieldPointer MakeBoxField(const Vector3& half, double edge) {
  RequireSizes("box field", {half[0], half[1], half[2]}, edge);
  return std::make_shared<BoxField>(half, edge);
}

FieldPointer MakeCapsuleField(double radius, double half_length, double edge) {
  RequireSizes("capsule field", {radius, half_length}, edge);
  return std::make_shared<CapsuleField>(radius, half_length, edge);
}

FieldPointer MakeCylinderField(double radius, double half_length, double edge) {
  RequireSizes("cylinder field", {radius, half_length}, edge);
  return std::make_shared<CylinderField>(radius, half_length, edge);
}

}  // namespace tactus
