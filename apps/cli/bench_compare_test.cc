#include "apps/cli/bench_compare.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tactus::cli {
namespace {

using Better = BenchRow::Better;
using Kind = BenchChange::Kind;

BenchRun MakeRun(std::vector<BenchRow> rows) {
  BenchRun run = MakeBenchRun("solvers", {});
  run.rows = std::move(rows);
  return run;
}

std::vector<BenchChange> Compare(const BenchRow& before, const BenchRow& after) {
  return CompareBenchRuns(MakeRun({before}), MakeRun({after}), 0.25);
}

// A solver that takes twice as long, or is less accurate, is found; noise and rounding are not.
TEST(BenchCompare, FindsWhatIsWorse) {
  const BenchRun before =
      MakeRun({BenchRow::Measured("a: time", 1, "ms"), BenchRow::Measured("b: time", 1, "ms"),
               BenchRow::AtMost("a: error", 5e-9, "", 1e-8), BenchRow::AtMost("b: error", 1e-15, "", 1e-8),
               BenchRow::AtLeast("ratio", 8, "", 2), BenchRow::AtLeast("bar", 2.1, "", 2),
               BenchRow::Measured("contacts", 100, ""), BenchRow::Measured("old", 1, "")});
  const BenchRun after =
      MakeRun({BenchRow::Measured("a: time", 2, "ms"), BenchRow::Measured("b: time", 1.1, "ms"),
               BenchRow::AtMost("a: error", 9e-9, "", 1e-8), BenchRow::AtMost("b: error", 8e-15, "", 1e-8),
               BenchRow::AtLeast("ratio", 4, "", 2), BenchRow::AtLeast("bar", 1.9, "", 2),
               BenchRow::Measured("contacts", 300, ""), BenchRow::Measured("new", 1, "")});
  std::vector<std::pair<std::string, Kind>> found;
  for (const BenchChange& change : CompareBenchRuns(before, after, 0.25)) found.emplace_back(change.name, change.kind);
  const std::vector<std::pair<std::string, Kind>> expected = {{"a: time", Kind::Slower},
                                                              {"a: error", Kind::LessAccurate},
                                                              {"ratio", Kind::LessAccurate},
                                                              {"bar", Kind::Fails},
                                                              {"new", Kind::New},
                                                              {"old", Kind::Gone}};
  EXPECT_EQ(found, expected);
  EXPECT_EQ(CompareBenchRuns(after, before, 0.25).front().kind, Kind::Faster);
}

// There is nothing to judge in a row that only one run has; whether it had a bar is known.
TEST(BenchCompare, RowsOfOneRunAreNotWorse) {
  const std::vector<BenchChange> changes =
      CompareBenchRuns(MakeRun({BenchRow::AtMost("error", 1, "", 2), BenchRow::Measured("time", 1, "ms")}),
                       MakeRun({BenchRow::Measured("other", 1, "ms")}), 0.25);
  ASSERT_EQ(changes.size(), 3u);
  for (const BenchChange& change : changes) {
    EXPECT_TRUE(change.single()) << change.name;
    EXPECT_FALSE(change.bad()) << change.name;
    EXPECT_EQ(change.bar, change.name == "error") << change.name;
  }
}

// A kernel that the flop limit binds may use less of the bandwidth, but not of the flops.
TEST(BenchCompare, OnlyTheLargerShareOfALimitCounts) {
  const auto run = [](double flops, double bytes) {
    BenchRun out = MakeRun({BenchRow::Measured("gemm: of the flop limit", flops, "%"),
                            BenchRow::Measured("gemm: of the bandwidth limit (L2)", bytes, "%")});
    for (BenchRow& row : out.rows) row.better = Better::Higher;
    return out;
  };
  EXPECT_TRUE(CompareBenchRuns(run(60, 9.58), run(60, 6.42), 0.25).empty());
  const std::vector<BenchChange> slower = CompareBenchRuns(run(60, 9.58), run(30, 6.42), 0.25);
  ASSERT_EQ(slower.size(), 1u);
  EXPECT_EQ(slower[0].name, "gemm: of the flop limit");
  EXPECT_EQ(CompareBenchRuns(run(10, 80), run(10, 40), 0.25).size(), 1u);
}

TEST(BenchCompare, OtherProblemsOrExtentsDoNotCompare) {
  BenchRun before = MakeRun({}), after = before;
  EXPECT_EQ(FindIncomparable(before, after), "");
  before.problems = {"a", "b"};
  after.problems = {"b", "a"};
  EXPECT_EQ(FindIncomparable(before, after), "");
  after.problems = {"pile-1"};
  EXPECT_EQ(FindIncomparable(before, after), "other problems: 2 (a, b) -> 1 (pile-1)");
  before.problems = after.problems;

  before.how = "whole: 10 seeds; on 1 generated problems";
  EXPECT_EQ(FindIncomparable(before, after), "");  // older results do not say how
  after.how = "whole: 10 seeds; on every file of here (1)";
  EXPECT_EQ(FindIncomparable(before, after), "");
  after.how = "whole: 20 seeds";
  EXPECT_EQ(FindIncomparable(before, after), "another extent: whole: 10 seeds -> whole: 20 seeds");
  after.settings.quick = true;
  EXPECT_EQ(FindIncomparable(before, after), "");

  after = before;
  after.settings.trials = 3;
  EXPECT_EQ(FindIncomparable(before, after), "seeds of each scene: as many as by default -> 3");
  after = before;
  after.settings.soft_seed = 2;
  EXPECT_NE(FindIncomparable(before, after), "");
}

// Rows without a bar, by what they measure.
TEST(BenchCompare, KnowsWhichWayIsBetter) {
  const auto better = [](const char* name, const char* unit) { return FindBetter(BenchRow::Measured(name, 1, unit)); };
  EXPECT_EQ(better("bolt-nut: solver, median", "ms/step"), Better::Lower);
  EXPECT_EQ(better("quick residual: wall time", "s"), Better::Lower);
  EXPECT_EQ(better("inverse: time until solved", "ms"), Better::Lower);
  EXPECT_EQ(better("box-stack: pinocchio pgs: simulated before its time was up", "s"), Better::Higher);
  EXPECT_EQ(better("dish-step, pgs after 100 iterations: residual (paper), median", ""), Better::Lower);
  EXPECT_EQ(better("8 laikagos, subadmm, 100 iterations: residual (paper), -log10, median", ""), Better::Higher);
  EXPECT_EQ(better("stir: iterations to paper residual 1e-4, median", ""), Better::Lower);
  EXPECT_EQ(better("soft-mat, cond to 0.0001: MP", "mm"), Better::Lower);
  EXPECT_EQ(better("soft-mat, cond to 0.0001: IN", ""), Better::Lower);
  EXPECT_EQ(better("soft-mat, 2 trials: steps not solved", ""), Better::Lower);
  EXPECT_EQ(better("stir to 1e-08, auto: solved", "of 10"), Better::Higher);
  EXPECT_EQ(better("dish-step, canal: natural_rho <= 1e-8", "of 10"), Better::Higher);
  EXPECT_EQ(better("mats, pgs: exponent of the whole time over dofs", ""), Better::Lower);
  EXPECT_EQ(better("granular-stir with particles=10000, memory of simulator and subadmm: per body", "bytes"),
            Better::Lower);
  EXPECT_EQ(better("limit: triad in memory, two threads", "GB/s"), Better::Higher);
  // Sizes and shares of others tell nothing.
  EXPECT_EQ(better("laikago-drop: exponent of contacts over robots", ""), Better::Unknown);
  EXPECT_EQ(better("stir, 60 iterations: contacts, mean", ""), Better::Unknown);
  EXPECT_EQ(better("at 1e-08: Siconos NSGS: part within 2 times the best", ""), Better::Unknown);
}

TEST(BenchCompare, JudgesRowsWithoutABar) {
  const auto kinds = [](const char* name, const char* unit, double before, double after) {
    std::vector<Kind> out;
    for (const BenchChange& c :
         Compare(BenchRow::Measured(name, before, unit), BenchRow::Measured(name, after, unit))) {
      out.push_back(c.kind);
    }
    return out;
  };
  const std::vector<Kind> none, slower = {Kind::Slower}, worse = {Kind::LessAccurate}, better = {Kind::MoreAccurate};
  EXPECT_EQ(kinds("a: solver, median", "ms/step", 1, 2), slower);
  EXPECT_EQ(kinds("a: solver, median", "ms/step", 1, 1.2), none);
  EXPECT_EQ(kinds("a: residual, median", "", 1e-5, 2e-5), worse);
  EXPECT_EQ(kinds("a: residual, median", "", 2e-5, 1e-5), better);
  EXPECT_EQ(kinds("a: residual, median", "", 1e-12, 1e-9), none);  // below what is asked for
  EXPECT_EQ(kinds("a: residual, median", "", 1e-12, 1e-7), worse);
  EXPECT_EQ(kinds("a: residual (paper), -log10, mean", "", 5, 4.7), worse);
  EXPECT_EQ(kinds("a: residual (paper), -log10, mean", "", 5, 4.95), none);
  EXPECT_EQ(kinds("a: penetration, most", "mm", 0.01, 0.02), worse);
  EXPECT_EQ(kinds("a: creep", "m/s", 1e-17, 1e-16), none);
  EXPECT_EQ(kinds("a: solved", "of 20", 20, 19), worse);
  EXPECT_EQ(kinds("a: solved", "of 20", 9, 9), none);
  EXPECT_TRUE(
      Compare(BenchRow::Measured("a: solved", 15, "of 20"), BenchRow::Measured("a: solved", 75, "of 100")).empty());
  EXPECT_EQ(kinds("a: real-time factor", "", 2, 1), worse);
  EXPECT_EQ(kinds("a: residual, median", "", 1e-5, std::nan("")), worse);
}

// What the clock says is as uncertain as its spread, within reason.
TEST(BenchCompare, SpreadsAreNoise) {
  BenchRow before = BenchRow::Measured("time", 1, "ms"), after = BenchRow::Measured("time", 1.5, "ms");
  ASSERT_EQ(Compare(before, after).size(), 1u);
  before.spread = after.spread = 0.6;
  EXPECT_TRUE(Compare(before, after).empty());
  before.spread = after.spread = 5;
  after.value = 2;
  ASSERT_EQ(Compare(before, after).size(), 1u);
  EXPECT_EQ(Compare(before, after)[0].kind, Kind::Slower);
}

}  // namespace
}  // namespace tactus::cli
