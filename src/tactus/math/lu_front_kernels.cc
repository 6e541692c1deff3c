#include "tactus/math/lu_front.h"

// Vectors of four cross only functions of this file, which are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

// Four doubles that need no alignment: one AVX2 register, or two SSE2 ones.
using Lanes = double __attribute__((vector_size(32), aligned(8), may_alias));
inline Lanes Load(const double* p) { return *reinterpret_cast<const Lanes*>(p); }
inline void Store(double* p, Lanes v) { *reinterpret_cast<Lanes*>(p) = v; }
inline Lanes Broadcast(double x) { return Lanes{x, x, x, x}; }

inline double Min(double a, double b) { return a < b ? a : b; }
inline double Max(double a, double b) { return a > b ? a : b; }
inline void Swap(double& a, double& b) {
  const double t = a;
  a = b;
  b = t;
}

constexpr int kPanel = 16;

// C[i][j] -= sum_k L[i][k] U[k][j] for Rows rows and columns [0, width), width rounded up to 8 (the padding is zero).
template <int Rows>
inline void UpdateRows(double* C, const double* L, const double* U, int stride, int depth, int width) {
  for (int j = 0; j < width; j += 8) {
    Lanes acc[Rows][2];
    for (int i = 0; i < Rows; ++i) {
      acc[i][0] = Load(C + i * stride + j);
      acc[i][1] = Load(C + i * stride + j + 4);
    }
    for (int k = 0; k < depth; ++k) {
      const Lanes u0 = Load(U + k * stride + j), u1 = Load(U + k * stride + j + 4);
      for (int i = 0; i < Rows; ++i) {
        const Lanes l = Broadcast(L[i * stride + k]);
        acc[i][0] -= l * u0;
        acc[i][1] -= l * u1;
      }
    }
    for (int i = 0; i < Rows; ++i) {
      Store(C + i * stride + j, acc[i][0]);
      Store(C + i * stride + j + 4, acc[i][1]);
    }
  }
}

// The panel's columns [k0, k1): pivots among rows [k, s), eliminates in all rows below, columns of the panel only.
double FactorizePanel(double* F, int stride, int s, int n, int k0, int k1, int* pivots) {
  double worst = 1;
  for (int k = k0; k < k1; ++k) {
    int best = k;
    double largest = __builtin_fabs(F[k * stride + k]);
    for (int i = k + 1; i < s; ++i) {
      const double a = __builtin_fabs(F[i * stride + k]);
      if (a > largest) {
        largest = a;
        best = i;
      }
    }
    double column = largest;
    for (int i = s; i < n; ++i) column = Max(column, __builtin_fabs(F[i * stride + k]));
    pivots[k] = best;
    if (!(largest > 0) || !__builtin_isfinite(largest)) return 0;
    worst = Min(worst, largest / column);
    if (best != k) {
      for (int j = 0; j < n; ++j) Swap(F[k * stride + j], F[best * stride + j]);
    }
    const double inverse = 1 / F[k * stride + k];
    const double* pivot_row = F + k * stride;
    for (int i = k + 1; i < n; ++i) {
      double* row = F + i * stride;
      const double l = row[k] * inverse;
      row[k] = l;
      for (int j = k + 1; j < k1; ++j) row[j] -= l * pivot_row[j];
    }
  }
  return worst;
}

}  // namespace

double PartialLu(double* F, int stride, int s, int n, int* pivots) {
  double worst = 1;
  for (int k0 = 0; k0 < s; k0 += kPanel) {
    const int k1 = k0 + kPanel < s ? k0 + kPanel : s;
    const double pivot = FactorizePanel(F, stride, s, n, k0, k1, pivots);
    if (pivot == 0) return 0;
    worst = Min(worst, pivot);
    const int width = n - k1;
    if (width == 0) continue;
    // U rows of the panel: unit lower triangular solve.
    for (int i = k0 + 1; i < k1; ++i)
      UpdateRows<1>(F + i * stride + k1, F + i * stride + k0, F + k0 * stride + k1, stride, i - k0, width);
    int i = k1;
    for (; i + 4 <= n; i += 4)
      UpdateRows<4>(F + i * stride + k1, F + i * stride + k0, F + k0 * stride + k1, stride, k1 - k0, width);
    for (; i < n; ++i)
      UpdateRows<1>(F + i * stride + k1, F + i * stride + k0, F + k0 * stride + k1, stride, k1 - k0, width);
  }
  return worst;
}

void ExtendAdd(const double* child, int child_stride, int r, const int* rows, const FrontRun* runs, int num_runs,
               double* parent, int parent_stride) {
  for (int i = 0; i < r; ++i) {
    const double* from = child + i * child_stride;
    double* to = parent + rows[i] * parent_stride;
    for (int q = 0; q < num_runs; ++q) {
      const double* a = from + runs[q].from;
      double* b = to + runs[q].to;
      for (int j = 0; j < runs[q].length; ++j) b[j] += a[j];
    }
  }
}

void Forward(const double* F, int stride, int s, int n, const int* pivots, double* y, double* below) {
  for (int k = 0; k < s; ++k) {
    if (pivots[k] != k) Swap(y[k], y[pivots[k]]);
  }
  for (int i = 1; i < s; ++i) {
    double sum = y[i];
    for (int k = 0; k < i; ++k) sum -= F[i * stride + k] * y[k];
    y[i] = sum;
  }
  for (int i = s; i < n; ++i) {
    double sum = 0;
    for (int k = 0; k < s; ++k) sum += F[i * stride + k] * y[k];
    below[i - s] -= sum;
  }
}

void Backward(const double* F, int stride, int s, int n, const double* x2, double* y) {
  for (int i = s - 1; i >= 0; --i) {
    const double* row = F + i * stride;
    double sum = y[i];
    for (int j = i + 1; j < s; ++j) sum -= row[j] * y[j];
    for (int j = s; j < n; ++j) sum -= row[j] * x2[j - s];
    y[i] = sum / row[i];
  }
}

extern const FrontKernels kFrontKernels;
const FrontKernels kFrontKernels = {PartialLu, ExtendAdd, Forward, Backward};

}  // namespace tactus::TACTUS_KERNEL_NS
