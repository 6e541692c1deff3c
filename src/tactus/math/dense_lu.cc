#include "tactus/math/dense_lu.h"

#include <algorithm>

namespace tactus {

void DenseLu::Reserve(int n) {
  const auto rows = static_cast<std::size_t>(n), entries = rows * static_cast<std::size_t>(FrontStride(n));
  if (pivots_.size() < rows) pivots_.resize(rows);
  if (matrix_.size() < entries) matrix_.resize(entries);
}

DenseLu::Matrix DenseLu::Prepare(int n) {
  Reserve(n);
  n_ = n;
  // The padding too: kernels run over whole vectors.
  std::fill_n(matrix_.begin(), static_cast<std::ptrdiff_t>(n) * FrontStride(n), 0.0);
  return Matrix(matrix_.data(), n, n, Eigen::OuterStride<>(FrontStride(n)));
}

bool DenseLu::Factorize() {
  return n_ == 0 || kernels_->partial_lu(matrix_.data(), FrontStride(n_), n_, n_, pivots_.data()) > 0;
}

void DenseLu::Solve(double* x) const {
  if (n_ == 0) return;
  kernels_->forward(matrix_.data(), FrontStride(n_), n_, n_, pivots_.data(), x, nullptr);
  kernels_->backward(matrix_.data(), FrontStride(n_), n_, n_, nullptr, x);
}

}  // namespace tactus
