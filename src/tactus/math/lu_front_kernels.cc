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

// Columns (k, k1) of the rows below minus l times the pivot row, Vectors x 4 columns from `first` on. Returns the
// largest |l| of rows [s, n), where no pivot was looked for.
template <int Vectors>
inline double Eliminate(double* F, int stride, int k, int s, int n, int first, const double* pivot_row,
                        double inverse) {
  Lanes p[Vectors > 0 ? Vectors : 1];
  for (int v = 0; v < Vectors; ++v) p[v] = Load(pivot_row + 4 * v);
  double largest = 0;
  for (int i = k + 1; i < n; ++i) {
    double* row = F + i * stride;
    const double l = row[k] * inverse;
    if (i >= s) largest = Max(largest, __builtin_fabs(l));
    const Lanes factor = Broadcast(l);
    for (int v = 0; v < Vectors; ++v) Store(row + first + 4 * v, Load(row + first + 4 * v) - factor * p[v]);
    row[k] = l;
  }
  return largest;
}

// The panel's columns [k0, k1): pivots among rows [k, s), eliminates in all rows below, columns of the panel only.
double FactorizePanel(double* F, int stride, int s, int n, int k0, int k1, int* pivots) {
  double growth = 1;
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
    pivots[k] = best;
    if (!(largest > 0) || !__builtin_isfinite(largest)) return 0;
    if (best != k) {
      for (int j = 0; j < n; ++j) Swap(F[k * stride + j], F[best * stride + j]);
    }
    const double inverse = 1 / F[k * stride + k];
    // Whole vectors of the pivot row, zero outside of (k, k1).
    const int first = k0 + ((k + 1 - k0) & ~3), vectors = (k1 - first + 3) / 4;
    double pivot_row[kPanel] = {};
    for (int j = k + 1; j < k1; ++j) pivot_row[j - first] = F[k * stride + j];
    double l = 0;
    switch (vectors) {
      case 0: l = Eliminate<0>(F, stride, k, s, n, first, pivot_row, inverse); break;
      case 1: l = Eliminate<1>(F, stride, k, s, n, first, pivot_row, inverse); break;
      case 2: l = Eliminate<2>(F, stride, k, s, n, first, pivot_row, inverse); break;
      case 3: l = Eliminate<3>(F, stride, k, s, n, first, pivot_row, inverse); break;
      default: l = Eliminate<4>(F, stride, k, s, n, first, pivot_row, inverse); break;
    }
    growth = Max(growth, l);
  }
  return 1 / growth;
}

// sum_k a[k] b[k].
inline double Dot(const double* a, const double* b, int n) {
  Lanes s0 = {}, s1 = {};
  int k = 0;
  for (; k + 8 <= n; k += 8) {
    s0 += Load(a + k) * Load(b + k);
    s1 += Load(a + k + 4) * Load(b + k + 4);
  }
  if (k + 4 <= n) {
    s0 += Load(a + k) * Load(b + k);
    k += 4;
  }
  s0 += s1;
  double sum = (s0[0] + s0[2]) + (s0[1] + s0[3]);
  for (; k < n; ++k) sum += a[k] * b[k];
  return sum;
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
      const int length = runs[q].length;
      int j = 0;
      for (; j + 4 <= length; j += 4) Store(b + j, Load(b + j) + Load(a + j));
      for (; j < length; ++j) b[j] += a[j];
    }
  }
}

void Forward(const double* F, int stride, int s, int n, const int* pivots, double* y, double* below) {
  for (int k = 0; k < s; ++k) {
    if (pivots[k] != k) Swap(y[k], y[pivots[k]]);
  }
  for (int i = 1; i < s; ++i) y[i] -= Dot(F + i * stride, y, i);
  for (int i = s; i < n; ++i) below[i - s] -= Dot(F + i * stride, y, s);
}

void Backward(const double* F, int stride, int s, int n, const double* x2, double* y) {
  for (int i = s - 1; i >= 0; --i) {
    const double* row = F + i * stride;
    const double known = Dot(row + s, x2, n - s) + Dot(row + i + 1, y + i + 1, s - i - 1);
    y[i] = (y[i] - known) / row[i];
  }
}

extern const FrontKernels kFrontKernels;
const FrontKernels kFrontKernels = {PartialLu, ExtendAdd, Forward, Backward};

}  // namespace tactus::TACTUS_KERNEL_NS
