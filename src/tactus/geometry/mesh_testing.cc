#include "tactus/geometry/mesh_testing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tactus/geometry/aabb.h"
#include "tactus/geometry/closest_on_triangle.h"

namespace tactus {

namespace {

void AddQuad(int a, int b, int c, int d, TriangleMesh* mesh) {
  mesh->triangles.push_back({a, b, c});
  mesh->triangles.push_back({a, c, d});
}

// A flat outline, counterclockwise, and triangles over its corners, pulled up along z.
TriangleMesh Extrude(const std::vector<Vector2>& outline, const std::vector<std::array<int, 3>>& caps, double low,
                     double high) {
  TriangleMesh mesh;
  const int n = static_cast<int>(outline.size());
  for (const double z : {low, high}) {
    for (const Vector2& p : outline) mesh.vertices.emplace_back(p[0], p[1], z);
  }
  for (const auto& t : caps) {
    mesh.triangles.push_back({t[0], t[2], t[1]});
    mesh.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
  }
  for (int i = 0; i < n; ++i) AddQuad(i, (i + 1) % n, n + (i + 1) % n, n + i, &mesh);
  return mesh;
}

double CalcBoxDistance(const Vector3& low, const Vector3& high, const Vector3& p) {
  const Vector3 beyond = (low - p).cwiseMax(p - high);
  return beyond.cwiseMax(0.0).norm() + std::min(beyond.maxCoeff(), 0.0);
}

}  // namespace

TriangleMesh MakeCuboidMesh(const Vector3& low, const Vector3& high) {
  return Extrude({{low[0], low[1]}, {high[0], low[1]}, {high[0], high[1]}, {low[0], high[1]}}, {{0, 1, 2}, {0, 2, 3}},
                 low[2], high[2]);
}

TriangleMesh MakeLMesh(double thick, double height) {
  return Extrude({{0, 0}, {1, 0}, {1, thick}, {thick, thick}, {thick, 1}, {0, 1}},
                 {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}, 0, height);
}

double CalcLDistance(double thick, double height, const Vector3& p) {
  return std::min(CalcBoxDistance(Vector3::Zero(), Vector3(1, thick, height), p),
                  CalcBoxDistance(Vector3::Zero(), Vector3(thick, 1, height), p));
}

TriangleMesh MakeSphereMesh(double radius, int rings, int around) {
  TriangleMesh mesh;
  mesh.vertices.emplace_back(0, 0, -radius);
  for (int i = 1; i < rings; ++i) {
    const double polar = M_PI * i / rings;
    for (int j = 0; j < around; ++j) {
      const double a = 2 * M_PI * j / around;
      mesh.vertices.push_back(radius *
                              Vector3(std::sin(polar) * std::cos(a), std::sin(polar) * std::sin(a), -std::cos(polar)));
    }
  }
  mesh.vertices.emplace_back(0, 0, radius);
  const int top = static_cast<int>(mesh.vertices.size()) - 1;
  const auto at = [&](int ring, int j) { return 1 + (ring - 1) * around + j % around; };
  for (int j = 0; j < around; ++j) {
    mesh.triangles.push_back({0, at(1, j + 1), at(1, j)});
    for (int i = 1; i + 1 < rings; ++i) AddQuad(at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j), &mesh);
    mesh.triangles.push_back({top, at(rings - 1, j), at(rings - 1, j + 1)});
  }
  return mesh;
}

TriangleMesh MakeTorusMesh(double major, double minor, int around, int across) {
  TriangleMesh mesh;
  for (int i = 0; i < around; ++i) {
    const double a = 2 * M_PI * i / around;
    for (int j = 0; j < across; ++j) {
      const double b = 2 * M_PI * j / across, r = major + minor * std::cos(b);
      mesh.vertices.emplace_back(r * std::cos(a), r * std::sin(a), minor * std::sin(b));
    }
  }
  const auto at = [&](int i, int j) { return (i % around) * across + j % across; };
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < across; ++j) AddQuad(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1), &mesh);
  }
  return mesh;
}

double CalcMeshDistanceSlowly(const TriangleMesh& mesh, const Vector3& p) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& t : mesh.triangles) {
    const auto at = [&](std::size_t i) { return mesh.vertices[static_cast<std::size_t>(t[i])]; };
    const Vector3 w = ClosestOnTriangle(p, at(0), at(1), at(2));
    least = std::min(least, (w[0] * at(0) + w[1] * at(1) + w[2] * at(2) - p).squaredNorm());
  }
  return std::sqrt(least);
}

Vector3 MakeRandomPointAround(const TriangleMesh& mesh, double share, Random* random) {
  Aabb box;
  for (const Vector3& p : mesh.vertices) box.Extend(p);
  const Vector3 size = box.high - box.low;
  Vector3 out;
  for (int i = 0; i < 3; ++i) out[i] = box.low[i] + size[i] * random->Uniform(-share, 1 + share);
  return out;
}

}  // namespace tactus
