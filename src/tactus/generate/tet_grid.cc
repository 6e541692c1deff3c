#include "tactus/generate/tet_grid.h"

#include <Eigen/Dense>

namespace tactus {

namespace {

using Matrix12 = Eigen::Matrix<double, 12, 12>;

// Corners of a cell are numbered 4 i + 2 j + k.
constexpr int kEven[5][4] = {{0, 1, 2, 4}, {3, 1, 7, 2}, {5, 1, 4, 7}, {6, 2, 7, 4}, {1, 2, 4, 7}};
constexpr int kOdd[5][4] = {{1, 0, 5, 3}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 3, 5, 6}, {0, 3, 6, 5}};

// Edges from the first corner, as columns.
Matrix3 Edges(const TetGrid& grid, const std::array<int, 4>& tet) {
  Matrix3 edges;
  for (int c = 0; c < 3; ++c) edges.col(c) = grid.nodes[tet[c + 1]] - grid.nodes[tet[0]];
  return edges;
}

// V B^T D B with B the constant strain of the four corners' displacements.
Matrix12 ElementStiffness(const Matrix3& edges, double volume, double young, double poisson) {
  const double lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), shear = young / (2 * (1 + poisson));
  const Matrix3 inverse = edges.inverse();
  Eigen::Matrix<double, 4, 3> gradient;  // of the shape functions
  gradient.bottomRows<3>() = inverse;
  gradient.row(0) = -inverse.colwise().sum();
  Eigen::Matrix<double, 6, 12> B = Eigen::Matrix<double, 6, 12>::Zero();
  for (int a = 0; a < 4; ++a) {
    const double x = gradient(a, 0), y = gradient(a, 1), z = gradient(a, 2);
    B.block<6, 3>(0, 3 * a) << x, 0, 0, 0, y, 0, 0, 0, z, y, x, 0, 0, z, y, z, 0, x;
  }
  Matrix6 D = Matrix6::Zero();
  D.diagonal() << 2 * shear, 2 * shear, 2 * shear, shear, shear, shear;
  D.topLeftCorner<3, 3>().array() += lame;
  return volume * B.transpose() * D * B;
}

}  // namespace

TetGrid MakeTetGrid(const std::array<int, 3>& cells, const Vector3& size, const Vector3& origin) {
  TetGrid grid;
  grid.cells = cells;
  for (int i = 0; i <= cells[0]; ++i) {
    for (int j = 0; j <= cells[1]; ++j) {
      for (int k = 0; k <= cells[2]; ++k) {
        grid.nodes.emplace_back(origin +
                                Vector3(i * size[0] / cells[0], j * size[1] / cells[1], k * size[2] / cells[2]));
      }
    }
  }
  for (int i = 0; i < cells[0]; ++i) {
    for (int j = 0; j < cells[1]; ++j) {
      for (int k = 0; k < cells[2]; ++k) {
        const auto& table = (i + j + k) % 2 == 0 ? kEven : kOdd;
        for (const auto& corners : table) {
          std::array<int, 4> tet{};
          for (int c = 0; c < 4; ++c) {
            tet[c] = grid.node(i + (corners[c] >> 2), j + ((corners[c] >> 1) & 1), k + (corners[c] & 1));
          }
          if (Edges(grid, tet).determinant() < 0) std::swap(tet[1], tet[2]);
          grid.tets.push_back(tet);
        }
      }
    }
  }
  return grid;
}

TetElasticity AssembleElasticity(const TetGrid& grid, double young, double poisson, double density) {
  const int n = 3 * static_cast<int>(grid.nodes.size());
  TetElasticity out;
  out.mass = VectorX::Zero(n);
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(144 * grid.tets.size());
  for (const std::array<int, 4>& tet : grid.tets) {
    const Matrix3 edges = Edges(grid, tet);
    const double volume = edges.determinant() / 6;
    const Matrix12 K = ElementStiffness(edges, volume, young, poisson);
    for (int a = 0; a < 4; ++a) {
      out.mass.segment<3>(3 * tet[a]).array() += density * volume / 4;
      for (int b = 0; b < 4; ++b) {
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c < 3; ++c) triplets.emplace_back(3 * tet[a] + r, 3 * tet[b] + c, K(3 * a + r, 3 * b + c));
        }
      }
    }
  }
  out.stiffness.resize(n, n);
  out.stiffness.setFromTriplets(triplets.begin(), triplets.end());
  return out;
}

}  // namespace tactus
