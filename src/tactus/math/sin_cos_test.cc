#include "tactus/math/sin_cos.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/core/random.h"

namespace tactus {
namespace {

// Error in units in the last place of the result.
double Ulps(double got, long double exact) {
  const double nearest = static_cast<double>(exact);
  const double ulp = std::nextafter(std::abs(nearest), std::numeric_limits<double>::infinity()) - std::abs(nearest);
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) / static_cast<long double>(ulp));
}

TEST(SinCos, WithinOneUnitInTheLastPlace) {
  Random random(1);
  double worst = 0;
  for (const double range : {1e-300, 1e-9, 0.5, 3.2, 30.0, 1e4, 1.5e6}) {
    std::vector<double> x(20001), s(x.size()), c(x.size());
    for (double& angle : x) angle = random.Uniform(-range, range);
    CalcSinCos(x.data(), static_cast<int>(x.size()), s.data(), c.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      worst = std::max({worst, Ulps(s[i], sinl(x[i])), Ulps(c[i], cosl(x[i]))});
    }
  }
  EXPECT_LT(worst, 1.0);
}

TEST(SinCos, NearMultiplesOfAQuarterTurn) {
  for (int n = -1000; n <= 1000; ++n) {
    const double x = n * 0.78539816339744830962;
    for (const double angle : {std::nextafter(x, -1e9), x, std::nextafter(x, 1e9)}) {
      double s = 0, c = 0;
      CalcSinCos(&angle, 1, &s, &c);
      EXPECT_NEAR(s, static_cast<double>(sinl(angle)), 2e-16) << angle;
      EXPECT_NEAR(c, static_cast<double>(cosl(angle)), 2e-16) << angle;
      EXPECT_LE(std::abs(s * s + c * c - 1), 5e-16);
    }
  }
}

TEST(SinCos, SpecialValues) {
  const double x[] = {
      0.0, -0.0, 1e7, -1e300, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
  double s[6], c[6];
  CalcSinCos(x, 6, s, c);
  EXPECT_EQ(s[0], 0);
  EXPECT_EQ(c[1], 1);
  for (int i = 2; i < 4; ++i) {
    EXPECT_EQ(s[i], std::sin(x[i]));
    EXPECT_EQ(c[i], std::cos(x[i]));
  }
  for (int i = 4; i < 6; ++i) {
    EXPECT_TRUE(std::isnan(s[i]));
    EXPECT_TRUE(std::isnan(c[i]));
  }
}

}  // namespace
}  // namespace tactus
