// Terrain as heights on a regular grid.
#pragma once

#include <vector>

#include "tactus/core/types.h"

namespace tactus {

/// Heights over a rectangle about the origin; solid below. Row r, column c is at x = (2 c / (columns - 1) - 1) half_x,
/// y = (2 r / (rows - 1) - 1) half_y; each cell is cut from (r, c) to (r + 1, c + 1).
struct HeightField {
  int rows = 0;     ///< >= 2, along y
  int columns = 0;  ///< >= 2, along x
  double half_x = 0;
  double half_y = 0;            ///< [m]
  std::vector<double> heights;  ///< rows x columns, row by row [m]

  double height(int row, int column) const {
    return heights[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                   static_cast<std::size_t>(column)];
  }
};

}  // namespace tactus
