#include "tactus/math/cholesky_front.h"

// Vectors of four cross only functions of this file, which are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

// Four doubles that need no alignment: one AVX2 register, or two SSE2 ones.
using Lanes = double __attribute__((vector_size(32), aligned(8), may_alias));
inline Lanes Load(const double* p) { return *reinterpret_cast<const Lanes*>(p); }
inline void Store(double* p, Lanes v) { *reinterpret_cast<Lanes*>(p) = v; }
inline Lanes Broadcast(double x) { return Lanes{x, x, x, x}; }

// Sixteen registers hold the rows of a panel, or a tile of four rows, with what they are multiplied by.
#ifdef __AVX2__
constexpr int kPanel = 8;
constexpr int kTileVectors = 3;
#else
constexpr int kPanel = 4;
constexpr int kTileVectors = 1;
#endif
// Vectors that a strip of K rows takes at a time.
constexpr int StripVectors(int K) { return 2 * K <= kPanel + 4 ? 2 : 1; }

// What the rows of a panel of K are multiplied by: row i gets -multiplier[k][i] times row k, then scale[i].
struct PanelFactor {
  double multiplier[kPanel][kPanel];
  double scale[kPanel];
};

// acc[i] -= sum_{k < depth} U[k][i] U[k][j..], i counted from the panel's first row.
template <int K, int V>
inline void AddRowsAbove(const double* above, const double* column, int stride, int depth, Lanes (&acc)[K][V]) {
  for (int k = 0; k < depth; ++k) {
    Lanes u[V];
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) u[v] = Load(column + k * stride + 4 * v);
#pragma GCC unroll 8
    for (int i = 0; i < K; ++i) {
      const Lanes l = Broadcast(above[k * stride + i]);
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) acc[i][v] -= l * u[v];
    }
  }
}

// The K x K diagonal block at row k0, less what the rows above contribute. U^T U with the square roots taken at the
// end, off the chain of pivots: until then rows are those of L D L^T.
template <int K>
inline bool FactorizeDiagonal(double* P, int stride, int k0, PanelFactor* factor) {
  constexpr int V = (K + 3) / 4;
  double* D = P + k0 * stride + k0;
  Lanes row[K][V];
#pragma GCC unroll 8
  for (int i = 0; i < K; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) row[i][v] = Load(D + i * stride + 4 * v);
  }
  AddRowsAbove<K, V>(P + k0, P + k0, stride, k0, row);
  double pivot[K];
  bool positive = true;
#pragma GCC unroll 8
  for (int k = 0; k < K; ++k) {
    const double d = row[k][k / 4][k % 4];
    positive = positive && d > 0 && d <= __DBL_MAX__;
    pivot[k] = d;
    const Lanes inverse = Broadcast(1 / d);
    Lanes l[V];
#pragma GCC unroll 8
    for (int v = k / 4; v < V; ++v) {
      l[v] = row[k][v] * inverse;
      Store(factor->multiplier[k] + 4 * v, l[v]);
    }
#pragma GCC unroll 8
    for (int i = k + 1; i < K; ++i) {
      const Lanes u = Broadcast(row[k][i / 4][i % 4]);
#pragma GCC unroll 8
      for (int v = i / 4; v < V; ++v) row[i][v] -= u * l[v];
    }
  }
  if (!positive) return false;
#pragma GCC unroll 8
  for (int i = 0; i < K; ++i) {
    const double scale = 1 / __builtin_sqrt(pivot[i]);
    factor->scale[i] = scale;
#pragma GCC unroll 8
    for (int v = i / 4; v < V; ++v) Store(D + i * stride + 4 * v, row[i][v] * Broadcast(scale));
    D[i * stride + i] = scale;
  }
  return true;
}

// Rows [k0, k0 + K) in V vectors of columns from j on: less what the rows above contribute, times U11^{-T}.
template <int K, int V>
inline void SolveStrip(double* P, int stride, int k0, int j, const PanelFactor& factor) {
  double* to = P + k0 * stride + j;
  Lanes acc[K][V];
#pragma GCC unroll 8
  for (int i = 0; i < K; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) acc[i][v] = Load(to + i * stride + 4 * v);
  }
  AddRowsAbove<K, V>(P + k0, P + j, stride, k0, acc);
