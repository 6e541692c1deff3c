#include "apps/cli/fclib/performance_profile.h"

#include <cmath>

#include <gtest/gtest.h>

namespace tactus::cli {
namespace {

SolverTry Make(const std::string& solver, const std::string& problem, bool solved, double seconds,
               bool siconos = false) {
  SolverTry one;
  one.solver = solver;
  one.problem = problem;
  one.siconos = siconos;
  one.tolerance = 1e-8;
  one.solved = one.strict = solved;
  one.seconds = seconds;
  return one;
}

std::vector<SolverTry> MakeTries() {
  std::vector<SolverTry> tries = {Make("a", "p", true, 1),    Make("b", "p", true, 4, true),
                                  Make("a", "q", true, 10),   Make("b", "q", true, 1, true),
                                  Make("a", "r", false, 0.1), Make("b", "r", true, 2, true),
                                  Make("a", "s", false, 1),   Make("b", "s", false, 1, true)};
  tries.push_back(Make("a", "p", true, 100));
  tries.back().tolerance = 1e-4;  // of another profile
  return tries;
}

TEST(PerformanceProfile, FractionsAreOfAllProblemsAndOfTheBestOfThoseThatSolve) {
  const PerformanceProfile profile(MakeTries(), 1e-8);
  ASSERT_EQ(profile.num_problems(), 4);
  EXPECT_EQ(profile.CountSolved("a"), 2);
  EXPECT_EQ(profile.CountSolved("b"), 3);
  EXPECT_DOUBLE_EQ(profile.Fraction("a", 1), 0.25);
  EXPECT_DOUBLE_EQ(profile.Fraction("a", 9.9), 0.25);
  EXPECT_DOUBLE_EQ(profile.Fraction("a", 10), 0.5);
  EXPECT_DOUBLE_EQ(profile.Fraction("b", 1), 0.5);
  EXPECT_DOUBLE_EQ(profile.Fraction("b", 4), 0.75);
  EXPECT_DOUBLE_EQ(profile.Fraction("b", 1e300), 0.75);  // nobody solves s
}

TEST(PerformanceProfile, RatiosSayWhatIsNotSolved) {
  const PerformanceProfile profile(MakeTries(), 1e-8);
  EXPECT_DOUBLE_EQ(profile.Ratio("a", "q"), 10);
  EXPECT_TRUE(std::isinf(profile.Ratio("a", "r")));
  EXPECT_TRUE(std::isnan(profile.Ratio("a", "s")));
}

TEST(PerformanceProfile, BestSingleSolvesMostThenHasTheGreatestArea) {
  std::vector<SolverTry> tries = MakeTries();
  for (const char* problem : {"p", "q", "r"}) tries.push_back(Make("c", problem, true, 3, true));
  const PerformanceProfile profile(tries, 1e-8);
  EXPECT_EQ(profile.BestSingle(false), "a");
  EXPECT_EQ(profile.BestSingle(true), "b");  // as many as c, quicker
  EXPECT_NEAR(profile.Area("a"), (1 + (1 - 1.0 / 3)) / 4, 1e-12);
  EXPECT_EQ(PerformanceProfile({}, 1e-8).BestSingle(true), "");
}

}  // namespace
}  // namespace tactus::cli
