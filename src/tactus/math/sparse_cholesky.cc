#include "tactus/math/sparse_cholesky.h"

#include <algorithm>

namespace tactus {

void SparseCholesky::Analyze(std::span<const int> start, std::span<const int> rows) {
  start_.assign(start.begin(), start.end());
  nodes_ = MakeNodePattern(start, rows);
  cholesky_.Analyze(nodes_.sizes, nodes_.row_start, nodes_.columns);
}

bool SparseCholesky::Factorize(const double* values) {
  return cholesky_.FactorizeEntries([&](int k) {
    if (nodes_.columns[k] >= nodes_.node[k]) CopyBlock(k, values);
  });
}

// Columns of node j, rows of node i >= j: transposed, this is block (j, i).
void SparseCholesky::CopyBlock(int k, const double* values) {
  const int j = nodes_.node[k], i = nodes_.columns[k];
  const int rows = nodes_.sizes[i], columns = nodes_.sizes[j];
  const int row_stride = cholesky_.row_stride(k), column_stride = cholesky_.column_stride(k);
  double* to = cholesky_.entry(k);
  for (int b = 0; b < columns; ++b) {
    const double* from = values + start_[nodes_.first[j] + b] + nodes_.within[k];
    if (i == j) {
      std::copy(from + b, from + rows, to + b * row_stride + b);
    } else if (column_stride == 1) {
      std::copy(from, from + rows, to + b * row_stride);
    } else {
      for (int a = 0; a < rows; ++a) to[b + a * column_stride] = from[a];
    }
  }
}

}  // namespace tactus
