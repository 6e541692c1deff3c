#include "tactus/math/block_lu.h"

#include <algorithm>

#include "tactus/core/simd.h"

namespace tactus {

namespace baseline {
extern const FrontKernels kFrontKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const FrontKernels kFrontKernels;
}
#endif

const FrontKernels& GetFrontKernels() {
#if TACTUS_HAVE_V3_KERNELS
  if (ActiveSimdLevel() == SimdLevel::V3) return v3::kFrontKernels;
#endif
  return baseline::kFrontKernels;
}

void BlockLu::Analyze(const std::vector<int>& sizes, const std::vector<int>& row_start,
                      const std::vector<int>& columns) {
  if (sizes == sizes_ && row_start == row_start_ && columns == columns_) return;
  sizes_ = sizes;
  row_start_ = row_start;
  columns_ = columns;
  tree_.Analyze({sizes, row_start, columns}, FrontSettings());
  front_place_.clear();
  std::size_t next = 0;
  for (const Front& f : tree_.fronts()) {
    front_place_.push_back(next);
    next += static_cast<std::size_t>(f.s + f.r) * FrontStride(f.s + f.r) + 8;
  }
  entry_place_.resize(columns.size());
  entry_stride_.resize(columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const FrontTree::Place& place = tree_.place(static_cast<int>(k));
    const Front& f = tree_.fronts()[place.front];
    entry_stride_[k] = FrontStride(f.s + f.r);
    entry_place_[k] = front_place_[place.front] + static_cast<std::size_t>(place.row) * entry_stride_[k] + place.column;
  }
  arena_.assign(next, 0.0);
  pivots_.assign(size(), 0);
  work_.assign(size(), 0.0);
  below_.assign(tree_.widest(), 0.0);
}

void BlockLu::Clear() { std::fill(arena_.begin(), arena_.end(), 0.0); }

void BlockLu::ClearFront(int front) {
  const Front& f = tree_.fronts()[front];
  double* F = arena_.data() + front_place_[front];
  std::fill(F, F + static_cast<std::size_t>(f.s + f.r) * FrontStride(f.s + f.r), 0.0);
}

bool BlockLu::Eliminate(int front) {
  const FrontKernels& kernels = *kernels_;
  const Front& f = tree_.fronts()[front];
  double* F = arena_.data() + front_place_[front];
  const int n = f.s + f.r, stride = FrontStride(n);
  for (const int child : tree_.children(f)) {
    const Front& c = tree_.fronts()[child];
    const int child_stride = FrontStride(c.s + c.r);
    const double* schur = arena_.data() + front_place_[child] + static_cast<std::size_t>(c.s) * child_stride + c.s;
    kernels.extend_add(schur, child_stride, c.r, tree_.rows(c), tree_.runs(c), c.num_runs, F, stride);
  }
  const double ratio = kernels.partial_lu(F, stride, f.s, n, pivots_.data() + f.first);
  pivot_ratio_ = std::min(pivot_ratio_, ratio);
  return ratio != 0;
}

bool BlockLu::Factorize() {
  pivot_ratio_ = 1;
  const int count = static_cast<int>(tree_.fronts().size());
  for (int f = 0; f < count; ++f) {
    if (!Eliminate(f)) return false;
  }
  return true;
}

void BlockLu::Solve(double* x) {
  const FrontKernels& kernels = *kernels_;
  const std::vector<Front>& fronts = tree_.fronts();
  const std::vector<int>& permuted = tree_.permuted();
  const int count = static_cast<int>(fronts.size());
  double* y = work_.data();
  for (int i = 0; i < size(); ++i) y[permuted[i]] = x[i];
  for (int q = 0; q < count; ++q) {
    const Front& f = fronts[q];
    const int n = f.s + f.r;
    std::fill(below_.begin(), below_.begin() + f.r, 0.0);
    kernels.forward(arena_.data() + front_place_[q], FrontStride(n), f.s, n, pivots_.data() + f.first, y + f.first,
                    below_.data());
    const int* index = tree_.indices(f);
    for (int i = 0; i < f.r; ++i) y[index[i]] += below_[i];
  }
  for (int q = count - 1; q >= 0; --q) {
    const Front& f = fronts[q];
    const int n = f.s + f.r;
    const int* index = tree_.indices(f);
    for (int i = 0; i < f.r; ++i) below_[i] = y[index[i]];
    kernels.backward(arena_.data() + front_place_[q], FrontStride(n), f.s, n, below_.data(), y + f.first);
  }
  for (int i = 0; i < size(); ++i) x[i] = y[permuted[i]];
}

}  // namespace tactus
