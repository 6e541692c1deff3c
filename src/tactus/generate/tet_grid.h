// Boxes of tetrahedra and their linear elasticity: what deformable test problems are made of. The simulator's own
// deformables do more (large rotations, damping); here bodies are near rest.
#pragma once

#include <array>
#include <vector>

#include "tactus/core/types.h"

namespace tactus {

struct TetGrid {
  std::array<int, 3> cells{};  ///< along x, y, z
  std::vector<Vector3> nodes;  ///< node (i, j, k) is number (i (ny + 1) + j)(nz + 1) + k
  std::vector<std::array<int, 4>> tets;

  int node(int i, int j, int k) const { return (i * (cells[1] + 1) + j) * (cells[2] + 1) + k; }
};

/// A box with its lowest corner at `origin`, five tetrahedra a cell, mirrored from cell to cell so that faces match.
TetGrid MakeTetGrid(const std::array<int, 3>& cells, const Vector3& size, const Vector3& origin);

/// Stiffness of linear elasticity [N/m], 3 rows a node, constant strain in each tetrahedron; and lumped masses [kg].
struct TetElasticity {
  SparseMatrix stiffness;
  VectorX mass;  ///< a node's, three times each
};
TetElasticity AssembleElasticity(const TetGrid& grid, double young, double poisson, double density);

}  // namespace tactus
