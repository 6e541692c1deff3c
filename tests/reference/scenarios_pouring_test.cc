// A G1 grasps a bottle of beads and lifts it; scenarios_pouring_long_test.cc has it poured out.
#include <gtest/gtest.h>

#include "tests/common/scenario_testing.h"

namespace tactus {
namespace {

const GoalResult& FindGoal(const ScenarioOutcome& outcome, const std::string& name) {
  const auto found = std::find_if(outcome.goals.begin(), outcome.goals.end(),
                                  [&](const GoalResult& goal) { return goal.name == name; });
  EXPECT_NE(found, outcome.goals.end()) << name;
  return *found;
}

TEST(Pouring, BottleIsHeldByFriction) {
  const char* const held = "the hand holds the bottle";
  const ScenarioOutcome outcome = RunScenario("pouring", 1, {"particles=9", "duration=2.2"});
  EXPECT_TRUE(FindGoal(outcome, held).met) << outcome.missed();
  EXPECT_EQ(outcome.unsolved, 0);
  EXPECT_LT(outcome.penetration, 5e-4);
  const ScenarioOutcome slipped = RunScenario("pouring", 1, {"particles=9", "duration=2.2", "friction=0"});
  EXPECT_FALSE(FindGoal(slipped, held).met);
}

}  // namespace
}  // namespace tactus
