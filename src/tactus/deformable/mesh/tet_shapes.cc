#include "tactus/deformable/mesh/tet_shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "tactus/core/error.h"

namespace tactus {

namespace {

// Corner k of a cell has x, y, z in its bits 2, 1, 0.
using Corners = std::array<int, 8>;

constexpr int kFive[2][5][4] = {{{0, 1, 2, 4}, {3, 1, 7, 2}, {5, 1, 4, 7}, {6, 2, 7, 4}, {1, 2, 4, 7}},
                                {{1, 0, 5, 3}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 3, 5, 6}, {0, 3, 6, 5}}};
// The ways from corner 0 to corner 7 along edges (Kuhn).
constexpr int kSix[6][4] = {{0, 4, 6, 7}, {0, 4, 5, 7}, {0, 2, 6, 7}, {0, 2, 3, 7}, {0, 1, 5, 7}, {0, 1, 3, 7}};

constexpr double kMostNodes = 1e8;

void RequireLength(double value, const char* what) {
  Require(std::isfinite(value) && value > 0, "tetrahedra of a shape", fmt::format("{} is {}", what, value),
          "a finite length > 0");
}

void RequireCells(const std::array<int, 3>& cells, int least) {
  double nodes = 1;
  for (const int n : cells) {
    Require(n >= least, "tetrahedra of a shape", fmt::format("{} cells", n), fmt::format("{} or more", least));
    nodes *= n + 1.0;
  }
  Require(nodes <= kMostNodes, "tetrahedra of a shape", fmt::format("{} nodes", nodes), "at most 1e8");
}

int CellsAlong(double length, double edge) {
  RequireLength(edge, "the target edge");
  const double cells = std::ceil(length / edge * (1 - 1e-12));
  Require(cells <= kMostNodes, "tetrahedra of a shape", fmt::format("{} cells along one side", cells), "at most 1e8");
  return std::max(1, static_cast<int>(cells));
}

// Nodes of a grid at place(u, v, w), each in [-1, 1], and `split(corners, cell, mesh)` for each cell.
template <typename Place, typename Split>
TetMesh MakeGrid(const std::array<int, 3>& cells, const Place& place, const Split& split) {
  TetMesh mesh;
  const auto [nx, ny, nz] = cells;
  const auto id = [ny = ny, nz = nz](int i, int j, int k) { return (i * (ny + 1) + j) * (nz + 1) + k; };
  for (int i = 0; i <= nx; ++i) {
    for (int j = 0; j <= ny; ++j) {
      for (int k = 0; k <= nz; ++k) {
        mesh.nodes.push_back(place(Vector3((2.0 * i - nx) / nx, (2.0 * j - ny) / ny, (2.0 * k - nz) / nz)));
      }
    }
  }
  for (int i = 0; i < nx; ++i) {
    for (int j = 0; j < ny; ++j) {
      for (int k = 0; k < nz; ++k) {
        Corners corners;
        for (int c = 0; c < 8; ++c) {
          corners[static_cast<std::size_t>(c)] = id(i + (c >> 2), j + (c >> 1 & 1), k + (c & 1));
        }
        split(corners, std::array<int, 3>{i, j, k}, &mesh);
      }
    }
  }
  FixOrientation(&mesh);
  return mesh;
}

void AddTets(const int (*pattern)[4], int count, int flip, const Corners& corners, TetMesh* mesh) {
  for (int t = 0; t < count; ++t) {
    std::array<int, 4> tet;
    for (std::size_t a = 0; a < 4; ++a) tet[a] = corners[static_cast<std::size_t>(pattern[t][a] ^ flip)];
    mesh->tets.push_back(tet);
  }
}

// Six tetrahedra around the diagonal that points outwards: mirrored in each octant of the grid.
void SplitOutwards(const std::array<int, 3>& cells, const Corners& corners, const std::array<int, 3>& cell,
                   TetMesh* mesh) {
  int flip = 0;
  for (std::size_t k = 0; k < 3; ++k) flip |= (2 * cell[k] < cells[k] ? 1 : 0) << (2 - k);
  AddTets(kSix, 6, flip, corners, mesh);
}

// Squares (n = 2) or cubes (n = 3) around the origin become circles or spheres. Angles between grid lines are made
// equal on the surface, and towards the centre the shape goes over into that of the grid, whose cells are better there.
Vector3 Round(const Vector3& u, int n) {
  const double s = u.head(n).cwiseAbs().maxCoeff();
  if (s == 0) return u;
  Vector3 direction = Vector3::Zero();
  for (int k = 0; k < n; ++k) direction[k] = std::tan(0.25 * std::numbers::pi * u[k] / s);
  Vector3 round = direction.normalized() * s;
  // A cube that is as large as it can be within the ball of radius 0.8: at the centre cells must not be larger.
  const Vector3 square = u * (n == 2 ? 0.8 : 0.7);
  const double blend = s * s;
  Vector3 out = u;
  out.head(n) = blend * round.head(n) + (1 - blend) * square.head(n);
  return out;
}

}  // namespace

