// What times and residuals are summed up by.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace tactus::cli {

/// The value that a share of all do not exceed, [0, 1]; one of them, so a median of two is the larger. `none` if there
/// are none.
template <typename T>
double Quantile(std::vector<T> values, double share, double none = std::numeric_limits<double>::quiet_NaN()) {
  if (values.empty()) return none;
  const auto last = static_cast<double>(values.size() - 1);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::round(share * last));
  std::nth_element(values.begin(), at, values.end());
  return static_cast<double>(*at);
}

/// The middle one, or the mean of the two in the middle; NaN if there are none.
double Median(std::vector<double> x);

/// 0 if there are none.
double Mean(const std::vector<double>& x);

/// Of y over x, by least squares of logarithms.
double FitExponent(const std::vector<double>& x, const std::vector<double>& y);

/// Square of the correlation of y and x: how much of it a line explains.
double FitLine(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace tactus::cli
