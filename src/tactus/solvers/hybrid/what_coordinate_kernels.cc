#include "tactus/solvers/hybrid/coordinate_kernels.h"

// Vectors cross only functions of this file, which are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

using Lanes4 __attribute__((vector_size(32), aligned(8), may_alias)) = double;
using Lanes2 __attribute__((vector_size(16), aligned(8), may_alias)) = double;

inline Lanes4 Load4(const double* p) { return *reinterpret_cast<const Lanes4*>(p); }
inline Lanes2 Load2(const double* p) { return *reinterpret_cast<const Lanes2*>(p); }

inline double Sum(Lanes4 v) { return (v[0] + v[2]) + (v[1] + v[3]); }

struct Isa {};  // gives this level its own copy of shared inline code

// The common case: twists, six rows. Two chains of additions, four and two lanes wide.
void MultiplyRow6(const CoordinateRows& rows, int begin, int end, const double* s, double* y) {
  Lanes4 a0 = {}, a1 = {};
  Lanes2 b0 = {}, b1 = {};
  for (int k = begin; k < end; ++k) {
    const double* B = rows.values + rows.start[k];
    const double* x = s + rows.coordinate[k];
    const int n = rows.rank[k];
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

template <int R>
void MultiplyRowFixed(const CoordinateRows& rows, int begin, int end, const double* s, double* y) {
  double sum[R] = {};
  for (int k = begin; k < end; ++k) {
    const double* B = rows.values + rows.start[k];
    const double* x = s + rows.coordinate[k];
    for (int c = 0; c < rows.rank[k]; ++c, B += R) {
      for (int a = 0; a < R; ++a) sum[a] += B[a] * x[c];
    }
  }
  for (int a = 0; a < R; ++a) y[a] = sum[a];
}

template <int C>
void AddProductFixed(int r, const double* B, const double* K, double* S, int stride) {
  for (int a = 0; a < r; ++a) {
    double* row = S + a * stride;
    double sum[C];
    for (int j = 0; j < C; ++j) sum[j] = row[j];
    for (int k = 0; k < C; ++k) {
      const double b = B[k * r + a];
      for (int j = 0; j < C; ++j) sum[j] += b * K[k * C + j];
    }
    for (int j = 0; j < C; ++j) row[j] = sum[j];
  }
}

}  // namespace

void MultiplyRow(int r, const CoordinateRows& rows, int begin, int end, const double* s, double* y) {
  switch (r) {
    case 3: return MultiplyRowFixed<3>(rows, begin, end, s, y);
    case 5: return MultiplyRowFixed<5>(rows, begin, end, s, y);
    case 6: return MultiplyRow6(rows, begin, end, s, y);
    default: break;
  }
  for (int a = 0; a < r; ++a) y[a] = 0;
  for (int k = begin; k < end; ++k) {
    const double* B = rows.values + rows.start[k];
    const double* x = s + rows.coordinate[k];
    for (int c = 0; c < rows.rank[k]; ++c, B += r) {
      for (int a = 0; a < r; ++a) y[a] += B[a] * x[c];
    }
  }
}

void AddProduct(int r, int c, const double* B, const double* K, double* S, int stride) {
  switch (c) {
    case 3: return AddProductFixed<3>(r, B, K, S, stride);
    case 5: return AddProductFixed<5>(r, B, K, S, stride);
    case 6: break;
    default:
      for (int a = 0; a < r; ++a) {
        double* row = S + a * stride;
        for (int k = 0; k < c; ++k) {
          const double b = B[k * r + a];
          for (int j = 0; j < c; ++j) row[j] += b * K[k * c + j];
        }
      }
      return;
  }
  for (int a = 0; a < r; ++a) {
    double* row = S + a * stride;
    Lanes4 low = Load4(row);
    Lanes2 high = Load2(row + 4);
    for (int k = 0; k < 6; ++k) {
      const double b = B[k * r + a];
      low += b * Load4(K + 6 * k);
      high += b * Load2(K + 6 * k + 4);
    }
    *reinterpret_cast<Lanes4*>(row) = low;
    *reinterpret_cast<Lanes2*>(row + 4) = high;
  }
}

void Sweep(const ContactGroup* groups, int count, bool backward, double relaxation, double tolerance,
           const CoordinateRows& rows, const ContactBasis* basis, const SingleContact* local, const double* diagonal,
           const double* q, double* s, double* r) {
  for (int step = 0; step < count; ++step) {
    const ContactGroup& g = groups[backward ? count - 1 - step : step];
    double y[kPaddedRank] = {};
    MultiplyRow(g.rank, rows, g.block_begin, g.block_end, s, y);
    Lanes4 low = Load4(y), high = Load4(y + 4);
    Lanes4 s_low = {}, s_high = {};  // what the group adds to its coordinates
    const int members = g.end - g.begin;
    for (int m = 0; m < members; ++m) {
      const int i = backward ? g.end - 1 - m : g.begin + m;
      const ContactBasis& b = basis[i];
      const double* Wii = diagonal + 9 * i;
      double* ri = r + 3 * i;
      const double r0 = ri[0], r1 = ri[1], r2 = ri[2];
      // What the contact would see without its own impulse.
      double free[3], next[3];
      for (int a = 0; a < 3; ++a) {
        const double own = Wii[3 * a] * r0 + Wii[3 * a + 1] * r1 + Wii[3 * a + 2] * r2;
        free[a] = q[3 * i + a] + Sum(Load4(b.C[a]) * low + Load4(b.C[a] + 4) * high) - own;
      }
      local[i].Solve<Isa>(free, next, tolerance);
      const double d0 = relaxation * (next[0] - r0), d1 = relaxation * (next[1] - r1), d2 = relaxation * (next[2] - r2);
      const double size = __builtin_fabs(d0) + __builtin_fabs(d1) + __builtin_fabs(d2);
      if (size == 0 || !(size < __builtin_inf())) continue;
      ri[0] = r0 + d0;
      ri[1] = r1 + d1;
      ri[2] = r2 + d2;
      s_low += d0 * Load4(b.C[0]) + d1 * Load4(b.C[1]) + d2 * Load4(b.C[2]);
      s_high += d0 * Load4(b.C[0] + 4) + d1 * Load4(b.C[1] + 4) + d2 * Load4(b.C[2] + 4);
      if (members == 1) continue;
      low += d0 * Load4(b.WC[0]) + d1 * Load4(b.WC[1]) + d2 * Load4(b.WC[2]);
      high += d0 * Load4(b.WC[0] + 4) + d1 * Load4(b.WC[1] + 4) + d2 * Load4(b.WC[2] + 4);
    }
    double* to = s + g.coordinate;
    for (int c = 0; c < g.rank; ++c) to[c] += c < 4 ? s_low[c] : s_high[c - 4];
  }
}

void Gram(int begin, int end, int rank, const ContactBasis* basis, const double* G, double* K) {
  Lanes4 sum[kPaddedRank][2] = {};
  for (int i = begin; i < end; ++i) {
    const ContactBasis& b = basis[i];
    const double* Gi = G + 9 * i;
    Lanes4 GC[3][2];
    bool any = false;
    for (int a = 0; a < 3; ++a) {
      any = any || Gi[3 * a] != 0 || Gi[3 * a + 1] != 0 || Gi[3 * a + 2] != 0;
      for (int h = 0; h < 2; ++h) {
        GC[a][h] = Gi[3 * a] * Load4(b.C[0] + 4 * h) + Gi[3 * a + 1] * Load4(b.C[1] + 4 * h) +
                   Gi[3 * a + 2] * Load4(b.C[2] + 4 * h);
      }
    }
    if (!any) continue;
    for (int k = 0; k < rank; ++k) {
      for (int h = 0; h < 2; ++h) sum[k][h] += b.C[0][k] * GC[0][h] + b.C[1][k] * GC[1][h] + b.C[2][k] * GC[2][h];
    }
  }
  for (int k = 0; k < rank; ++k) {
    for (int j = 0; j < rank; ++j) K[k * rank + j] = sum[k][j / 4][j % 4];
  }
}

void ToCoordinates(int begin, int end, int rank, const ContactBasis* basis, const double* r, double* s) {
  Lanes4 low = {}, high = {};
  for (int i = begin; i < end; ++i) {
    const ContactBasis& b = basis[i];
    const double* x = r + 3 * (i - begin);
    low += x[0] * Load4(b.C[0]) + x[1] * Load4(b.C[1]) + x[2] * Load4(b.C[2]);
    high += x[0] * Load4(b.C[0] + 4) + x[1] * Load4(b.C[1] + 4) + x[2] * Load4(b.C[2] + 4);
  }
  for (int c = 0; c < rank; ++c) s[c] = c < 4 ? low[c] : high[c - 4];
}

void FromCoordinates(int begin, int end, int rank, const ContactBasis* basis, const double* y, double* u) {
  double padded[kPaddedRank] = {};
  for (int c = 0; c < rank; ++c) padded[c] = y[c];
  const Lanes4 low = Load4(padded), high = Load4(padded + 4);
  for (int i = begin; i < end; ++i) {
    const ContactBasis& b = basis[i];
    for (int a = 0; a < 3; ++a) u[3 * (i - begin) + a] = Sum(Load4(b.C[a]) * low + Load4(b.C[a] + 4) * high);
  }
}

extern const CoordinateKernels kCoordinateKernels;
const CoordinateKernels kCoordinateKernels = {MultiplyRow, AddProduct, Sweep, Gram, ToCoordinates, FromCoordinates};

}  // namespace tactus::TACTUS_KERNEL_NS
