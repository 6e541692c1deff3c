// Fewer triangles, to look at.
#pragma once

#include "tactus/geometry/mesh.h"

namespace tactus {

/// A mesh of at most `most` triangles (>= 12) that looks like the given one: vertices within a cell of a cubic grid
/// become one, the cells as small as that allows within a few percent. A mesh that has no more is returned as it is.
TriangleMesh MakeCoarseMesh(const TriangleMesh& mesh, int most);

}  // namespace tactus
