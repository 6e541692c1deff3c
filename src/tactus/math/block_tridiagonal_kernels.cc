#include "tactus/math/block_tridiagonal_kernels_api.h"

#include "tactus/math/lanes.h"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

constexpr int kColumn = TridiagonalFactor::kColumn, kBlock = TridiagonalFactor::kBlock;

// B x as two vectors. Two sums each, as additions of one wait for each other.
inline void MultiplyBlock(const double* B, const double* x, Lanes* low, Lanes* high) {
  Lanes l0 = Load(B) * Splat(x[0]), h0 = Load(B + 4) * Splat(x[0]);
  Lanes l1 = Load(B + kColumn) * Splat(x[1]), h1 = Load(B + kColumn + 4) * Splat(x[1]);
  for (int c = 2; c < 6; c += 2) {
    l0 += Load(B + kColumn * c) * Splat(x[c]);
    h0 += Load(B + kColumn * c + 4) * Splat(x[c]);
    l1 += Load(B + kColumn * (c + 1)) * Splat(x[c + 1]);
    h1 += Load(B + kColumn * (c + 1) + 4) * Splat(x[c + 1]);
  }
  *low = l0 + l1;
  *high = h0 + h1;
}

inline void Subtract(const double* B, const double* x, double* y) {
  Lanes low, high;
  MultiplyBlock(B, x, &low, &high);
  Store(y, Load(y) - low);
  Store(y + 4, Load(y + 4) - high);
}

void Solve(const TridiagonalFactor& f, double* x) {
  for (int i = 1; i < f.num_blocks; ++i) {
    Subtract(f.coupling + static_cast<long>(kBlock) * i, x + kColumn * (i - 1), x + kColumn * i);
  }
  for (int i = f.num_blocks - 1; i >= 0; --i) {
    double* y = x + kColumn * i;
    Lanes low, high;
    MultiplyBlock(f.inverse + static_cast<long>(kBlock) * i, y, &low, &high);
    Store(y, low);
    Store(y + 4, high);
    if (i + 1 < f.num_blocks) Subtract(f.coupling_transposed + static_cast<long>(kBlock) * (i + 1), y + kColumn, y);
  }
}

}  // namespace

extern const TridiagonalKernels kTridiagonalKernels;
const TridiagonalKernels kTridiagonalKernels = {&Solve};

}  // namespace tactus::TACTUS_KERNEL_NS
