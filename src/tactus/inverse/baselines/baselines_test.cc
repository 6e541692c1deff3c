#include <limits>
#include <vector>

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

// What both answer to a problem without 3-D friction.
std::vector<QpccReport> SolveByBoth(const QpccProblem& p) {
  QpccSolution sets, branches;
  const std::vector<QpccReport> out = {SolveActiveSet(p, {}, &sets), SolveBranchAndBound(p, {}, &branches).report};
  for (const QpccSolution& x : {sets, branches}) {
    EXPECT_EQ(x.actuation.size(), p.num_actuators());
    EXPECT_TRUE(x.actuation.allFinite() && x.contact.allFinite() && x.sigma.allFinite());
    EXPECT_TRUE((x.actuation.array() >= p.lower.array() - 1e-9).all());
    EXPECT_TRUE((x.actuation.array() <= p.upper.array() + 1e-9).all());
  }
  return out;
}

TEST(Baselines, TakeEmptyAndNarrowProblems) {
  for (const QpccReport& r : SolveByBoth(MakeRandomQpcc({.kind = QpccKind::Lcp, .contacts = 0}, 1))) {
    EXPECT_TRUE(r.feasible()) << ToString(r.status);
  }
  QpccProblem p = MakeRandomQpcc({.kind = QpccKind::Lcp, .contacts = 3}, 1);
  p.lower.setZero();
  p.upper.setZero();
  // Interior-point programs have no inside there: they may give up, but must say so.
  for (const QpccReport& r : SolveByBoth(p)) EXPECT_TRUE(r.feasible() || !r.message.empty()) << ToString(r.status);
  p = MakeRandomQpcc({.kind = QpccKind::Planar, .contacts = 2}, 1);
  p.mu.setZero();
  QpccSolution x;
  EXPECT_TRUE(SolveBranchAndBound(p, {}, &x).report.feasible());
  EXPECT_TRUE(EnumerateModes(p).found);
}

TEST(Baselines, SayWhatTheyDoNotSolve) {
  // The same contact twice.
  QpccProblem p = MakeRandomQpcc({.kind = QpccKind::Lcp, .contacts = 2}, 1);
  p.B.col(1) = p.B.col(0);
  p.C.row(1) = p.C.row(0);
  p.g[1] = p.g[0];
  p.D.setConstant(p.D(0, 0));
  for (const QpccReport& r : SolveByBoth(p)) {
    if (!r.feasible()) {
      EXPECT_FALSE(r.message.empty()) << ToString(r.status);
    }
  }
  // Nothing moves the contacts, and they close.
  p.C.setZero();
  p.D.setZero();
  p.g.setConstant(-1);
  for (const QpccReport& r : SolveByBoth(p)) {
    EXPECT_FALSE(r.feasible());
    EXPECT_FALSE(r.message.empty()) << ToString(r.status);
  }
  EXPECT_FALSE(EnumerateModes(p).found);
  p.g[0] = std::numeric_limits<double>::quiet_NaN();
  QpccSolution x;
  EXPECT_THROW((void)SolveActiveSet(p, {}, &x), InputError);
  EXPECT_THROW((void)SolveBranchAndBound(p, {}, &x), InputError);
  EXPECT_THROW((void)EnumerateModes(p), InputError);
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
