// Changes of meshes of tetrahedra: holes, and shapes that get thinner.
#pragma once

#include <vector>

#include "tactus/deformable/mesh/tet_mesh.h"

namespace tactus {

struct TetBox {
  Vector3 low = Vector3::Zero(), high = Vector3::Zero();  ///< [m]
};

/// Without the tetrahedra whose middle is in one of the boxes, nor the nodes that nothing is left of. The others keep
/// their order. Boxes along the cells of a grid leave plane walls. Throws InputError if nothing is left, or what is
/// left does not hang together.
TetMesh CutHoles(const TetMesh& mesh, const std::vector<TetBox>& holes);

/// Scales x and y by a factor that goes from 1 at the least z to `taper` > 0 at the greatest.
void TaperAlongZ(double taper, TetMesh* mesh);

/// Moves the nodes of a box of MakeBoxTets along z, so that its layers of cells are as high as `layers` say relative to
/// each other, from below; the box stays as high as it is. Throws InputError unless all are > 0.
void SetLayers(const std::vector<double>& layers, TetMesh* box);

/// Triangles of the surface with all corners in the box, up to rounding: the walls of a cavity.
std::vector<std::array<int, 3>> FindWalls(const TetMesh& mesh, const TetBox& box);

}  // namespace tactus
