#include "tactus/inverse/contact_activation.h"

#include <limits>

#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/inverse/random_qpcc.h"

namespace tactus {
namespace {

// A random problem, with many more contacts that are far away.
QpccProblem MakeSparse(QpccKind kind, std::uint64_t seed) {
  QpccProblem p = MakeRandomQpcc({.kind = kind, .contacts = 10, .actuators = 8, .tasks = 4, .passive_dofs = 20}, seed);
  for (int c = 3; c < 10; ++c) p.g[c * p.dim() + p.dim() - 1] += 50;
  return p;
}

TEST(ContactActivation, FindsWhatTheWholeProblemHas) {
  for (const QpccKind kind : {QpccKind::Lcp, QpccKind::Planar, QpccKind::Ncp}) {
    int as_good = 0, solved = 0;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const QpccProblem p = MakeSparse(kind, seed);
      QpccSolution whole, part;
      ActivationWorkspace workspace;
      const QpccReport all = SolveQpcc(p, {}, &whole);
      const QpccReport some = SolveQpccByActivation(p, {}, {}, nullptr, &workspace, &part);
      EXPECT_LE(workspace.active.size(), 9u);
      EXPECT_EQ(part.contact.size(), p.num_rows());
      ASSERT_TRUE(some.feasible()) << ToString(kind) << " " << seed << " " << ToString(some.status);
      EXPECT_LE(some.primal, 1e-9);
      EXPECT_LE(some.complementarity, 1e-7);
      solved += some.solved() ? 1 : 0;
      // What is called solved is a stationary point of the whole problem.
      if (some.solved()) {
        EXPECT_LE(some.multiplier_violation, 1e-6);
        EXPECT_LE(some.dual, 1e-6);
      }
      as_good += some.loss <= all.loss * (1 + 1e-6) + 1e-12 ? 1 : 0;
    }
    EXPECT_GE(solved, 4) << ToString(kind);
    EXPECT_GE(as_good, 10) << ToString(kind);
  }
}

TEST(ContactActivation, StartsFromAnAnswer) {
  const QpccProblem p = MakeSparse(QpccKind::Ncp, 3);
  QpccSolution x;
  ActivationWorkspace workspace;
  const QpccReport cold = SolveQpccByActivation(p, {}, {}, nullptr, &workspace, &x);
  QpccSettings settings;
  settings.stop_at_first = true;
  const QpccReport warm = SolveQpccByActivation(p, settings, {}, &x, &workspace, &x);
  EXPECT_TRUE(warm.warm_started);
  EXPECT_EQ(warm.starts, 1);
  EXPECT_LE(warm.loss, cold.loss * (1 + 1e-9) + 1e-15);
}

TEST(ContactActivation, TakesTheWholeProblemAfterItsRounds) {
  ActivationSettings activation;
  activation.rounds = 1;
  activation.most_joining = 1;
  const QpccProblem p = MakeRandomQpcc({.contacts = 3}, 1);
  QpccSolution x;
  ActivationWorkspace workspace;
  EXPECT_TRUE(SolveQpccByActivation(p, {}, activation, nullptr, &workspace, &x).feasible());
}

// One actuator u in [-1, 1] with two local optima. Without the contact the task's residual is 1 - 0.3 u, so that u goes
// to 1, away from the contact. Below u = -0.5 the contact closes and is a better lever: 0.2 is left at u = -1, not 0.7.
QpccProblem MakeTwoOptima() {
  QpccProblem p;
  p.Resize(1, 1, 1, QpccKind::Lcp);
  p.A(0, 0) = -0.3;
  p.B(0, 0) = -2.2;
  p.b[0] = 1;
  p.C(0, 0) = 1;
  p.D(0, 0) = 1;
  p.g[0] = 0.5;
  p.lower[0] = -1;
  p.upper[0] = 1;
  return p;
}
constexpr double kNearOptimum = 0.5 * 0.7 * 0.7, kFarOptimum = 0.5 * 0.2 * 0.2;

TEST(ContactActivation, DrawnActuationsCloseWhatNothingPushedShut) {
  const QpccProblem p = MakeTwoOptima();
  QpccSolution x;
  ActivationWorkspace workspace;
  QpccSettings settings;
  settings.search_starts = 0;
  const QpccReport near = SolveQpccByActivation(p, settings, {}, nullptr, &workspace, &x);
  EXPECT_TRUE(near.solved());
  EXPECT_NEAR(near.loss, kNearOptimum, 1e-12);
  EXPECT_EQ(near.drawn, 0);
  const QpccReport far = SolveQpccByActivation(p, {}, {}, nullptr, &workspace, &x);
  EXPECT_TRUE(far.solved()) << ToString(far.status);
  EXPECT_NEAR(far.loss, kFarOptimum, 1e-12);
  EXPECT_NEAR(x.actuation[0], -1, 1e-12);
  EXPECT_LE(far.primal, 1e-9);
  EXPECT_EQ(far.drawn, QpccSettings().search_starts);
  EXPECT_GE(far.drawn_better, 1);
  // The same bits again, whatever the workspace holds.
  QpccSolution again;
  EXPECT_EQ(SolveQpccByActivation(p, {}, {}, nullptr, &workspace, &again).drawn_better, far.drawn_better);
  EXPECT_EQ(again.actuation, x.actuation);
  EXPECT_EQ(again.contact, x.contact);
}

TEST(ContactActivation, DrawsOnlyWhereTheTaskIsUnmetAndTimeIsLeft) {
  QpccProblem p = MakeTwoOptima();
  QpccSolution x;
  ActivationWorkspace workspace;
  // As a control loop asks.
  EXPECT_EQ(SolveQpccByActivation(p, QpccSettings::RealTime(), {}, nullptr, &workspace, &x).drawn, 0);
  // No time is left for the first, or there is plenty.
  QpccSettings settings;
  settings.time_budget = 1e-9;
  EXPECT_EQ(SolveQpccByActivation(p, settings, {}, nullptr, &workspace, &x).drawn, 0);
  settings.time_budget = 1000;
  EXPECT_NEAR(SolveQpccByActivation(p, settings, {}, nullptr, &workspace, &x).loss, kFarOptimum, 1e-12);
  // Met at u = 0.5.
  p.b[0] = 0.15;
  const QpccReport met = SolveQpccByActivation(p, {}, {}, nullptr, &workspace, &x);
  EXPECT_LE(met.loss, 1e-20);
  EXPECT_EQ(met.drawn, 0);
}

TEST(ContactActivation, BadInput) {
  QpccProblem p = MakeRandomQpcc({.contacts = 2}, 1);
  QpccSolution x;
  ActivationWorkspace workspace;
  ActivationSettings activation;
  activation.most_joining = 0;
  EXPECT_THROW(SolveQpccByActivation(p, {}, activation, nullptr, &workspace, &x), InputError);
  p.g[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(SolveQpccByActivation(p, {}, {}, nullptr, &workspace, &x).status, QpccStatus::InvalidInput);
  EXPECT_TRUE(x.actuation.allFinite());
  p.Resize(3, 2, 0, QpccKind::Ncp);
  EXPECT_TRUE(SolveQpccByActivation(p, {}, {}, nullptr, &workspace, &x).feasible());
}

bool AllFinite(const QpccSolution& x) {
  return x.actuation.allFinite() && x.contact.allFinite() && x.sigma.allFinite() && x.y_actuation.allFinite() &&
         x.y_contact.allFinite() && x.y_sigma.allFinite();
}

TEST(ContactActivation, SolvesWithoutFrictionFreedomOrIndependentContacts) {
  ActivationWorkspace workspace;
  QpccSolution x;
  const auto expect_feasible = [&](const QpccProblem& p, const char* what) {
    const QpccReport report = SolveQpccByActivation(p, {}, {}, nullptr, &workspace, &x);
    EXPECT_TRUE(report.feasible()) << what << ": " << ToString(report.status);
    EXPECT_TRUE(report.message.empty()) << what << ": " << report.message;
    EXPECT_TRUE(AllFinite(x)) << what;
    EXPECT_LE(report.primal, 1e-9) << what;
  };
  QpccProblem p = MakeSparse(QpccKind::Ncp, 2);
  p.mu.setZero();
  expect_feasible(p, "mu = 0");
  p = MakeSparse(QpccKind::Ncp, 2);
  p.lower.setZero();
  p.upper.setZero();
  expect_feasible(p, "zero bounds");
  EXPECT_TRUE(x.actuation.isZero(0));
  // Every contact twice: D has half its rank.
  const QpccProblem one = MakeSparse(QpccKind::Ncp, 4);
  const int rows = one.num_rows();
  p = one;
  p.Resize(one.num_tasks(), one.num_actuators(), 2 * one.num_contacts(), one.kind);
  p.A = one.A;
  p.b = one.b;
  p.lower = one.lower;
  p.upper = one.upper;
  p.B << one.B, one.B;
  p.C << one.C, one.C;
  p.g << one.g, one.g;
  p.mu << one.mu, one.mu;
  for (const int i : {0, rows}) {
    for (const int j : {0, rows}) p.D.block(i, j, rows, rows) = one.D;
  }
  expect_feasible(p, "contacts twice");
}

// Nothing moves the contacts, and one is closing.
TEST(ContactActivation, SaysWhatIsInfeasible) {
  QpccProblem p = MakeSparse(QpccKind::Ncp, 1);
  p.C.setZero();
  p.D.setZero();
  p.g[2] = -1;
  ActivationWorkspace workspace;
  QpccSolution x;
  QpccReport report = SolveQpccByActivation(p, {}, {}, nullptr, &workspace, &x);
  EXPECT_EQ(report.status, QpccStatus::Infeasible) << ToString(report.status);
  EXPECT_FALSE(report.message.empty());
  EXPECT_TRUE(AllFinite(x));
  report = SolveQpccByActivation(p, QpccSettings::RealTime(), {}, nullptr, &workspace, &x);
  EXPECT_FALSE(report.feasible());
  EXPECT_FALSE(report.message.empty());
  EXPECT_TRUE(AllFinite(x));
}

}  // namespace
}  // namespace tactus
