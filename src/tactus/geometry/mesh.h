// Triangle meshes as they come from files.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tactus/core/types.h"

namespace tactus {

/// A run of triangles that the file keeps apart: an object or group of an OBJ file, a solid of an STL file. Convex
/// decompositions come as such parts.
struct MeshPart {
  std::string name;
  int first_triangle = 0;
  int triangle_count = 0;
};

struct TriangleMesh {
  std::vector<Vector3> vertices;              ///< [m]
  std::vector<std::array<int, 3>> triangles;  ///< counterclockwise seen from outside
  std::vector<MeshPart> parts;                ///< in order, covering all triangles; empty: one part without a name
};

}  // namespace tactus
