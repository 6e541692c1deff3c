// Tetrahedra in boxes, balls and cylinders. All are centred at the origin; move and turn the nodes as you like.
// Boxes split each cell of a grid in five, mirrored from cell to cell: one tetrahedron in the middle is regular, and no
// direction is preferred. Round shapes are grids of cells bent to the shape, each split in six along the diagonal that
// points away from the axis or centre, so that no element lies flat on the surface.
#pragma once

#include <array>

#include "tactus/deformable/mesh/tet_mesh.h"

namespace tactus {

/// `size` [m] along x, y and z, > 0; cells along each, >= 1, so that there are cells + 1 nodes.
TetMesh MakeBoxTets(const Vector3& size, const std::array<int, 3>& cells);
/// The least numbers of cells with no cell longer than `edge` [m].
std::array<int, 3> CalcCells(const Vector3& size, double edge);
TetMesh MakeBoxTets(const Vector3& size, double edge);

/// From x = 0 to x = length, centred in y and z.
TetMesh MakeBeamTets(double length, double width, double height, const std::array<int, 3>& cells);
TetMesh MakeBeamTets(double length, double width, double height, double edge);
/// Flat on z = 0, up to z = thickness, centred in x and y.
TetMesh MakeMatTets(double length, double width, double thickness, const std::array<int, 3>& cells);
TetMesh MakeMatTets(double length, double width, double thickness, double edge);

/// `across`: cells along a diameter, >= 2 and even, so that there is a node in the centre.
TetMesh MakeBallTets(double radius, int across);
TetMesh MakeBallTets(double radius, double edge);
/// The axis is z; `along`: cells along it, >= 1.
TetMesh MakeCylinderTets(double radius, double length, int across, int along);
TetMesh MakeCylinderTets(double radius, double length, double edge);

}  // namespace tactus
