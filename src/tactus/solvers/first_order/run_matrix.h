// A sparse matrix with few rows at a time: block rows of 1 or 3 rows, each a list of runs of consecutive columns.
// Inside a run every row is contiguous, so that products are plain dot products and axpys over contiguous memory.
#pragma once

#include <cstddef>
#include <vector>

#include "tactus/contact/delassus_matrix.h"
#include "tactus/solvers/first_order/run_kernels.h"

namespace tactus {

class RunMatrix {
 public:
  /// Empties it, keeping the memory.
  void Clear();
  /// Starts the next block row.
  void BeginBlock(int dim);
  /// Appends a run of columns [column, column + length) to the last block row and returns its values, dim x length row
  /// major, to be filled (valid until the next call).
  double* AddRun(int column, int length);

  int num_blocks() const { return static_cast<int>(blocks_.size()); }
  std::size_t nonzeros() const { return values_.size(); }
  /// out = (block row i) x; out has dim entries.
  void MultiplyBlock(int i, const double* x, double* out) const {
    const Block b = blocks_[i];
    const ColumnRun* runs = runs_.data() + b.first_run;
    if (b.dim == 3) {
      kernels_->multiply3(runs, b.end_run - b.first_run, values_.data(), x, out);
    } else {
      out[0] = kernels_->multiply1(runs, b.end_run - b.first_run, values_.data(), x);
    }
  }
  /// y += (block row i)^T d.
  void AddTransposedBlock(int i, const double* d, double* y) const {
    const Block b = blocks_[i];
    const ColumnRun* runs = runs_.data() + b.first_run;
    if (b.dim == 3) {
      kernels_->add_transposed3(runs, b.end_run - b.first_run, values_.data(), d, y);
      return;
    }
    for (int r = 0; r < b.end_run - b.first_run; ++r) {
      const double* a = values_.data() + runs[r].values;
      for (int k = 0; k < runs[r].length; ++k) y[runs[r].column + k] += a[k] * d[0];
    }
  }

  /// W with its block rows cut into runs.
  void SetFrom(const DelassusMatrix& W);

 private:
  struct Block {
    int dim, first_run, end_run;
  };
  std::vector<Block> blocks_;
  std::vector<ColumnRun> runs_;
  std::vector<double> values_;
  const RunKernels* kernels_ = &GetRunKernels();
};

}  // namespace tactus
