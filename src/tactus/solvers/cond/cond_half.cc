#include "tactus/solvers/cond/cond_half.h"

#include <algorithm>

#include "tactus/core/huge_pages.h"

namespace tactus {

void CondHalf::Prepare(const CondSystem& s) {
  num_rows_ = s.num_rows();
  row_start_.assign(1, 0);
  columns_.clear();
  blocks_.clear();
  overflow_end_.clear();
  overflow_start_.clear();
  const std::size_t most = (s.columns_.size() + num_rows_) / 2;  // one of each pair, and the diagonal
  if (blocks_.capacity() < 9 * most + 1) {
    blocks_.reserve(9 * most + 1);
    AdviseHugePages(blocks_.data(), sizeof(double) * blocks_.capacity());
  }
  const auto append = [&](int k) {
    columns_.push_back(s.columns_[k]);
    const double* B = s.blocks_.data() + 9 * static_cast<std::size_t>(k);
    blocks_.insert(blocks_.end(), B, B + 9);
  };
  std::size_t overflow = 0;
  for (int begin = 0; begin < num_rows_; begin += kBand) {
    const int end = std::min(begin + kBand, num_rows_);
    int last = end;
    for (int r = begin; r < end; ++r) {
      for (int k = s.row_start_[r]; k < s.row_start_[r + 1]; ++k) {
        if (s.columns_[k] == r) append(k);
      }
      for (int k = s.row_start_[r]; k < s.row_start_[r + 1]; ++k) {
        if (s.columns_[k] > r) append(k);
        last = std::max(last, s.columns_[k] + 1);
      }
      row_start_.push_back(static_cast<int>(columns_.size()));
    }
    overflow_end_.push_back(last);
    overflow_start_.push_back(overflow);
    overflow += 4 * static_cast<std::size_t>(last - end);
  }
  blocks_.push_back(0);
  y_.resize(4 * static_cast<std::size_t>(num_rows_));
  overflow_.resize(overflow);
}

void CondHalf::MultiplyBand(const CondKernels& kernels, const double* x, int band) {
  const int begin = kBand * band, end = std::min(begin + kBand, num_rows_);
  double* overflow = overflow_.data() + overflow_start_[band];
  std::fill_n(overflow, 4 * static_cast<std::size_t>(overflow_end_[band] - end), 0.0);
  kernels.multiply_half({row_start_.data(), columns_.data(), blocks_.data()}, x, begin, end, y_.data(), overflow);
}

const double* CondHalf::Gather(int begin, int end) {
  const int band = begin / kBand;
  for (int b = 0; b < band; ++b) {
    const int first = kBand * (b + 1);  // row where its overflow begins
    const double* overflow = overflow_.data() + overflow_start_[b];
    for (int r = begin; r < std::min(end, overflow_end_[b]); ++r) {
      for (int a = 0; a < 4; ++a) {
        y_[4 * static_cast<std::size_t>(r) + a] += overflow[4 * static_cast<std::size_t>(r - first) + a];
      }
    }
  }
  return y_.data();
}

}  // namespace tactus
