#include <cstdio>

#include <gtest/gtest.h>

#include "tactus/collision/property_testing.h"

namespace tactus {
namespace {

class CollisionProperties : public ::testing::TestWithParam<TypePair> {};

TEST_P(CollisionProperties, Hold) {
  const auto [a, b] = GetParam();
  const PropertyFigures figures = ExpectProperties(a, b, 300, 1);
  EXPECT_GT(figures.touching, figures.poses / 3);
  std::printf("%s, %s: %d poses, %d touch, gap %.1e, certificate %.1e, outside %.1e\n", ToString(a), ToString(b),
              figures.poses, figures.touching, figures.gap_error, figures.certificate, figures.outside);
}

INSTANTIATE_TEST_SUITE_P(ConvexPairs, CollisionProperties, ::testing::ValuesIn(ConvexPairs()),
                         [](const auto& test) { return PairName(test.param); });

}  // namespace
}  // namespace tactus
