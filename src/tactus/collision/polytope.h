// A convex polytope prepared for collision: corners, flat faces as polygons, and who is next to whom.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "tactus/core/types.h"
#include "tactus/geometry/mesh.h"

namespace tactus {

/// Lists of numbers, one after the other.
struct IndexLists {
  std::vector<int> start{0};  ///< count + 1
  std::vector<int> values;

  int count() const { return static_cast<int>(start.size()) - 1; }
  std::span<const int> operator[](int i) const {
    const auto k = static_cast<std::size_t>(i);
    return {values.data() + start[k], static_cast<std::size_t>(start[k + 1] - start[k])};
  }
  void Append(std::span<const int> list) {
    values.insert(values.end(), list.begin(), list.end());
    start.push_back(static_cast<int>(values.size()));
  }
};

struct Polytope {
  std::vector<Vector3> vertices;
  std::vector<Vector3> face_normals;  ///< unit, outwards
  IndexLists face_vertices;           ///< counterclockwise seen from outside
  IndexLists face_edges;              ///< edge i of a face leads from its vertex i to the next
  IndexLists vertex_faces;
  IndexLists vertex_neighbours;
  std::array<int, 6> extreme{};  ///< vertices farthest along -x, +x, -y, +y, -z, +z

  int edge_count = 0;
};

/// From a closed convex mesh of triangles (MakeConvexHull). Neighbouring triangles that lie in one plane, to a
/// millionth of the size, make one face.
Polytope MakePolytope(const TriangleMesh& hull);

/// The vertex farthest along d. Climbs from `start` where there are many.
int CalcSupportVertex(const Polytope& polytope, const Vector3& d, int start);

}  // namespace tactus
