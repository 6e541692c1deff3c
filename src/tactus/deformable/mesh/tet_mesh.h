// Solids as tetrahedra: what finite elements are made of.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tactus/core/types.h"

namespace tactus {

struct TetMesh {
  std::vector<Vector3> nodes;            ///< [m]
  std::vector<std::array<int, 4>> tets;  ///< (x1 - x0) x (x2 - x0) . (x3 - x0) > 0
};

/// Signed volume of one tetrahedron [m^3]; positive if ordered as above.
double CalcTetVolume(const TetMesh& mesh, std::size_t tet);
double CalcVolume(const TetMesh& mesh);

/// Three times the ratio of the radii of the inscribed and the circumscribed sphere: 1 for a regular tetrahedron, 0 for
/// a flat one. What is below about 0.1 makes stiff, inaccurate elements.
double CalcTetQuality(const TetMesh& mesh, std::size_t tet);

/// Triangles that belong to one tetrahedron only, counterclockwise seen from outside, in the order of the tetrahedra.
std::vector<std::array<int, 3>> CalcSurface(const TetMesh& mesh);
/// The nodes of some triangles, ascending, each once.
std::vector<int> CalcNodesOf(const std::vector<std::array<int, 3>>& triangles);

/// Swaps two nodes of each tetrahedron that is inverted; returns how many there were.
int FixOrientation(TetMesh* mesh);

/// Throws InputError, with `where`, and names the element or node unless the mesh can be simulated: it has elements,
/// no more nodes and elements than an int can count, finite nodes, valid indices, positive volumes, elements of 1e-7 m
/// or more and of a quality of 1e-6 or more, no two nodes at exactly the same place, no node without an element, no
/// element twice, no triangle with more than two tetrahedra, and all hangs together by shared nodes. (Pieces whose
/// borders differ by rounding show as pieces that do not.)
void CheckTetMesh(const TetMesh& mesh, const std::string& where);

}  // namespace tactus
