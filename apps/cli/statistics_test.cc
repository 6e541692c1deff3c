#include "apps/cli/statistics.h"

#include <gtest/gtest.h>

namespace tactus::cli {
namespace {

TEST(Statistics, QuantilesAreOneOfTheValues) {
  const std::vector<double> x = {5, 1, 4, 2, 3};
  EXPECT_EQ(Quantile(x, 0), 1);
  EXPECT_EQ(Quantile(x, 0.5), 3);
  EXPECT_EQ(Quantile(x, 0.99), 5);
  EXPECT_EQ(Quantile(std::vector<int>{1, 2}, 0.5), 2);
  EXPECT_TRUE(std::isnan(Quantile(std::vector<double>{}, 0.5)));
  EXPECT_EQ(Quantile(std::vector<double>{}, 0.5, 0), 0);
}

TEST(Statistics, MedianOfTwoIsTheirMean) {
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(Median({})));
}

TEST(Statistics, FitsPowersAndLines) {
  EXPECT_NEAR(FitExponent({1, 10, 100}, {2, 60, 1800}), std::log10(30), 1e-12);
  EXPECT_NEAR(FitLine({1, 2, 3}, {5, 7, 9}), 1, 1e-12);
  EXPECT_NEAR(FitLine({-1, 0, 1}, {1, 0, 1}), 0, 1e-12);
}

}  // namespace
}  // namespace tactus::cli