std::array<int, 3> CalcCells(const Vector3& size, double edge) {
  for (int k = 0; k < 3; ++k) RequireLength(size[k], "a side");
  return {CellsAlong(size[0], edge), CellsAlong(size[1], edge), CellsAlong(size[2], edge)};
}

TetMesh MakeBoxTets(const Vector3& size, const std::array<int, 3>& cells) {
  for (int k = 0; k < 3; ++k) RequireLength(size[k], "a side");
  RequireCells(cells, 1);
  return MakeGrid(
      cells, [&](const Vector3& u) -> Vector3 { return 0.5 * size.cwiseProduct(u); },
      [](const Corners& corners, const std::array<int, 3>& cell, TetMesh* mesh) {
        AddTets(kFive[(cell[0] + cell[1] + cell[2]) % 2], 5, 0, corners, mesh);
      });
}

TetMesh MakeBoxTets(const Vector3& size, double edge) { return MakeBoxTets(size, CalcCells(size, edge)); }

TetMesh MakeBeamTets(double length, double width, double height, const std::array<int, 3>& cells) {
  TetMesh mesh = MakeBoxTets(Vector3(length, width, height), cells);
  for (Vector3& x : mesh.nodes) x[0] += 0.5 * length;
  return mesh;
}

TetMesh MakeBeamTets(double length, double width, double height, double edge) {
  return MakeBeamTets(length, width, height, CalcCells(Vector3(length, width, height), edge));
}

TetMesh MakeMatTets(double length, double width, double thickness, const std::array<int, 3>& cells) {
  TetMesh mesh = MakeBoxTets(Vector3(length, width, thickness), cells);
  for (Vector3& x : mesh.nodes) x[2] += 0.5 * thickness;
  return mesh;
}

TetMesh MakeMatTets(double length, double width, double thickness, double edge) {
  return MakeMatTets(length, width, thickness, CalcCells(Vector3(length, width, thickness), edge));
}

TetMesh MakeBallTets(double radius, int across) {
  RequireLength(radius, "the radius");
  const std::array<int, 3> cells = {across, across, across};
  RequireCells(cells, 2);
  Require(across % 2 == 0, "tetrahedra of a ball", fmt::format("{} cells across", across), "an even number");
  return MakeGrid(
      cells, [&](const Vector3& u) -> Vector3 { return radius * Round(u, 3); },
      [&](const Corners& corners, const std::array<int, 3>& cell, TetMesh* mesh) {
        SplitOutwards(cells, corners, cell, mesh);
      });
}

TetMesh MakeBallTets(double radius, double edge) {
  RequireLength(radius, "the radius");
  return MakeBallTets(radius, 2 * CellsAlong(radius, edge));
}

TetMesh MakeCylinderTets(double radius, double length, int across, int along) {
  RequireLength(radius, "the radius");
  RequireLength(length, "the length");
  const std::array<int, 3> cells = {across, across, along};
  RequireCells({across, across, 2}, 2);
  RequireCells(cells, 1);
  Require(across % 2 == 0, "tetrahedra of a cylinder", fmt::format("{} cells across", across), "an even number");
  return MakeGrid(
      cells,
      [&](const Vector3& u) {
        const Vector3 p = Round(u, 2);
        return Vector3(radius * p[0], radius * p[1], 0.5 * length * u[2]);
      },
      [&](const Corners& corners, const std::array<int, 3>& cell, TetMesh* mesh) {
        SplitOutwards(cells, corners, cell, mesh);
      });
}

TetMesh MakeCylinderTets(double radius, double length, double edge) {
  RequireLength(radius, "the radius");
  RequireLength(length, "the length");
  return MakeCylinderTets(radius, length, 2 * CellsAlong(radius, edge), CellsAlong(length, edge));
}

}  // namespace tactus
