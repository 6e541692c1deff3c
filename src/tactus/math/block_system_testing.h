// Matrices of small dense blocks for the tests of sparse factorizations.
#pragma once

#include <algorithm>
#include <vector>

#include "tactus/core/random.h"
#include "tactus/core/types.h"

namespace tactus {

/// A symmetric pattern of blocks in block-CSR, and the matrix, dense.
struct BlockSystem {
  std::vector<int> sizes, offset, row_start, columns;
  MatrixX dense;

  MatrixX block(int i, int j) const { return dense.block(offset[i], offset[j], sizes[i], sizes[j]); }
};

/// Normally distributed values where coupled(i, j), asked for i > j; sizes in [1, largest].
template <typename Coupled>
BlockSystem MakeBlockPattern(int nodes, int largest, Random* random, Coupled&& coupled) {
  BlockSystem s;
  s.offset.push_back(0);
  for (int i = 0; i < nodes; ++i) {
    s.sizes.push_back(1 + random->Index(largest));
    s.offset.push_back(s.offset.back() + s.sizes.back());
  }
  std::vector<std::vector<int>> rows(nodes);
  for (int i = 0; i < nodes; ++i) {
    rows[i].push_back(i);
    for (int j = 0; j < i; ++j) {
      if (!coupled(i, j)) continue;
      rows[i].push_back(j);
      rows[j].push_back(i);
    }
  }
  s.dense = MatrixX::Zero(s.offset.back(), s.offset.back());
  s.row_start.push_back(0);
  for (int i = 0; i < nodes; ++i) {
    std::sort(rows[i].begin(), rows[i].end());
    s.columns.insert(s.columns.end(), rows[i].begin(), rows[i].end());
    s.row_start.push_back(static_cast<int>(s.columns.size()));
    for (const int j : rows[i]) {
      for (int a = 0; a < s.sizes[i]; ++a) {
        for (int b = 0; b < s.sizes[j]; ++b) s.dense(s.offset[i] + a, s.offset[j] + b) = random->Normal();
      }
    }
  }
  return s;
}

}  // namespace tactus
