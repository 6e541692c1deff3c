#include "apps/cli/statistics.h"

namespace tactus::cli {

namespace {

// n times the sums of products of deviations from the means.
struct Moments {
  double xx = 0, xy = 0, yy = 0;
};

Moments CalcMoments(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    sx += x[k], sy += y[k], sxx += x[k] * x[k], sxy += x[k] * y[k], syy += y[k] * y[k];
  }
  const double n = static_cast<double>(x.size());
  return {n * sxx - sx * sx, n * sxy - sx * sy, n * syy - sy * sy};
}

std::vector<double> Logarithms(std::vector<double> x) {
  for (double& value : x) value = std::log(value);
  return x;
}

}  // namespace

double Median(std::vector<double> x) {
  if (x.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(x.begin(), x.end());
  const std::size_t n = x.size();
  return n % 2 == 1 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

double Mean(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return x.empty() ? 0 : sum / static_cast<double>(x.size());
}

double FitExponent(const std::vector<double>& x, const std::vector<double>& y) {
  const Moments moments = CalcMoments(Logarithms(x), Logarithms(y));
  return moments.xy / moments.xx;
}

double FitLine(const std::vector<double>& x, const std::vector<double>& y) {
  const Moments moments = CalcMoments(x, y);
  return moments.xy * moments.xy / (moments.xx * moments.yy);
}

}  // namespace tactus::cli
