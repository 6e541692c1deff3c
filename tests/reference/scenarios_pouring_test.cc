// A G1 pours beads out of a bottle that it holds by friction.
#include <gtest/gtest.h>

#include "tests/common/scenario_testing.h"

namespace tactus {
namespace {

TEST(Pouring, IsDone) {
  const ScenarioOutcome outcome = RunScenario("pouring", 1, {"particles=9"});
  EXPECT_TRUE(outcome.done()) << outcome.missed();
  EXPECT_EQ(outcome.unsolved, 0);
  EXPECT_LT(outcome.penetration, 5e-4);
}

}  // namespace
}  // namespace tactus
