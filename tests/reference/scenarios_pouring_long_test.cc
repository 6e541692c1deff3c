// Pouring over seeds, and without what holds the bottle.
#include <gtest/gtest.h>

#include "tests/common/scenario_testing.h"

namespace tactus {
namespace {

TEST(PouringLong, IsDoneForAllSeeds) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const ScenarioOutcome outcome = RunScenario("pouring", seed, {"particles=9"});
    EXPECT_TRUE(outcome.done()) << "seed " << seed << '\n' << outcome.missed();
    EXPECT_EQ(outcome.unsolved, 0) << "seed " << seed;
    EXPECT_LT(outcome.penetration, 5e-4) << "seed " << seed;
  }
}

TEST(PouringLong, NeedsFrictionAndContacts) {
  for (const char* without : {"friction=0", "contacts.enabled=false"}) {
    const ScenarioOutcome outcome = RunScenario("pouring", 1, {"particles=9", without});
    EXPECT_FALSE(outcome.done()) << without;
    EXPECT_FALSE(outcome.goals.at(0).met) << without << ": " << outcome.goals.at(0).detail;
  }
}

}  // namespace
}  // namespace tactus
