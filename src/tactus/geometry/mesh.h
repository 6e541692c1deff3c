// Triangle meshes as they come from files.
#pragma once

#include <array>
#include <vector>

#include "tactus/core/types.h"

namespace tactus {

struct TriangleMesh {
  std::vector<Vector3> vertices;              ///< [m]
  std::vector<std::array<int, 3>> triangles;  ///< counterclockwise seen from outside
};

}  // namespace tactus