#pragma GCC unroll 8
  for (int k = 0; k < K; ++k) {
#pragma GCC unroll 8
    for (int i = k + 1; i < K; ++i) {
      const Lanes l = Broadcast(factor.multiplier[k][i]);
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) acc[i][v] -= l * acc[k][v];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < K; ++i) {
    const Lanes scale = Broadcast(factor.scale[i]);
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) Store(to + i * stride + 4 * v, acc[i][v] * scale);
  }
}

template <int K>
bool FactorizePanel(double* P, int stride, int k0, int end) {
  PanelFactor factor;
  if (!FactorizeDiagonal<K>(P, stride, k0, &factor)) return false;
  constexpr int V = StripVectors(K);
  int j = RoundToLanes(k0 + K);
  for (; j + 4 * V <= end; j += 4 * V) SolveStrip<K, V>(P, stride, k0, j, factor);
  for (; j < end; j += 4) SolveStrip<K, 1>(P, stride, k0, j, factor);
  return true;
}

bool FactorizePanelOf(int rows, double* P, int stride, int k0, int end) {
  switch (rows) {
    case 1: return FactorizePanel<1>(P, stride, k0, end);
    case 2: return FactorizePanel<2>(P, stride, k0, end);
    case 3: return FactorizePanel<3>(P, stride, k0, end);
    case 4: return FactorizePanel<4>(P, stride, k0, end);
#ifdef __AVX2__
    case 5: return FactorizePanel<5>(P, stride, k0, end);
    case 6: return FactorizePanel<6>(P, stride, k0, end);
    case 7: return FactorizePanel<7>(P, stride, k0, end);
#endif
    default: return FactorizePanel<kPanel>(P, stride, k0, end);
  }
}

// Four rows of -U^T U, V vectors of columns: i and j point to their columns in the first row of U.
template <int V>
inline void GramTile(const double* i, const double* j, int stride, int depth, double* to, int to_stride) {
  Lanes acc[4][V] = {};
  AddRowsAbove<4, V>(i, j, stride, depth, acc);
#pragma GCC unroll 8
  for (int a = 0; a < 4; ++a) {
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) Store(to + a * to_stride + 4 * v, acc[a][v]);
  }
}

// schur = -U^T U on and above the diagonal, by tiles. Strips of columns stay in the cache while all rows pass.
void Gram(const double* U, int stride, int depth, int r, double* schur) {
  const int width = SchurStride(r);
  for (int j0 = 0; j0 < width; j0 += 4 * kTileVectors) {
    const int end = j0 + 4 * kTileVectors < width ? j0 + 4 * kTileVectors : width;
    for (int i = 0; i < end; i += 4) {
      const int j = i > j0 ? i : j0;
      double* to = schur + i * width + j;
      switch ((end - j) / 4) {
        case 1: GramTile<1>(U + i, U + j, stride, depth, to, width); break;
#ifdef __AVX2__
        case 2: GramTile<2>(U + i, U + j, stride, depth, to, width); break;
#endif
        default: GramTile<kTileVectors>(U + i, U + j, stride, depth, to, width); break;
      }
    }
  }
}

inline double Sum(Lanes v) { return (v[0] + v[2]) + (v[1] + v[3]); }

// y[i] -= U12 row i times x2 for Rows rows.
template <int Rows>
inline void SubtractProducts(const double* U, int stride, int width, const double* x2, double* y) {
  Lanes sum[Rows] = {};
  for (int j = 0; j < width; j += 4) {
    const Lanes x = Load(x2 + j);
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) sum[i] += Load(U + i * stride + j) * x;
  }
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i) y[i] -= Sum(sum[i]);
}

// below = -U^T y for V vectors of columns.
template <int V>
inline void MultiplyTransposed(const double* U, int stride, int s, const double* y, double* below) {
  Lanes acc[V] = {};
  for (int k = 0; k < s; ++k) {
    const Lanes x = Broadcast(y[k]);
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) acc[v] -= Load(U + k * stride + 4 * v) * x;
  }
#pragma GCC unroll 8
  for (int v = 0; v < V; ++v) Store(below + 4 * v, acc[v]);
}

}  // namespace

bool PartialCholesky(double* panel, int stride, int s, int r, double* schur) {
  const int below_at = RoundToLanes(s), end = below_at + RoundToLanes(r);
  for (int k0 = 0; k0 < s; k0 += kPanel) {
    const int rows = s - k0 < kPanel ? s - k0 : kPanel;
    if (!FactorizePanelOf(rows, panel, stride, k0, end)) return false;
  }
  if (r > 0) Gram(panel + below_at, stride, s, r, schur);
  return true;
}

