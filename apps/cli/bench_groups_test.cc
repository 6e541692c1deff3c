#include "apps/cli/bench_groups.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "apps/cli/bench_results.h"
#include "apps/cli/terminal.h"
#include "tactus/core/work_folder.h"

namespace tactus::cli {
namespace {

TEST(BenchGroups, NameSuitesThatExist) {
  for (const BenchGroup& group : BenchGroups()) {
    EXPECT_FALSE(group.parts.empty()) << group.name;
    for (const BenchPart& part : group.parts) {
      EXPECT_TRUE(std::any_of(BenchSuites().begin(), BenchSuites().end(),
                              [&](const BenchSuite& s) { return std::string(s.name) == part.suite; }))
          << group.name << ' ' << part.suite;
    }
    // A group must not hide a suite.
    for (const BenchSuite& suite : BenchSuites()) EXPECT_STRNE(group.name, suite.name);
  }
  ASSERT_NE(FindBenchGroup("all"), nullptr);
  EXPECT_EQ(FindBenchGroup("all")->parts.size() + 1, BenchSuites().size());
  EXPECT_EQ(FindBenchGroup("some"), nullptr);
}

// So that a first run says about how long it takes, and results say what was run.
TEST(BenchSuites, EstimateAndDescribeThemselves) {
  for (const BenchSuite& suite : BenchSuites()) {
    BenchSettings quick, whole, trials;
    quick.quick = true;
    trials.trials = 3;
    EXPECT_GT(EstimateBenchSeconds(suite.name, whole), EstimateBenchSeconds(suite.name, quick)) << suite.name;
    EXPECT_GT(EstimateBenchSeconds(suite.name, quick), 0) << suite.name;
    EXPECT_LE(EstimateBenchSeconds(suite.name, quick), 60) << suite.name;
    EXPECT_EQ(DescribeBenchRun(suite.name, quick).find("quick: "), 0u);
    EXPECT_EQ(DescribeBenchRun(suite.name, whole).find("whole: "), 0u);
    const bool seeds = suite.whole.trials > 0;
    EXPECT_EQ(DescribeBenchRun(suite.name, trials).find("; 3 seeds of each scene (by default ") != std::string::npos,
              seeds);
  }
  BenchSettings part;
  part.only = "bolt";
  part.soft_problems = 5;
  EXPECT_NE(DescribeBenchRun("solvers", part).find("; 5 problems of each soft robot; only 'bolt'"), std::string::npos);
  EXPECT_EQ(DescribeBenchRun("nonsense", part), "");
}

TEST(Progress, TimesAreThoseOfThePartsBefore) {
  EXPECT_EQ(DescribeTimes(1, 3, 5), "");
  EXPECT_EQ(DescribeTimes(20, 1, 5), "");
  EXPECT_EQ(DescribeTimes(20, 3, 5), ", 20 s so far, about 30 s left");
}

TEST(BenchGroups, PartsAreReducedUnlessAskedOtherwise) {
  BenchSettings asked;
  const BenchSettings reduced = MakePartSettings(asked, {"inverse", "trunk"});
  EXPECT_EQ(reduced.only, "trunk");
  EXPECT_EQ(reduced.trials, kGroupTrials);
  EXPECT_EQ(reduced.compared, kGroupCompared);
  EXPECT_EQ(MakePartSettings(asked, {"cond", ""}).compared, 0);
  asked.trials = 7;
  asked.compared = 3;
  EXPECT_EQ(MakePartSettings(asked, {"inverse", ""}).trials, 7);
  EXPECT_EQ(MakePartSettings(asked, {"inverse", ""}).compared, 3);
  BenchSettings quick;
  quick.quick = true;
  EXPECT_EQ(MakePartSettings(quick, {"inverse", ""}).trials, 0);
  EXPECT_EQ(MakePartSettings(quick, {"inverse", ""}).compared, 0);
}

// Whole, on two cores: an hour and a half.
TEST(BenchGroups, AllEndsInTime) {
  double seconds = 0;
  for (const BenchPart& part : FindBenchGroup("all")->parts) {
    seconds += EstimateBenchSeconds(part.suite, MakePartSettings({}, part));
  }
  EXPECT_LT(seconds, 5400);
}

TEST(BenchGroups, EstimateFromTheNewestRunOfTheSameKind) {
  const WorkFolder folder("bench");
  BenchSettings quick, whole;
  quick.quick = true;
  EXPECT_EQ(FindEarlierSeconds(folder.path() / "none", "cond", whole), 0);
  for (const auto& [date, seconds, settings] :
       {std::tuple("2026-11-01T10:00:00Z", 70.0, whole), std::tuple("2026-11-02T10:00:00Z", 50.0, whole),
        std::tuple("2026-11-03T10:00:00Z", 5.0, quick)}) {
    BenchRun run = MakeBenchRun("cond", settings);
    run.date = date;
    run.seconds = seconds;
    (void)WriteBenchRun(run, folder.path());
  }
  EXPECT_EQ(FindEarlierSeconds(folder.path(), "cond", whole), 50);
  EXPECT_EQ(FindEarlierSeconds(folder.path(), "cond", quick), 5);
  EXPECT_EQ(FindEarlierSeconds(folder.path(), "con", whole), 0);
}

}  // namespace
}  // namespace tactus::cli
