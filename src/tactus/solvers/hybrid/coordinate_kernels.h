// Products with the small dense blocks of What, compiled once per instruction-set level.
#pragma once

#include <cstddef>

namespace tactus {

struct CoordinateKernels {
  /// y = sum_k B_k s[coordinate_k ...], B_k column major r x rank_k at values + start[k].
  void (*multiply_row)(int r, int count, const double* values, const std::size_t* start, const int* coordinate,
                       const int* rank, const double* s, double* y);
  /// S += B K, B column major r x c, K row major c x c, S row major with the given stride.
  void (*add_product)(int r, int c, const double* B, const double* K, double* S, int stride);
};

const CoordinateKernels& GetCoordinateKernels();

}  // namespace tactus
