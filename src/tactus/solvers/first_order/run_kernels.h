// Products with runs of contiguous columns (see run_matrix.h), compiled once per instruction-set level.
#pragma once

#include <cstddef>

namespace tactus {

/// Columns [column, column + length) of a block row; the values of its rows follow one another.
struct ColumnRun {
  int column, length;
  std::size_t values;  ///< offset of the first row
};

struct RunKernels {
  /// out[0..2] = sum over runs of three rows times x.
  void (*multiply3)(const ColumnRun* runs, int count, const double* values, const double* x, double* out);
  /// The same for one row.
  double (*multiply1)(const ColumnRun* runs, int count, const double* values, const double* x);
  /// y += d0 row0 + d1 row1 + d2 row2.
  void (*add_transposed3)(const ColumnRun* runs, int count, const double* values, const double* d, double* y);
};

/// The kernels of the active level.
const RunKernels& GetRunKernels();

}  // namespace tactus
