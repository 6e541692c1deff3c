#include "tactus/math/cholesky_front.h"

// Vectors of four cross only functions of this file, which are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

// Four doubles that need no alignment: one AVX2 register, or two SSE2 ones.
using Lanes __attribute__((vector_size(32), aligned(8), may_alias)) = double;
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

// The sums of four vectors.
inline Lanes SumEach(Lanes a, Lanes b, Lanes c, Lanes d) {
  const Lanes ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Lanes cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

// y[i] -= row i of U times x, for Rows rows and a width of whole vectors.
template <int Rows>
inline void SubtractProducts(const double* U, int stride, int width, const double* x, double* y) {
  Lanes sum[4] = {};
  for (int j = 0; j < width; j += 4) {
    const Lanes v = Load(x + j);
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) sum[i] += Load(U + i * stride + j) * v;
  }
  const Lanes sums = SumEach(sum[0], sum[1], sum[2], sum[3]);
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i) y[i] -= sums[i];
}

inline void SubtractAllProducts(const double* U, int stride, int rows, int width, const double* x, double* y) {
  if (width == 0) return;
  int i = 0;
  for (; i + 4 <= rows; i += 4) SubtractProducts<4>(U + i * stride, stride, width, x, y + i);
  switch (rows - i) {
    case 1: SubtractProducts<1>(U + i * stride, stride, width, x, y + i); break;
    case 2: SubtractProducts<2>(U + i * stride, stride, width, x, y + i); break;
    case 3: SubtractProducts<3>(U + i * stride, stride, width, x, y + i); break;
    default: break;
  }
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

// Triangles are solved by blocks of at most this many scalars, which stay in registers.
constexpr int kTriangle = 8;

// y <- T^{-T} y and y <- T^{-1} y, T upper triangular with the inverses of its diagonal.
template <int N>
inline void ForwardTriangle(const double* T, int stride, double* y) {
  double x[N];
#pragma GCC unroll 8
  for (int k = 0; k < N; ++k) x[k] = y[k];
#pragma GCC unroll 8
  for (int k = 0; k < N; ++k) {
    x[k] *= T[k * stride + k];
#pragma GCC unroll 8
    for (int i = k + 1; i < N; ++i) x[i] -= T[k * stride + i] * x[k];
  }
#pragma GCC unroll 8
  for (int k = 0; k < N; ++k) y[k] = x[k];
}

template <int N>
inline void BackwardTriangle(const double* T, int stride, double* y) {
  double x[N];
#pragma GCC unroll 8
  for (int k = 0; k < N; ++k) x[k] = y[k];
#pragma GCC unroll 8
  for (int k = N - 1; k >= 0; --k) {
    x[k] *= T[k * stride + k];
#pragma GCC unroll 8
    for (int i = 0; i < k; ++i) x[i] -= T[i * stride + k] * x[k];
  }
#pragma GCC unroll 8
  for (int k = 0; k < N; ++k) y[k] = x[k];
}

template <int N>
inline void Triangle(bool forward, const double* T, int stride, double* y) {
  if (forward) {
    ForwardTriangle<N>(T, stride, y);
  } else {
    BackwardTriangle<N>(T, stride, y);
  }
}

inline void TriangleOf(int n, bool forward, const double* T, int stride, double* y) {
  switch (n) {
    case 1: return Triangle<1>(forward, T, stride, y);
    case 2: return Triangle<2>(forward, T, stride, y);
    case 3: return Triangle<3>(forward, T, stride, y);
    case 4: return Triangle<4>(forward, T, stride, y);
    case 5: return Triangle<5>(forward, T, stride, y);
    case 6: return Triangle<6>(forward, T, stride, y);
    case 7: return Triangle<7>(forward, T, stride, y);
    default: return Triangle<kTriangle>(forward, T, stride, y);
  }
}

using HalfLanes __attribute__((vector_size(16), aligned(8), may_alias)) = double;

// Adds V vectors, and a half one if Half, of rows [begin, end); row i goes to row rows[i] - shift.
template <int V, bool Half>
inline void AddColumns(const double* from, int from_stride, int begin, int end, const int* rows, int shift, double* to,
                       int to_stride) {
  for (int i = begin; i < end; ++i) {
    const double* a = from + i * from_stride;
    double* b = to + (rows[i] - shift) * to_stride;
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) Store(b + 4 * v, Load(b + 4 * v) + Load(a + 4 * v));
    if constexpr (Half) {
      HalfLanes& last = *reinterpret_cast<HalfLanes*>(b + 4 * V);
      last += *reinterpret_cast<const HalfLanes*>(a + 4 * V);
    }
  }
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

// By columns of one run, so that all rows do the same. Rows that begin within these columns are added whole: what is
// left of the diagonal does not matter.
void CholeskyExtendAdd(const double* child, int child_stride, int begin, int end, const int* rows, const FrontRun* runs,
                       int num_runs, double* parent, int parent_stride, int shift) {
  if (begin == end) return;
  for (const FrontRun* run = runs; run != runs + num_runs; ++run) {
    const int stop = run->from + run->length, offset = run->to - run->from - shift;
    for (int j = run->from > begin ? run->from : begin; j < stop;) {
      const int left = stop - j, width = left >= 8 ? 8 : left >= 6 ? 6 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
      const int last = j + width < end ? j + width : end;
      const double* a = child + j;
      double* b = parent + (j + offset);
      switch (width) {
        case 8: AddColumns<2, false>(a, child_stride, begin, last, rows, shift, b, parent_stride); break;
        case 6: AddColumns<1, true>(a, child_stride, begin, last, rows, shift, b, parent_stride); break;
        case 4: AddColumns<1, false>(a, child_stride, begin, last, rows, shift, b, parent_stride); break;
        case 2: AddColumns<0, true>(a, child_stride, begin, last, rows, shift, b, parent_stride); break;
        default:
          for (int i = begin; i < last; ++i) b[(rows[i] - shift) * parent_stride] += a[i * child_stride];
      }
      j += width;
    }
  }
}

void CholeskyForward(const double* panel, int stride, int s, int r, double* y, double* below) {
  for (int k0 = 0; k0 < s; k0 += kTriangle) {
    const int rows = s - k0 < kTriangle ? s - k0 : kTriangle;
    const double* block = panel + k0 * stride;
    TriangleOf(rows, true, block + k0, stride, y + k0);
    int j = k0 + rows;
    for (; j + 4 <= s; j += 4) {
      Lanes acc = Load(y + j);
      for (int k = 0; k < kTriangle; ++k) acc -= Load(block + k * stride + j) * Broadcast(y[k0 + k]);
      Store(y + j, acc);
    }
    for (; j < s; ++j) {
      for (int k = 0; k < kTriangle; ++k) y[j] -= block[k * stride + j] * y[k0 + k];
    }
  }
  const double* U = panel + RoundToLanes(s);
  const int width = SchurStride(r);
  int j = 0;
  for (; j + 16 <= width; j += 16) MultiplyTransposed<4>(U + j, stride, s, y, below + j);
  switch ((width - j) / 4) {
    case 1: MultiplyTransposed<1>(U + j, stride, s, y, below + j); break;
    case 2: MultiplyTransposed<2>(U + j, stride, s, y, below + j); break;
    case 3: MultiplyTransposed<3>(U + j, stride, s, y, below + j); break;
    default: break;
  }
}

void CholeskyBackward(const double* panel, int stride, int s, int r, const double* x2, double* y) {
  SubtractAllProducts(panel + RoundToLanes(s), stride, s, SchurStride(r), x2, y);
  for (int k0 = (s - 1) / kTriangle * kTriangle; k0 >= 0; k0 -= kTriangle) {
    const int rows = s - k0 < kTriangle ? s - k0 : kTriangle;
    const double* block = panel + k0 * stride;
    const int k1 = k0 + rows, whole = (s - k1) / 4 * 4;
    SubtractAllProducts(block + k1, stride, rows, whole, y + k1, y + k0);
    for (int j = k1 + whole; j < s; ++j) {
      for (int k = 0; k < rows; ++k) y[k0 + k] -= block[k * stride + j] * y[j];
    }
    TriangleOf(rows, false, block + k0, stride, y + k0);
  }
}

namespace {

constexpr int kColumns = kSolveColumns;

// One row of all columns.
struct Row {
  Lanes low, high;
};
inline Row LoadRow(const double* y) { return {Load(y), Load(y + 4)}; }
inline void StoreRow(double* y, const Row& row) {
  Store(y, row.low);
  Store(y + 4, row.high);
}
inline void Subtract(double factor, const Row& x, Row* row) {
  const Lanes f = Broadcast(factor);
  row->low -= f * x.low;
  row->high -= f * x.high;
}

// Rows to[0 .. N) -= sum_k U[k][.] y[k]: N columns of U, `count` rows.
template <int N>
inline void SubtractTransposed(const double* U, int stride, int count, const double* y, double* const* to) {
  Row acc[N];
#pragma GCC unroll 4
  for (int a = 0; a < N; ++a) acc[a] = LoadRow(to[a]);
  for (int k = 0; k < count; ++k) {
    const Row x = LoadRow(y + k * kColumns);
#pragma GCC unroll 4
    for (int a = 0; a < N; ++a) Subtract(U[k * stride + a], x, &acc[a]);
  }
#pragma GCC unroll 4
  for (int a = 0; a < N; ++a) StoreRow(to[a], acc[a]);
}

// Rows y[0 .. N) -= sum_j U[.][j] x[j], where x[j] is row index[j] of `all`, or row j without an index.
template <int N>
inline void SubtractRows(const double* U, int stride, int count, const int* index, const double* all, double* y) {
  Row acc[N];
#pragma GCC unroll 4
  for (int a = 0; a < N; ++a) acc[a] = LoadRow(y + a * kColumns);
  for (int j = 0; j < count; ++j) {
    const Row x = LoadRow(all + (index != nullptr ? index[j] : j) * kColumns);
#pragma GCC unroll 4
    for (int a = 0; a < N; ++a) Subtract(U[a * stride + j], x, &acc[a]);
  }
#pragma GCC unroll 4
  for (int a = 0; a < N; ++a) StoreRow(y + a * kColumns, acc[a]);
}

inline void SubtractRowsOf(int rows, const double* U, int stride, int count, const int* index, const double* all,
                           double* y) {
  int a = 0;
  for (; a + 4 <= rows; a += 4) SubtractRows<4>(U + a * stride, stride, count, index, all, y + a * kColumns);
  for (; a < rows; ++a) SubtractRows<1>(U + a * stride, stride, count, index, all, y + a * kColumns);
}

}  // namespace

void CholeskyForwardColumns(const double* panel, int stride, int s, int r, int first, const int* index, double* y) {
  double* own = y + first * kColumns;
  double* to[4];
  for (int k0 = 0; k0 < s; k0 += kTriangle) {
    const int k1 = k0 + kTriangle < s ? k0 + kTriangle : s;
    for (int k = k0; k < k1; ++k) {
      Row row = LoadRow(own + k * kColumns);
      for (int i = k0; i < k; ++i) Subtract(panel[i * stride + k], LoadRow(own + i * kColumns), &row);
      const Lanes scale = Broadcast(panel[k * stride + k]);
      row.low *= scale;
      row.high *= scale;
      StoreRow(own + k * kColumns, row);
    }
    const double* block = panel + k0 * stride;
    int j = k1;
    for (; j + 4 <= s; j += 4) {
      for (int a = 0; a < 4; ++a) to[a] = own + (j + a) * kColumns;
      SubtractTransposed<4>(block + j, stride, k1 - k0, own + k0 * kColumns, to);
    }
    for (; j < s; ++j) {
      to[0] = own + j * kColumns;
      SubtractTransposed<1>(block + j, stride, k1 - k0, own + k0 * kColumns, to);
    }
  }
  const double* U = panel + RoundToLanes(s);
  int j = 0;
  for (; j + 4 <= r; j += 4) {
    for (int a = 0; a < 4; ++a) to[a] = y + index[j + a] * kColumns;
    SubtractTransposed<4>(U + j, stride, s, own, to);
  }
  for (; j < r; ++j) {
    to[0] = y + index[j] * kColumns;
    SubtractTransposed<1>(U + j, stride, s, own, to);
  }
}

void CholeskyBackwardColumns(const double* panel, int stride, int s, int r, int first, const int* index, double* y) {
  double* own = y + first * kColumns;
  SubtractRowsOf(s, panel + RoundToLanes(s), stride, r, index, y, own);
  for (int k0 = (s - 1) / kTriangle * kTriangle; k0 >= 0; k0 -= kTriangle) {
    const int k1 = k0 + kTriangle < s ? k0 + kTriangle : s;
    SubtractRowsOf(k1 - k0, panel + k0 * stride + k1, stride, s - k1, nullptr, own + k1 * kColumns,
                   own + k0 * kColumns);
    for (int k = k1 - 1; k >= k0; --k) {
      Row row = LoadRow(own + k * kColumns);
      for (int i = k + 1; i < k1; ++i) Subtract(panel[k * stride + i], LoadRow(own + i * kColumns), &row);
      const Lanes scale = Broadcast(panel[k * stride + k]);
      row.low *= scale;
      row.high *= scale;
      StoreRow(own + k * kColumns, row);
    }
  }
}

extern const CholeskyKernels kCholeskyKernels;
const CholeskyKernels kCholeskyKernels = {PartialCholesky,  CholeskyExtendAdd,      CholeskyForward,
                                          CholeskyBackward, CholeskyForwardColumns, CholeskyBackwardColumns};

}  // namespace tactus::TACTUS_KERNEL_NS
