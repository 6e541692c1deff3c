// Scalar sparse patterns seen as patterns of small dense blocks, as BlockLu and BlockCholesky take them.
#pragma once

#include <span>
#include <vector>

namespace tactus {

/// Nodes are runs of consecutive columns with the same rows: the six velocities of a body, the three of a vertex.
struct NodePattern {
  std::vector<int> sizes, first;        ///< scalars of each node, and the first of them
  std::vector<int> row_start, columns;  ///< which nodes a node couples with, ascending, itself included
  std::vector<int> node;                ///< the node that owns an entry of `columns`
  std::vector<int> mirror;              ///< entry (j, i) of entry (i, j)
  /// In every scalar column of node[k], the rows of node columns[k] begin this many entries after the column does.
  std::vector<int> within;
};

/// The pattern is compressed by columns, rows ascending, symmetric, with a full diagonal.
NodePattern MakeNodePattern(std::span<const int> start, std::span<const int> rows);

}  // namespace tactus