void CholeskyExtendAdd(const double* child, int child_stride, int begin, int end, const int* rows, const FrontRun* runs,
                       int num_runs, double* parent, int parent_stride, int shift) {
  const FrontRun* run = runs;
  const FrontRun* const last = runs + num_runs;
  for (int i = begin; i < end; ++i) {
    while (run->from + run->length <= i) ++run;
    const double* from = child + i * child_stride;
    double* to = parent + (rows[i] - shift) * parent_stride;
    int skip = i - run->from;  // what is left of the diagonal
    for (const FrontRun* q = run; q != last; ++q) {
      const double* a = from + q->from;
      double* b = to + (q->to - shift);
      const int length = q->length;
      int j = skip;
      skip = 0;
      for (; j + 4 <= length; j += 4) Store(b + j, Load(b + j) + Load(a + j));
      for (; j < length; ++j) b[j] += a[j];
    }
  }
}

// Triangles are solved by blocks of four, each scalar by scalar, and vectors start where blocks do: a vector that
// overlaps two that were just stored would wait for both to reach the cache.
void CholeskyForward(const double* panel, int stride, int s, int r, double* y, double* below) {
  for (int k0 = 0; k0 < s; k0 += 4) {
    const int k1 = k0 + 4 < s ? k0 + 4 : s;
    for (int k = k0; k < k1; ++k) {
      const double* row = panel + k * stride;
      y[k] *= row[k];
      for (int i = k + 1; i < k1; ++i) y[i] -= row[i] * y[k];
    }
    if (k1 == s) break;
    const double* rows = panel + k0 * stride;
    const Lanes x0 = Broadcast(y[k0]), x1 = Broadcast(y[k0 + 1]), x2 = Broadcast(y[k0 + 2]), x3 = Broadcast(y[k0 + 3]);
    int i = k1;
    for (; i + 4 <= s; i += 4) {
      const Lanes sum = (Load(rows + i) * x0 + Load(rows + stride + i) * x1) +
                        (Load(rows + 2 * stride + i) * x2 + Load(rows + 3 * stride + i) * x3);
      Store(y + i, Load(y + i) - sum);
    }
    for (; i < s; ++i) {
      y[i] -=
          (rows[i] * x0[0] + rows[stride + i] * x1[0]) + (rows[2 * stride + i] * x2[0] + rows[3 * stride + i] * x3[0]);
    }
  }
  const double* U = panel + RoundToLanes(s);
  const int width = SchurStride(r);
  int j = 0;
  for (; j + 16 <= width; j += 16) MultiplyTransposed<4>(U + j, stride, s, y, below + j);
  for (; j < width; j += 4) MultiplyTransposed<1>(U + j, stride, s, y, below + j);
}

void CholeskyBackward(const double* panel, int stride, int s, int r, const double* x2, double* y) {
  const double* U = panel + RoundToLanes(s);
  const int width = SchurStride(r);
  if (r > 0) {
    int i = 0;
    for (; i + 4 <= s; i += 4) SubtractProducts<4>(U + i * stride, stride, width, x2, y + i);
    for (; i < s; ++i) SubtractProducts<1>(U + i * stride, stride, width, x2, y + i);
  }
  for (int k0 = (s - 1) / 4 * 4; k0 >= 0; k0 -= 4) {
    const int k1 = k0 + 4 < s ? k0 + 4 : s;
    if (k1 < s) {
      const int whole = (s - k1) / 4 * 4;
      SubtractProducts<4>(panel + k0 * stride + k1, stride, whole, y + k1, y + k0);
      for (int j = k1 + whole; j < s; ++j) {
        for (int k = k0; k < k1; ++k) y[k] -= panel[k * stride + j] * y[j];
      }
    }
    for (int k = k1 - 1; k >= k0; --k) {
      y[k] *= panel[k * stride + k];
      for (int i = k0; i < k; ++i) y[i] -= panel[i * stride + k] * y[k];
    }
  }
}

extern const CholeskyKernels kCholeskyKernels;
const CholeskyKernels kCholeskyKernels = {PartialCholesky, CholeskyExtendAdd, CholeskyForward, CholeskyBackward};

}  // namespace tactus::TACTUS_KERNEL_NS
