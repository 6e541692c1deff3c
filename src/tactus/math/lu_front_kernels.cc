#include "tactus/math/lu_front.h"

// Vectors of four cross only functions of this file, which are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

// Four doubles that need no alignment: one AVX2 register, or two SSE2 ones.
using Lanes __attribute__((vector_size(32), aligned(8), may_alias)) = double;
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

using Mask = long long __attribute__((vector_size(32), may_alias));
using MaskUnaligned __attribute__((vector_size(32), aligned(8), may_alias)) = long long;
// Lanes [n, 4) of v, the others 0; and lanes [0, n).
constexpr long long kLaneBits[12] = {0, 0, 0, 0, -1, -1, -1, -1, 0, 0, 0, 0};
inline Lanes KeepMask(Lanes v, int from) {
  const Mask keep = *reinterpret_cast<const MaskUnaligned*>(kLaneBits + from);
  return reinterpret_cast<Lanes>(reinterpret_cast<Mask>(v) & keep);
}
inline Lanes KeepFrom(Lanes v, int n) { return KeepMask(v, 4 - n); }
inline Lanes KeepBelow(Lanes v, int n) { return KeepMask(v, 8 - n); }

// Rows (k, n) minus l times row k in columns (k, end), Vectors x 4 columns from `first` on. Returns the largest |l| of
// rows [s, n), where no pivot was looked for.
template <int Vectors>
inline double EliminateColumn(double* F, int stride, int k, int s, int n, int first, int end, double inverse) {
  Lanes p[Vectors + (Vectors == 0)];
  for (int v = 0; v < Vectors; ++v) p[v] = Load(F + k * stride + first + 4 * v);
  if (Vectors > 0) {
    p[0] = KeepFrom(p[0], k + 1 - first);
    const int tail = end - first - 4 * (Vectors - 1);
    if (tail < 4) p[Vectors - 1] = KeepBelow(p[Vectors - 1], tail);
  }
  double largest = 0;
  const auto eliminate = [&](double* row) {
    const double l = row[k] * inverse;
    const Lanes factor = Broadcast(l);
    for (int v = 0; v < Vectors; ++v) Store(row + first + 4 * v, Load(row + first + 4 * v) - factor * p[v]);
    row[k] = l;
    return __builtin_fabs(l);
  };
  for (int i = k + 1; i < s; ++i) eliminate(F + i * stride);
  for (int i = s; i < n; ++i) largest = Max(largest, eliminate(F + i * stride));
  return largest;
}

// Columns [k0, k1): pivots among rows [k, s), eliminates in all rows below, in columns before `end` only
// (end <= k0 + kPanel).
double FactorizePanel(double* F, int stride, int s, int n, int k0, int k1, int end, int* pivots) {
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
    const int first = k0 + ((k + 1 - k0) & ~3);
    double l = 0;
    switch ((end - first + 3) / 4) {
      case 0: l = EliminateColumn<0>(F, stride, k, s, n, first, end, inverse); break;
      case 1: l = EliminateColumn<1>(F, stride, k, s, n, first, end, inverse); break;
      case 2: l = EliminateColumn<2>(F, stride, k, s, n, first, end, inverse); break;
      case 3: l = EliminateColumn<3>(F, stride, k, s, n, first, end, inverse); break;
      default: l = EliminateColumn<4>(F, stride, k, s, n, first, end, inverse); break;
    }
    growth = Max(growth, l);
    F[k * stride + k] = inverse;  // what Backward multiplies with
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
  if (n <= kPanel) return FactorizePanel(F, stride, s, n, 0, s, n, pivots);
  double worst = 1;
  for (int k0 = 0; k0 < s; k0 += kPanel) {
    const int k1 = k0 + kPanel < s ? k0 + kPanel : s;
    const double pivot = FactorizePanel(F, stride, s, n, k0, k1, k1, pivots);
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

// Up to this size triangles are solved column by column: a dot product would wait for the entry just stored.
constexpr int kSmallTriangle = 16;

void Forward(const double* F, int stride, int s, int n, const int* pivots, double* y, double* below) {
  for (int k = 0; k < s; ++k) {
    if (pivots[k] != k) Swap(y[k], y[pivots[k]]);
  }
  if (s <= kSmallTriangle) {
    for (int k = 0; k + 1 < s; ++k) {
      const double x = y[k];
      for (int i = k + 1; i < s; ++i) y[i] -= F[i * stride + k] * x;
    }
  } else {
    for (int i = 1; i < s; ++i) y[i] -= Dot(F + i * stride, y, i);
  }
  for (int i = s; i < n; ++i) below[i - s] -= Dot(F + i * stride, y, s);
}

void Backward(const double* F, int stride, int s, int n, const double* x2, double* y) {
  if (s <= kSmallTriangle) {
    if (n > s) {
      for (int i = 0; i < s; ++i) y[i] -= Dot(F + i * stride + s, x2, n - s);
    }
    for (int k = s - 1; k >= 0; --k) {
      const double x = y[k] * F[k * stride + k];
      y[k] = x;
      for (int i = 0; i < k; ++i) y[i] -= F[i * stride + k] * x;
    }
    return;
  }
  for (int i = s - 1; i >= 0; --i) {
    const double* row = F + i * stride;
    const double known = Dot(row + s, x2, n - s) + Dot(row + i + 1, y + i + 1, s - i - 1);
    y[i] = (y[i] - known) * row[i];
  }
}

extern const FrontKernels kFrontKernels;
const FrontKernels kFrontKernels = {PartialLu, ExtendAdd, Forward, Backward};

}  // namespace tactus::TACTUS_KERNEL_NS
