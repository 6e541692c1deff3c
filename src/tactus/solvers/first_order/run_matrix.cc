#include "tactus/solvers/first_order/run_matrix.h"

#include <algorithm>

#include "tactus/core/simd.h"

namespace tactus {

namespace baseline {
extern const RunKernels kRunKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const RunKernels kRunKernels;
}
#endif

const RunKernels& GetRunKernels() {
#if TACTUS_HAVE_V3_KERNELS
  if (ActiveSimdLevel() == SimdLevel::V3) return v3::kRunKernels;
#endif
  return baseline::kRunKernels;
}

void RunMatrix::Clear() {
  blocks_.clear();
  runs_.clear();
  values_.clear();
}

void RunMatrix::BeginBlock(int dim) {
  const int first = static_cast<int>(runs_.size());
  blocks_.push_back({dim, first, first});
}

double* RunMatrix::AddRun(int column, int length) {
  Block& block = blocks_.back();
  const std::size_t start = values_.size();
  runs_.push_back({column, length, start});
  block.end_run = static_cast<int>(runs_.size());
  values_.resize(start + static_cast<std::size_t>(block.dim) * length);
  return values_.data() + start;
}

void RunMatrix::SetFrom(const DelassusMatrix& W) {
  Clear();
  std::size_t nonzeros = 0;
  for (int i = 0; i < W.num_constraints(); ++i) {
    for (int k = W.row_begin(i); k < W.row_end(i); ++k)
      nonzeros += static_cast<std::size_t>(W.dim(i)) * W.dim(W.column(k));
  }
  values_.reserve(nonzeros);
  for (int i = 0; i < W.num_constraints(); ++i) {
    BeginBlock(W.dim(i));
    for (int k = W.row_begin(i); k < W.row_end(i);) {
      int end = k + 1;  // entries [k, end) are neighbours in lambda
      while (end < W.row_end(i) && W.column(end) == W.column(end - 1) + 1) ++end;
      const int column = W.offset(W.column(k));
      const int length = W.offset(W.column(end - 1)) + W.dim(W.column(end - 1)) - column;
      double* values = AddRun(column, length);
      for (; k < end; ++k) {
        const int d = W.dim(W.column(k)), shift = W.offset(W.column(k)) - column;
        for (int r = 0; r < W.dim(i); ++r) std::copy_n(W.block(k) + r * d, d, values + r * length + shift);
      }
    }
  }
}

}  // namespace tactus
