#include "tactus/solvers/hybrid/coordinate_kernels.h"

// Vectors cross only functions of this file, which are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

using Lanes4 = double __attribute__((vector_size(32), aligned(8), may_alias));
using Lanes2 = double __attribute__((vector_size(16), aligned(8), may_alias));

inline Lanes4 Load4(const double* p) { return *reinterpret_cast<const Lanes4*>(p); }
inline Lanes2 Load2(const double* p) { return *reinterpret_cast<const Lanes2*>(p); }

// The common case: twists, six rows. Two chains of additions, four and two lanes wide.
void MultiplyRow6(int count, const double* values, const std::size_t* start, const int* coordinate, const int* rank,
                  const double* s, double* y) {
  Lanes4 a0 = {}, a1 = {};
  Lanes2 b0 = {}, b1 = {};
  for (int k = 0; k < count; ++k) {
    const double* B = values + start[k];
    const double* x = s + coordinate[k];
    const int n = rank[k];
    int c = 0;
    for (; c + 2 <= n; c += 2, B += 12) {
      a0 += Load4(B) * x[c];
      b0 += Load2(B + 4) * x[c];
      a1 += Load4(B + 6) * x[c + 1];
      b1 += Load2(B + 10) * x[c + 1];
    }
    if (c < n) {
      a0 += Load4(B) * x[c];
      b0 += Load2(B + 4) * x[c];
    }
  }
  a0 += a1;
  b0 += b1;
  for (int i = 0; i < 4; ++i) y[i] = a0[i];
  y[4] = b0[0];
  y[5] = b0[1];
}

void MultiplyRow3(int count, const double* values, const std::size_t* start, const int* coordinate, const int* rank,
                  const double* s, double* y) {
  double y0 = 0, y1 = 0, y2 = 0;
  for (int k = 0; k < count; ++k) {
    const double* B = values + start[k];
    const double* x = s + coordinate[k];
    for (int c = 0; c < rank[k]; ++c, B += 3) {
      y0 += B[0] * x[c];
      y1 += B[1] * x[c];
      y2 += B[2] * x[c];
    }
  }
  y[0] = y0;
  y[1] = y1;
  y[2] = y2;
}

}  // namespace

void MultiplyRow(int r, int count, const double* values, const std::size_t* start, const int* coordinate,
                 const int* rank, const double* s, double* y) {
  if (r == 6) return MultiplyRow6(count, values, start, coordinate, rank, s, y);
  if (r == 3) return MultiplyRow3(count, values, start, coordinate, rank, s, y);
  for (int a = 0; a < r; ++a) y[a] = 0;
  for (int k = 0; k < count; ++k) {
    const double* B = values + start[k];
    const double* x = s + coordinate[k];
    for (int c = 0; c < rank[k]; ++c, B += r) {
      for (int a = 0; a < r; ++a) y[a] += B[a] * x[c];
    }
  }
}

void AddProduct(int r, int c, const double* B, const double* K, double* S, int stride) {
  for (int a = 0; a < r; ++a) {
    double* row = S + a * stride;
    if (c == 6) {
      Lanes4 low = Load4(row);
      Lanes2 high = Load2(row + 4);
      for (int k = 0; k < 6; ++k) {
        const double b = B[k * r + a];
        low += b * Load4(K + 6 * k);
        high += b * Load2(K + 6 * k + 4);
      }
      *reinterpret_cast<Lanes4*>(row) = low;
      *reinterpret_cast<Lanes2*>(row + 4) = high;
    } else {
      for (int k = 0; k < c; ++k) {
        const double b = B[k * r + a];
        for (int j = 0; j < c; ++j) row[j] += b * K[k * c + j];
      }
    }
  }
}

extern const CoordinateKernels kCoordinateKernels;
const CoordinateKernels kCoordinateKernels = {MultiplyRow, AddProduct};

}  // namespace tactus::TACTUS_KERNEL_NS
