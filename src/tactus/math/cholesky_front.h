// Dense kernels of the multifrontal Cholesky factorization, compiled once per instruction-set level.
//
// A front with s eliminated scalars and r below keeps the upper triangle of U^T U, rows being contiguous: a panel of s
// rows [U11 | U12], which becomes the factor, and apart from it the r x r Schur complement. U12 starts at column
// `below_at`, s rounded up to whole vectors; the padding of rows is zero. What is left of the diagonal is never read.
#pragma once

#include "tactus/math/front_run.h"

namespace tactus {

/// Doubles in a vector of the kernels; pointers to panels and Schur complements are aligned to it where speed matters.
inline constexpr int kCholeskyLanes = 4;
inline constexpr int RoundToLanes(int n) { return (n + kCholeskyLanes - 1) / kCholeskyLanes * kCholeskyLanes; }
/// Leading dimension of a panel. Rows a multiple of 256 bytes apart would share few sets of the cache.
inline constexpr int PanelStride(int s, int r) {
  const int stride = RoundToLanes(s) + RoundToLanes(r);
  return stride % 32 == 0 ? stride + 2 * kCholeskyLanes : stride;
}
/// Right-hand sides that are solved side by side: entry i of column c is at y[kSolveColumns * i + c].
inline constexpr int kSolveColumns = 8;
/// Leading dimension of a Schur complement, which has as many rows.
inline constexpr int SchurStride(int r) { return RoundToLanes(r); }

struct CholeskyKernels {
  /// Replaces the panel by the factor, with the inverses of its diagonal, and overwrites the upper triangle of `schur`
  /// (stride SchurStride(r)) by -U12^T U12. False if a pivot is not positive and finite.
  bool (*partial_cholesky)(double* panel, int stride, int s, int r, double* schur);
  /// Adds rows [begin, end) of the upper triangle of a child's Schur complement to `parent`: row i goes to row
  /// rows[i] - shift, its columns as `runs` say, also shifted.
  void (*extend_add)(const double* child, int child_stride, int begin, int end, const int* rows, const FrontRun* runs,
                     int num_runs, double* parent, int parent_stride, int shift);
  /// y <- U11^{-T} y, and below <- -U12^T y (SchurStride(r) numbers).
  void (*forward)(const double* panel, int stride, int s, int r, double* y, double* below);
  /// y <- U11^{-1} (y - U12 x2); x2 has SchurStride(r) numbers, the padding finite.
  void (*backward)(const double* panel, int stride, int s, int r, const double* x2, double* y);
  /// The same for kSolveColumns columns, within the whole vectors: the front's own scalars begin at `first`, those
  /// below are `index`. The first adds what `below` is above to them, the second takes x2 from them.
  void (*forward_columns)(const double* panel, int stride, int s, int r, int first, const int* index, double* y);
  void (*backward_columns)(const double* panel, int stride, int s, int r, int first, const int* index, double* y);
};

/// The kernels of the active level.
const CholeskyKernels& GetCholeskyKernels();

}  // namespace tactus
