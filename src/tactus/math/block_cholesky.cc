#include "tactus/math/block_cholesky.h"

#include <algorithm>
#include <array>

#include "tactus/core/simd.h"

namespace tactus {

namespace baseline {
extern const CholeskyKernels kCholeskyKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const CholeskyKernels kCholeskyKernels;
}
#endif

const CholeskyKernels& GetCholeskyKernels() {
#if TACTUS_HAVE_V3_KERNELS
  if (ActiveSimdLevel() == SimdLevel::V3) return v3::kCholeskyKernels;
#endif
  return baseline::kCholeskyKernels;
}

namespace {

constexpr FrontSettings kSettings = {.flop_share = 0.5, .pivot_alignment = kCholeskyLanes};

}  // namespace

void BlockCholesky::Analyze(const std::vector<int>& sizes, const std::vector<int>& row_start,
                            const std::vector<int>& columns) {
  tree_.Analyze({sizes, row_start, columns}, kSettings);
  panel_place_.clear();
  Eigen::Index next = 0;
  for (const Front& f : tree_.fronts()) {
    panel_place_.push_back(next);
    next += static_cast<Eigen::Index>(f.s) * PanelStride(f.s, f.r);
  }
  panels_.setZero(next);
  entry_place_.resize(columns.size());
  row_stride_.resize(columns.size());
  column_stride_.resize(columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const FrontTree::Place& place = tree_.place(static_cast<int>(k));
    const Front& f = tree_.fronts()[place.front];
    const int stride = PanelStride(f.s, f.r);
    const auto [row, column] = std::minmax(place.row, place.column);
    entry_place_[k] = panel_place_[place.front] + static_cast<Eigen::Index>(row) * stride + column;
    row_stride_[k] = stride;
    column_stride_[k] = 1;
    if (place.row > place.column) std::swap(row_stride_[k], column_stride_[k]);
  }
  PlaceSchurComplements();
  work_.setZero(size() + SchurStride(tree_.widest()));
}

// A Schur complement lives until its parent has been eliminated. Two stacks hold them, for fronts at an even and at an
// odd depth: when a front is reached in postorder, its children lie on top of one, and its own goes on the other.
void BlockCholesky::PlaceSchurComplements() {
  const std::vector<Front>& fronts = tree_.fronts();
  const int count = static_cast<int>(fronts.size());
  std::vector<int> parity(count, 0);
  for (int q = count - 1; q >= 0; --q) {
    if (fronts[q].parent >= 0) parity[q] = 1 - parity[fronts[q].parent];
  }
  std::array<Eigen::Index, 2> top = {0, 0}, highest = {0, 0};
  schur_place_.resize(count);
  for (int q = 0; q < count; ++q) {
    const int p = parity[q];
    const auto children = tree_.children(fronts[q]);
    schur_place_[q] = top[p];
    top[p] += static_cast<Eigen::Index>(SchurStride(fronts[q].r)) * SchurStride(fronts[q].r);
    highest[p] = std::max(highest[p], top[p]);
    if (!children.empty()) top[1 - p] = schur_place_[children.front()];
  }
  for (int q = 0; q < count; ++q) {
    if (parity[q] == 1) schur_place_[q] += highest[0];
  }
  schur_.setZero(highest[0] + highest[1]);
}

void BlockCholesky::ClearFront(int front) {
  const Front& f = tree_.fronts()[front];
  double* panel = panels_.data() + panel_place_[front];
  std::fill_n(panel, static_cast<std::size_t>(f.s) * PanelStride(f.s, f.r), 0.0);
}

bool BlockCholesky::Eliminate(int front) {
  const CholeskyKernels& kernels = *kernels_;
  const Front& f = tree_.fronts()[front];
  double* panel = panels_.data() + panel_place_[front];
  double* schur = schur_.data() + schur_place_[front];
  const int stride = PanelStride(f.s, f.r);
  // What children add to the panel must be there before, what they add to the Schur complement comes after it.
  for (const int child : tree_.children(f)) {
    const Front& c = tree_.fronts()[child];
    kernels.extend_add(schur_.data() + schur_place_[child], SchurStride(c.r), 0, c.num_pivots, tree_.rows(c),
                       tree_.runs(c), c.num_runs, panel, stride, 0);
  }
  if (!kernels.partial_cholesky(panel, stride, f.s, f.r, schur)) return false;
  for (const int child : tree_.children(f)) {
    const Front& c = tree_.fronts()[child];
    kernels.extend_add(schur_.data() + schur_place_[child], SchurStride(c.r), c.num_pivots, c.r, tree_.rows(c),
                       tree_.runs(c), c.num_runs, schur, SchurStride(f.r), f.below_at);
  }
  return true;
}

bool BlockCholesky::Factorize() {
  const int count = static_cast<int>(tree_.fronts().size());
  for (int f = 0; f < count; ++f) {
    if (!Eliminate(f)) return false;
  }
  return true;
}

void BlockCholesky::Solve(double* x, double* work) const {
  const CholeskyKernels& kernels = *kernels_;
  const std::vector<Front>& fronts = tree_.fronts();
  const int* permuted = tree_.permuted().data();
  const int count = static_cast<int>(fronts.size()), n = size();
  double *y = work, *below = work + n;
  for (int i = 0; i < n; ++i) y[permuted[i]] = x[i];
  for (int q = 0; q < count; ++q) {
    const Front& f = fronts[q];
    kernels.forward(panels_.data() + panel_place_[q], PanelStride(f.s, f.r), f.s, f.r, y + f.first, below);
    const int* index = tree_.indices(f);
    for (int i = 0; i < f.r; ++i) y[index[i]] += below[i];
  }
  for (int q = count - 1; q >= 0; --q) {
    const Front& f = fronts[q];
    const int* index = tree_.indices(f);
    for (int i = 0; i < f.r; ++i) below[i] = y[index[i]];
    std::fill(below + f.r, below + SchurStride(f.r), 0.0);
    kernels.backward(panels_.data() + panel_place_[q], PanelStride(f.s, f.r), f.s, f.r, below, y + f.first);
  }
  for (int i = 0; i < n; ++i) x[i] = y[permuted[i]];
}

// Behind the columns a flag a front: something below it is not zero.
Eigen::Index BlockCholesky::columns_work_size() const {
  return static_cast<Eigen::Index>(kSolveColumns) * size() + static_cast<Eigen::Index>(tree_.fronts().size());
}

void BlockCholesky::LoadColumns(const double* x, int columns, Eigen::Index stride, double* y) const {
  const int* permuted = tree_.permuted().data();
  for (int i = 0; i < size(); ++i) {
    double* row = y + static_cast<std::ptrdiff_t>(kSolveColumns) * permuted[i];
    for (int c = 0; c < columns; ++c) row[c] = x[c * stride + i];
    for (int c = columns; c < kSolveColumns; ++c) row[c] = 0;
  }
}

void BlockCholesky::ForwardColumns(double* y) const {
  const std::vector<Front>& fronts = tree_.fronts();
  double* reached = y + static_cast<std::ptrdiff_t>(kSolveColumns) * size();
  std::fill_n(reached, fronts.size(), 0.0);
  for (std::size_t q = 0; q < fronts.size(); ++q) {
    const Front& f = fronts[q];
    const double* own = y + static_cast<std::ptrdiff_t>(kSolveColumns) * f.first;
    const bool zero = reached[q] == 0 && std::all_of(own, own + static_cast<std::ptrdiff_t>(kSolveColumns) * f.s,
                                                     [](double value) { return value == 0; });
    if (zero) continue;
    if (f.parent >= 0) reached[f.parent] = 1;
    kernels_->forward_columns(panels_.data() + panel_place_[q], PanelStride(f.s, f.r), f.s, f.r, f.first,
                              tree_.indices(f), y);
  }
}

void BlockCholesky::SolveColumns(double* x, Eigen::Index columns, Eigen::Index stride, double* work) const {
  const std::vector<Front>& fronts = tree_.fronts();
  const int* permuted = tree_.permuted().data();
  for (Eigen::Index first = 0; first < columns; first += kSolveColumns) {
    const int count = static_cast<int>(std::min<Eigen::Index>(kSolveColumns, columns - first));
    double* to = x + first * stride;
    LoadColumns(to, count, stride, work);
    ForwardColumns(work);
    for (std::size_t q = fronts.size(); q-- > 0;) {
      const Front& f = fronts[q];
      kernels_->backward_columns(panels_.data() + panel_place_[q], PanelStride(f.s, f.r), f.s, f.r, f.first,
                                 tree_.indices(f), work);
    }
    for (int i = 0; i < size(); ++i) {
      const double* row = work + static_cast<std::ptrdiff_t>(kSolveColumns) * permuted[i];
      for (int c = 0; c < count; ++c) to[c * stride + i] = row[c];
    }
  }
}

void BlockCholesky::CalcSquares(const double* x, Eigen::Index columns, Eigen::Index stride, double* squares,
                                double* work) const {
  for (Eigen::Index first = 0; first < columns; first += kSolveColumns) {
    const int count = static_cast<int>(std::min<Eigen::Index>(kSolveColumns, columns - first));
    LoadColumns(x + first * stride, count, stride, work);
    ForwardColumns(work);
    double sums[kSolveColumns] = {};
    for (int i = 0; i < size(); ++i) {
      const double* row = work + static_cast<std::ptrdiff_t>(kSolveColumns) * i;
      for (int c = 0; c < kSolveColumns; ++c) sums[c] += row[c] * row[c];
    }
    std::copy_n(sums, count, squares + first);
  }
}

}  // namespace tactus
