#include "tactus/geometry/mass_properties.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace tactus {

namespace {

constexpr double kPi = std::numbers::pi;

MassProperties Diagonal(double measure, const Vector3& inertia) {
  return {measure, Vector3::Zero(), inertia.asDiagonal()};
}

}  // namespace

std::optional<MassProperties> CalcSolid(const Shape& shape) {
  const Vector3& s = shape.size;
  const double r = s[0], h = s[1], r2 = r * r;
  switch (shape.type) {
    case ShapeType::Sphere: {
      const double volume = 4.0 / 3 * kPi * r2 * r;
      return Diagonal(volume, Vector3::Constant(0.4 * volume * r2));
    }
    case ShapeType::Capsule: {
      const double ball = 4.0 / 3 * kPi * r2 * r, tube = 2 * kPi * r2 * h;
      const double across = tube * (r2 / 4 + h * h / 3) + ball * (0.4 * r2 + 0.75 * r * h + h * h);
      return Diagonal(ball + tube, {across, across, tube * r2 / 2 + 0.4 * ball * r2});
    }
    case ShapeType::Cylinder: {
      const double volume = 2 * kPi * r2 * h, across = volume * (r2 / 4 + h * h / 3);
      return Diagonal(volume, {across, across, volume * r2 / 2});
    }
    case ShapeType::Box:
    case ShapeType::Ellipsoid: {
      const bool box = shape.type == ShapeType::Box;
      const double volume = (box ? 8 : 4.0 / 3 * kPi) * s[0] * s[1] * s[2];
      const Vector3 squares = s.cwiseProduct(s) * (volume / (box ? 3 : 5));
      return Diagonal(volume, Vector3::Constant(squares.sum()) - squares);
    }
    default: return std::nullopt;
  }
}

std::optional<MassProperties> CalcShell(const Shape& shape) {
  const Vector3& s = shape.size;
  const double r = s[0], h = s[1], r2 = r * r;
  switch (shape.type) {
    case ShapeType::Sphere: {
      const double area = 4 * kPi * r2;
      return Diagonal(area, Vector3::Constant(area * r2 * 2 / 3));
    }
    case ShapeType::Capsule: {
      const double ball = 4 * kPi * r2, tube = 4 * kPi * r * h;
      const double across = tube * (r2 / 2 + h * h / 3) + ball * (r2 * 2 / 3 + r * h + h * h);
      return Diagonal(ball + tube, {across, across, tube * r2 + ball * r2 * 2 / 3});
    }
    case ShapeType::Cylinder: {
      const double discs = 2 * kPi * r2, tube = 4 * kPi * r * h;
      const double across = tube * (r2 / 2 + h * h / 3) + discs * (r2 / 4 + h * h);
      return Diagonal(discs + tube, {across, across, tube * r2 + discs * r2 / 2});
    }
    case ShapeType::Box: {
      MassProperties sum;
      Vector3 moments = Vector3::Zero();  // of x^2, y^2, z^2
      for (int i = 0; i < 3; ++i) {
        // The two faces across axis i.
        const double area = 8 * s[(i + 1) % 3] * s[(i + 2) % 3];
        sum.measure += area;
        for (int k = 0; k < 3; ++k) moments[k] += area * s[k] * s[k] * (k == i ? 1 : 1.0 / 3);
      }
      sum.central = (Vector3::Constant(moments.sum()) - moments).asDiagonal();
      return sum;
    }
    default: return std::nullopt;
  }
}

MassProperties CalcMeshMass(const TriangleMesh& mesh, MeshMass kind) {
  MassProperties sum;
  const auto vertex = [&](int i) -> const Vector3& { return mesh.vertices[static_cast<std::size_t>(i)]; };
  const auto area_vector = [&](const std::array<int, 3>& t) {
    return Vector3((vertex(t[1]) - vertex(t[0])).cross(vertex(t[2]) - vertex(t[0])) / 2);
  };
  const auto middle = [&](const std::array<int, 3>& t) {
    return Vector3((vertex(t[0]) + vertex(t[1]) + vertex(t[2])) / 3);
  };
  // The surface's centroid.
  double area = 0;
  Vector3 centroid = Vector3::Zero();
  for (const auto& t : mesh.triangles) {
    const double a = area_vector(t).norm();
    area += a;
    centroid += a * middle(t);
  }
  if (!(area > 0)) return sum;
  centroid /= area;
  // What a triangle counts for: its area, or the pyramid over it with its tip at `tip`.
  const auto measure = [&](const std::array<int, 3>& t, const Vector3& tip) {
    if (kind == MeshMass::Shell) return area_vector(t).norm();
    const double volume = area_vector(t).dot(middle(t) - tip) / 3;
    return kind == MeshMass::Legacy ? std::abs(volume) : volume;
  };
  for (const auto& t : mesh.triangles) {
    const double m = measure(t, centroid);
    sum.measure += m;
    sum.com += m * (kind == MeshMass::Shell ? middle(t) : Vector3(0.75 * middle(t) + 0.25 * centroid));
  }
  if (!(sum.measure > 0)) return sum;
  sum.com /= sum.measure;
  // Second moments about the centre of mass: of triangles a/12 (sum v v' + s s'), of pyramids with the tip there V/20.
  // Pyramids that count as positive may make another volume from there, which then is the one that counts.
  Matrix3 moments = Matrix3::Zero();
  sum.measure = 0;
  for (const auto& t : mesh.triangles) {
    sum.measure += measure(t, sum.com);
    const double m = measure(t, sum.com) / (kind == MeshMass::Shell ? 12 : 20);
    Vector3 total = Vector3::Zero();
    for (const int i : t) {
      const Vector3 v = vertex(i) - sum.com;
      total += v;
      moments += m * v * v.transpose();
    }
    moments += m * total * total.transpose();
  }
  sum.central = moments.trace() * Matrix3::Identity() - moments;
  return sum;
}

std::optional<std::array<int, 2>> FindRepeatedEdge(const TriangleMesh& mesh) {
  std::vector<std::array<int, 2>> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const auto& t : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) edges.push_back({t[i], t[(i + 1) % 3]});
  }
  std::sort(edges.begin(), edges.end());
  const auto found = std::adjacent_find(edges.begin(), edges.end());
  if (found == edges.end()) return std::nullopt;
  return *found;
}

}  // namespace tactus
