// Dense kernels of the multifrontal factorization, compiled once per instruction-set level.
#pragma once

#include "tactus/math/front_run.h"

namespace tactus {

/// Leading dimension that lets kernels run over whole vectors: rows of a front are padded with zeros.
inline constexpr int FrontStride(int n) { return (n + 11) & ~3; }

struct FrontKernels {
  /// LU of the first s rows and columns of the n x n front F (row major, stride FrontStride(n)), pivoting among those s
  /// rows only; leaves L (unit) and U, with the inverses of its diagonal, in place and the Schur complement in the last
  /// n - s. Returns the smallest pivot relative to the largest entry of its column in the rows below s, at most 1; 0 on
  /// breakdown.
  double (*partial_lu)(double* F, int stride, int s, int n, int* pivots);
  /// Adds the trailing r x r block of a child's front to the parent's: row i goes to row rows[i].
  void (*extend_add)(const double* child, int child_stride, int r, const int* rows, const FrontRun* runs, int num_runs,
                     double* parent, int parent_stride);
  /// x <- solution with the s x s leading factor and coupling to `below`: forward part, b2 -= L21 y.
  void (*forward)(const double* F, int stride, int s, int n, const int* pivots, double* y, double* below);
  /// Backward part: y <- U11^{-1} (y - U12 x2).
  void (*backward)(const double* F, int stride, int s, int n, const double* x2, double* y);
};

/// The kernels of the active level.
const FrontKernels& GetFrontKernels();

}  // namespace tactus
