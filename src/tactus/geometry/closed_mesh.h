// Meshes that bound a solid, and finer triangles for them.
#pragma once

#include <string>

#include "tactus/geometry/mesh.h"

namespace tactus {

/// The mesh as the border of a solid: each edge has two triangles that run through it in opposite directions, the
/// triangles around each vertex hang together, and the volume is positive. Triangles that name a vertex twice are left
/// out; if edges are open, vertices at the same place are made one (STL files have three to a triangle). `parts` are
/// dropped. InputError, with `where`, says which edge of which triangles, or what else, is wrong. That the surface does
/// not pass through itself is not checked.
TriangleMesh MakeClosedMesh(const TriangleMesh& mesh, const std::string& where);

/// The same surface with no edge longer than `edge` (> 0): long edges are halved until none is left. What was closed
/// stays closed, and the vertices there were keep their numbers.
TriangleMesh RefineMesh(const TriangleMesh& mesh, double edge);

}  // namespace tactus
