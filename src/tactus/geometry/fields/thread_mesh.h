// Triangles of threads.
#pragma once

#include <vector>

#include "tactus/core/types.h"
#include "tactus/geometry/mesh.h"

namespace tactus {

/// One pitch of a thread's section: corners (r, z) with z increasing by less than `pitch`.
struct ThreadSection {
  double pitch = 0;
  std::vector<Vector2> corners;
};

/// The helical surface between z = -half and half, looking away from the axis. At each of `segments` angles there is a
/// column of vertices, from the lower end to the upper.
struct ThreadMesh {
  TriangleMesh mesh;
  std::vector<int> lower, upper;  ///< the ends of the columns
};
ThreadMesh MakeThreadMesh(const ThreadSection& section, double half, int segments);

}  // namespace tactus
