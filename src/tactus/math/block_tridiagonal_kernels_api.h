// Kernels of BlockTridiagonal, compiled once per instruction-set level.
#pragma once

namespace tactus {

/// The factor as kernels see it. Blocks are column major with columns of 8 numbers, the last two zero; vectors have 8
/// numbers a block as well.
struct TridiagonalFactor {
  static constexpr int kColumn = 8, kBlock = 6 * kColumn;
  const double* coupling;             // C_i, of block 0 unused
  const double* coupling_transposed;  // C_i^T
  const double* inverse;              // D_i^{-1}
  int num_blocks;
};

struct TridiagonalKernels {
  /// x <- A^{-1} x.
  void (*solve)(const TridiagonalFactor& factor, double* x);
};
/// Those of the active instruction level.
const TridiagonalKernels& GetTridiagonalKernels();

}  // namespace tactus
