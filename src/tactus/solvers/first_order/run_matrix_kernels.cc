#include "tactus/solvers/first_order/run_kernels.h"

// Vectors of four cross only functions of this file, which are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

// Four doubles that need no alignment: one AVX2 register, or two SSE2 ones.
using Lanes __attribute__((vector_size(32), aligned(8), may_alias)) = double;
inline Lanes Load(const double* p) { return *reinterpret_cast<const Lanes*>(p); }
inline void Store(double* p, Lanes v) { *reinterpret_cast<Lanes*>(p) = v; }
inline double Sum(Lanes v) { return (v[0] + v[2]) + (v[1] + v[3]); }

void Multiply3(const ColumnRun* runs, int count, const double* values, const double* x, double* out) {
  Lanes a0{}, a1{}, b0{}, b1{}, c0{}, c1{};
  double s0 = 0, s1 = 0, s2 = 0;
  for (int r = 0; r < count; ++r) {
    const int n = runs[r].length;
    const double *a = values + runs[r].values, *b = a + n, *c = b + n, *y = x + runs[r].column;
    int k = 0;
    for (; k + 8 <= n; k += 8) {
      const Lanes y0 = Load(y + k), y1 = Load(y + k + 4);
      a0 += Load(a + k) * y0;
      b0 += Load(b + k) * y0;
      c0 += Load(c + k) * y0;
      a1 += Load(a + k + 4) * y1;
      b1 += Load(b + k + 4) * y1;
      c1 += Load(c + k + 4) * y1;
    }
    for (; k + 4 <= n; k += 4) {
      const Lanes y0 = Load(y + k);
      a0 += Load(a + k) * y0;
      b0 += Load(b + k) * y0;
      c0 += Load(c + k) * y0;
    }
    for (; k < n; ++k) {
      s0 += a[k] * y[k];
      s1 += b[k] * y[k];
      s2 += c[k] * y[k];
    }
  }
  out[0] = s0 + Sum(a0 + a1);
  out[1] = s1 + Sum(b0 + b1);
  out[2] = s2 + Sum(c0 + c1);
}

double Multiply1(const ColumnRun* runs, int count, const double* values, const double* x) {
  Lanes a0{}, a1{};
  double s = 0;
  for (int r = 0; r < count; ++r) {
    const int n = runs[r].length;
    const double *a = values + runs[r].values, *y = x + runs[r].column;
    int k = 0;
    for (; k + 8 <= n; k += 8) {
      a0 += Load(a + k) * Load(y + k);
      a1 += Load(a + k + 4) * Load(y + k + 4);
    }
    for (; k < n; ++k) s += a[k] * y[k];
  }
  return s + Sum(a0 + a1);
}

void AddTransposed3(const ColumnRun* runs, int count, const double* values, const double* d, double* y) {
  const double d0 = d[0], d1 = d[1], d2 = d[2];
  for (int r = 0; r < count; ++r) {
    const int n = runs[r].length;
    const double *a = values + runs[r].values, *b = a + n, *c = b + n;
    double* out = y + runs[r].column;
    int k = 0;
    for (; k + 4 <= n; k += 4) Store(out + k, Load(out + k) + Load(a + k) * d0 + Load(b + k) * d1 + Load(c + k) * d2);
    for (; k < n; ++k) out[k] += a[k] * d0 + b[k] * d1 + c[k] * d2;
  }
}

}  // namespace

extern const RunKernels kRunKernels;
const RunKernels kRunKernels = {Multiply3, Multiply1, AddTransposed3};

}  // namespace tactus::TACTUS_KERNEL_NS
