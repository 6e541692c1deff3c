// Products with large matrices through one block of each symmetric pair. Half the memory is read, which is what limits
// products beyond the size of caches.
#pragma once

#include <vector>

#include "tactus/solvers/cond/cond_system.h"

namespace tactus {

class CondHalf {
 public:
  /// Rows of a band.
  static constexpr int kBand = 1024;

  /// From all rows of the system.
  void Prepare(const CondSystem& system);
  int num_bands() const { return static_cast<int>(overflow_end_.size()); }
  /// First half of a product: band by band, in any order.
  void MultiplyBand(const CondKernels& kernels, const double* x, int band);
  /// Second half, once all bands are done: rows [begin, end) of one band, four numbers each.
  const double* Gather(int begin, int end);

 private:
  int num_rows_ = 0;
  std::vector<int> row_start_, columns_;
  std::vector<double> blocks_, y_, overflow_;
  std::vector<int> overflow_end_;            // row behind the last that a band adds to
  std::vector<std::size_t> overflow_start_;  // in overflow_
};

}  // namespace tactus
