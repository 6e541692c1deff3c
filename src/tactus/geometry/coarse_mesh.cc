#include "tactus/geometry/coarse_mesh.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tactus/geometry/aabb.h"

namespace tactus {

namespace {

// The first vertex of a cell stands for all of them, so that those kept are on the surface.
TriangleMesh MergeCells(const TriangleMesh& mesh, const Vector3& low, double cell) {
  TriangleMesh out;
  std::map<std::array<long, 3>, int> cells;
  std::vector<int> number(mesh.vertices.size());
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const Vector3 at = (mesh.vertices[v] - low) / cell;
    const auto [it, fresh] =
        cells.try_emplace({std::lround(at[0]), std::lround(at[1]), std::lround(at[2])}, static_cast<int>(cells.size()));
    number[v] = it->second;
    if (fresh) out.vertices.push_back(mesh.vertices[v]);
  }
  for (const auto& t : mesh.triangles) {
    const int a = number[static_cast<std::size_t>(t[0])], b = number[static_cast<std::size_t>(t[1])],
              c = number[static_cast<std::size_t>(t[2])];
    if (a != b && b != c && c != a) out.triangles.push_back({a, b, c});
  }
  return out;
}

}  // namespace

TriangleMesh MakeCoarseMesh(const TriangleMesh& mesh, int most) {
  if (static_cast<int>(mesh.triangles.size()) <= most) return mesh;
  Vector3 low = mesh.vertices[0], high = low;
  for (const Vector3& v : mesh.vertices) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  const double side = (high - low).maxCoeff();
  TriangleMesh out;
  for (double cells = std::sqrt(static_cast<double>(most)); cells >= 1; cells *= 0.9) {
    out = MergeCells(mesh, low, side / cells);
    if (static_cast<int>(out.triangles.size()) <= most) break;
  }
  return out;
}

}  // namespace tactus
