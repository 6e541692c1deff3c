#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/inverse/baselines/active_set.h"
#include "tactus/inverse/baselines/branch_and_bound.h"
#include "tactus/inverse/baselines/enumerate_modes.h"
#include "tactus/inverse/qpcc_solver.h"
#include "tactus/inverse/random_qpcc.h"

namespace tactus {
namespace {

TEST(BranchAndBound, FindsTheSameOptimumAsEnumeration) {
  for (const QpccKind kind : {QpccKind::Lcp, QpccKind::Planar}) {
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
      const QpccProblem p = MakeRandomQpcc({.kind = kind, .contacts = 1 + static_cast<int>(seed % 3)}, seed);
      const EnumerateResult all = EnumerateModes(p);
      ASSERT_TRUE(all.found);
      QpccSolution x;
      const BranchAndBoundResult result = SolveBranchAndBound(p, {.time_budget = 0}, &x);
      EXPECT_EQ(result.report.status, QpccStatus::Solved) << ToString(kind) << " " << seed;
      const double tiny = 1e-8 * p.b.squaredNorm();
      EXPECT_NEAR(result.report.loss, all.loss, 1e-5 * all.loss + tiny) << ToString(kind) << " " << seed;
      EXPECT_LE(result.lower_bound, all.loss * (1 + 1e-6) + tiny);
      EXPECT_GE(result.lower_bound, all.loss * (1 - 1e-4) - tiny);
    }
  }
}

TEST(BranchAndBound, SolvesTwelveContactsWithABoundWithinItsTime) {
  const QpccProblem p = MakeRandomQpcc({.kind = QpccKind::Lcp, .contacts = 12, .actuators = 6, .tasks = 6}, 3);
  QpccSolution x;
  const BranchAndBoundResult result = SolveBranchAndBound(p, {.time_budget = 20}, &x);
  EXPECT_TRUE(result.report.feasible());
  EXPECT_LE(result.lower_bound, result.report.loss * (1 + 1e-6));
  QpccSolution ours;
  const QpccReport report = SolveQpcc(p, {}, &ours);
  EXPECT_GE(report.loss, result.lower_bound * (1 - 1e-6));
}

TEST(ActiveSet, IsFeasibleAndNoBetterThanTheOptimum) {
  int feasible = 0;
  constexpr int kProblems = 40;
  for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
    const QpccProblem p = MakeRandomQpcc({.kind = QpccKind::Lcp, .contacts = 3}, seed);
    QpccSolution x;
    const QpccReport report = SolveActiveSet(p, {}, &x);
    const EnumerateResult all = EnumerateModes(p);
    ASSERT_TRUE(all.found);
    if (!report.feasible()) continue;
    ++feasible;
    EXPECT_LE(report.primal, 1e-6);
    EXPECT_GE(report.loss, all.loss * (1 - 1e-6) - 1e-8 * p.b.squaredNorm()) << seed;
  }
  EXPECT_GE(feasible, kProblems * 3 / 4);
}

TEST(Baselines, RefuseWhatTheyCannotDo) {
  QpccSolution x;
  const QpccProblem ncp = MakeRandomQpcc({}, 1);
  EXPECT_THROW((void)SolveActiveSet(ncp, {}, &x), InputError);
  EXPECT_THROW((void)SolveBranchAndBound(ncp, {}, &x), InputError);
  EXPECT_THROW((void)EnumerateModes(MakeRandomQpcc({.contacts = 9}, 1)), InputError);
}

}  // namespace
}  // namespace tactus
