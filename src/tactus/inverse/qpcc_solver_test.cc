#include "tactus/inverse/qpcc_solver.h"

#include <limits>

#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/inverse/baselines/enumerate_modes.h"
#include "tactus/inverse/random_qpcc.h"

namespace tactus {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// A mass on a table, pushed along x by one actuator: sigma = (x_a + x_t, 0, x_n - w), task: velocity along x = v.
QpccProblem MakePushedBlock(double weight, double mu, double target) {
  QpccProblem p;
  p.Resize(1, 1, 1, QpccKind::Ncp);
  p.A(0, 0) = 1;
  p.B(0, 0) = 1;
  p.b[0] = -target;
  p.C(0, 0) = 1;
  p.D.setIdentity();
  p.g[2] = -weight;
  p.mu[0] = mu;
  p.lower[0] = -10;
  p.upper[0] = 10;
  return p;
}

bool AllFinite(const QpccSolution& x) {
  return x.actuation.allFinite() && x.contact.allFinite() && x.sigma.allFinite() && x.y_actuation.allFinite() &&
         x.y_contact.allFinite() && x.y_sigma.allFinite();
}

TEST(QpccSolver, PushesABlockAgainstFriction) {
  QpccSolution x;
  const QpccReport report = SolveQpcc(MakePushedBlock(2, 0.5, 0.3), {}, &x);
  EXPECT_EQ(report.status, QpccStatus::Solved);
  EXPECT_EQ(x.modes[0], ContactMode::Slip);
  EXPECT_NEAR(x.actuation[0], 1.3, 1e-9);  // mu w of friction, and 0.3
  EXPECT_NEAR(x.contact[0], -1, 1e-9);
  EXPECT_NEAR(x.contact[2], 2, 1e-9);
  EXPECT_NEAR(x.sigma[0], 0.3, 1e-9);
  EXPECT_LE(report.loss, 1e-18);
  EXPECT_LE(report.dynamics_gap, 1e-12);
}

TEST(QpccSolver, StopsAtTheActuatorsLimit) {
  QpccProblem p = MakePushedBlock(2, 0.5, 0.3);
  p.upper[0] = 1.2;
  QpccSolution x;
  const QpccReport report = SolveQpcc(p, {}, &x);
  EXPECT_EQ(report.status, QpccStatus::Solved);
  EXPECT_EQ(x.actuation[0], 1.2);
  EXPECT_NEAR(x.sigma[0], 0.2, 1e-9);
  EXPECT_NEAR(report.loss, 0.5 * 0.01, 1e-9);
  EXPECT_GE(x.y_actuation[0], 0);
}

TEST(QpccSolver, FindsTheBreakOfAContact) {
  // The actuator lifts: the task wants to leave the table.
  QpccProblem p = MakePushedBlock(2, 0.5, 0);
  p.A(0, 0) = 1;
  p.B.setZero();
  p.B(0, 2) = 1;
  p.b[0] = -2 - 0.4;  // velocity up: x_a + x_n - 2 = 0.4
  p.C.setZero();
  p.C(2, 0) = 1;
  QpccSolution x;
  const QpccReport report = SolveQpcc(p, {}, &x);
  EXPECT_EQ(report.status, QpccStatus::Solved);
  EXPECT_EQ(x.modes[0], ContactMode::Open);
  EXPECT_NEAR(x.sigma[2], 0.4, 1e-9);
  EXPECT_EQ(x.contact[2], 0);
}

TEST(QpccSolver, ReachesTheGlobalOptimumOfMostSmallProblems) {
  for (const QpccKind kind : {QpccKind::Lcp, QpccKind::Planar, QpccKind::Ncp}) {
    constexpr int kProblems = 24;
    int reached = 0;
    for (std::uint64_t seed = 1000; seed < 1000 + kProblems; ++seed) {
      // Two contacts at most with friction in 3-D: the oracle takes its time.
      const int contacts = 1 + static_cast<int>(seed) % (kind == QpccKind::Ncp ? 2 : 3);
      const QpccProblem p = MakeRandomQpcc({.kind = kind, .contacts = contacts}, seed);
      QpccSolution x;
      const QpccReport report = SolveQpcc(p, {}, &x);
      EXPECT_TRUE(report.feasible()) << ToString(kind) << " seed " << seed << ": " << ToString(report.status);
      EXPECT_LE(report.dynamics_gap, 1e-9) << ToString(kind) << " seed " << seed;
      const EnumerateResult best = EnumerateModes(p, {.directions = 16});
      ASSERT_TRUE(best.found);
      reached += report.loss <= best.loss * (1 + 1e-6) + 1e-12 * p.b.squaredNorm();
    }
    EXPECT_GE(reached, kProblems * 9 / 10) << ToString(kind);
  }
}

TEST(QpccSolver, IsDeterministicAndIndependentOfItsMemory) {
  QpccWorkspace used;
  QpccSolution x, y;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const QpccProblem p = MakeRandomQpcc({.contacts = 1 + static_cast<int>(seed % 3)}, seed);
    const QpccReport a = SolveQpcc(p, {}, nullptr, &used, &x), b = SolveQpcc(p, {}, &y);
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.loss, b.loss);
    EXPECT_EQ(x.actuation, y.actuation);
    EXPECT_EQ(x.contact, y.contact);
    EXPECT_EQ(x.y_sigma, y.y_sigma);
  }
}

TEST(QpccSolver, AWarmStartEndsSooner) {
  int cold = 0, warm = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    QpccProblem p = MakeRandomQpcc({.contacts = 2}, seed);
    const QpccSettings settings = QpccSettings::RealTime();
    QpccWorkspace workspace;
    QpccSolution x;
    (void)SolveQpcc(p, settings, nullptr, &workspace, &x);
    p.b *= 1.001;
    QpccSolution again;
    cold += SolveQpcc(p, settings, nullptr, &workspace, &again).sweeps;
    const QpccReport report = SolveQpcc(p, settings, &x, &workspace, &x);
    EXPECT_TRUE(report.warm_started);
    warm += report.sweeps;
  }
  EXPECT_LT(warm, 0.6 * cold);
}

TEST(QpccSolver, ComplianceAddsToD) {
  QpccProblem soft = MakeRandomQpcc({.contacts = 2}, 4), folded = soft;
  soft.compliance.setLinSpaced(soft.num_rows(), 0.1, 0.3);
  folded.D.diagonal() += soft.compliance;
  QpccSolution x, y;
  EXPECT_EQ(SolveQpcc(soft, {}, &x).loss, SolveQpcc(folded, {}, &y).loss);
  EXPECT_EQ(x.actuation, y.actuation);
}

TEST(QpccSolver, KeepsToItsTimeBudget) {
  QpccSettings settings;
  settings.time_budget = 1e-4;
  settings.sweeps = 1'000'000;
  settings.settled_sweeps = 1'000'000;
  settings.tolerance = 1e-15;
  QpccSolution x;
  const QpccReport report = SolveQpcc(MakeRandomQpcc({.contacts = 12, .actuators = 12}, 1), settings, &x);
  EXPECT_TRUE(AllFinite(x));
  EXPECT_LT(report.cpu_time, 0.1);
  EXPECT_LT(report.sweeps, 100'000);
}

TEST(QpccSolver, RefusesNumbersThatMakeNoSense) {
  const auto status_of = [](auto change) {
    QpccProblem p = MakePushedBlock(2, 0.5, 0.3);
    change(&p);
    QpccSolution x;
    const QpccReport report = SolveQpcc(p, {}, &x);
    EXPECT_TRUE(AllFinite(x));
    EXPECT_FALSE(report.message.empty());
    return report.status;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(status_of([&](QpccProblem* p) { p->A(0, 0) = nan; }), QpccStatus::InvalidInput);
  EXPECT_EQ(status_of([&](QpccProblem* p) { p->D(1, 1) = kInf; }), QpccStatus::InvalidInput);
  EXPECT_EQ(status_of([&](QpccProblem* p) { p->g[0] = nan; }), QpccStatus::InvalidInput);
  EXPECT_EQ(status_of([&](QpccProblem* p) { p->mu[0] = -1; }), QpccStatus::InvalidInput);
  EXPECT_EQ(status_of([&](QpccProblem* p) { p->lower[0] = nan; }), QpccStatus::InvalidInput);
  EXPECT_EQ(status_of([&](QpccProblem* p) { p->upper[0] = -11; }), QpccStatus::InvalidInput);
  EXPECT_EQ(status_of([&](QpccProblem* p) { p->D(0, 1) = 0.5; }), QpccStatus::InvalidInput);
}

TEST(QpccSolver, ThrowsOnMisuse) {
  QpccSolution x;
  QpccProblem p = MakePushedBlock(2, 0.5, 0.3);
  p.B.resize(1, 2);
  EXPECT_THROW((void)SolveQpcc(p, {}, &x), InputError);
  QpccSettings settings;
  settings.starts = 0;
  EXPECT_THROW((void)SolveQpcc(MakePushedBlock(2, 0.5, 0.3), settings, &x), InputError);
  settings = {};
  settings.reduced = ReducedUse::Always;
  settings.forward_solver = "no such solver";
  EXPECT_THROW((void)SolveQpcc(MakePushedBlock(2, 0.5, 0.3), settings, &x), InputError);
}

TEST(QpccSolver, SolvesWithoutContacts) {
  const QpccProblem p = MakeRandomQpcc({.contacts = 0, .actuators = 5, .tasks = 3}, 2);
  QpccSolution x;
  EXPECT_EQ(SolveQpcc(p, {}, &x).status, QpccStatus::Solved);
  // Bounded least squares: the gradient vanishes, or points out of the box.
  const VectorX gradient = p.A.transpose() * (p.A * x.actuation + p.b);
  for (int i = 0; i < 5; ++i) {
    if (x.actuation[i] == p.lower[i]) {
      EXPECT_GE(gradient[i], 0);
    } else if (x.actuation[i] == p.upper[i]) {
      EXPECT_LE(gradient[i], 0);
    } else {
      EXPECT_NEAR(gradient[i], 0, 1e-9);
    }
  }
}

TEST(QpccSolver, SolvesWithoutFrictionActuatorsTasksOrFreedom) {
  QpccSolution x;
  QpccProblem p = MakePushedBlock(2, 0, 0.3);
  EXPECT_EQ(SolveQpcc(p, {}, &x).status, QpccStatus::Solved);
  EXPECT_NEAR(x.actuation[0], 0.3, 1e-9);
  EXPECT_EQ(x.contact[0], 0);
  // Bounds that leave nothing: the contacts' answer to no actuation.
  p = MakePushedBlock(2, 0.5, 0.3);
  p.lower.setZero();
  p.upper.setZero();
  QpccReport report = SolveQpcc(p, {}, &x);
  EXPECT_TRUE(report.feasible());
  EXPECT_EQ(x.actuation[0], 0);
  EXPECT_NEAR(x.contact[2], 2, 1e-9);
  EXPECT_NEAR(report.loss, 0.5 * 0.09, 1e-9);
  // No actuators, no tasks.
  report = SolveQpcc(MakeRandomQpcc({.contacts = 2, .actuators = 0}, 1), {}, &x);
  EXPECT_TRUE(report.feasible()) << ToString(report.status);
  report = SolveQpcc(MakeRandomQpcc({.contacts = 2, .tasks = 0, .regularization = 0}, 1), {}, &x);
  EXPECT_TRUE(report.feasible()) << ToString(report.status);
}

TEST(QpccSolver, SolvesWithRedundantContacts) {
  // Four times the same contact: D has rank 3 of 12.
  const QpccProblem one = MakePushedBlock(2, 0.5, 0.3);
  QpccProblem p = one;
  p.Resize(1, 1, 4, QpccKind::Ncp);
  p.A = one.A;
  p.b = one.b;
  p.lower = one.lower;
  p.upper = one.upper;
  for (int i = 0; i < 4; ++i) {
    p.B.middleCols(3 * i, 3) = one.B;
    p.C.middleRows(3 * i, 3) = one.C;
    p.g.segment(3 * i, 3) = one.g;
    p.mu[i] = 0.5;
    for (int j = 0; j < 4; ++j) p.D.block(3 * i, 3 * j, 3, 3) = one.D;
  }
  QpccSolution x;
  const QpccReport report = SolveQpcc(p, {}, &x);
  EXPECT_TRUE(report.feasible()) << ToString(report.status);
  EXPECT_TRUE(AllFinite(x));
  EXPECT_LE(report.loss, 1e-12);
  EXPECT_NEAR(x.actuation[0], 1.3, 1e-6);
}

TEST(QpccSolver, SaysWhatIsInfeasible) {
  // Nothing moves the contact, and it is closing.
  QpccProblem p = MakePushedBlock(2, 0.5, 0.3);
  p.C.setZero();
  p.D.setZero();
  QpccSolution x;
  const QpccReport report = SolveQpcc(p, {}, &x);
  EXPECT_EQ(report.status, QpccStatus::Infeasible);
  EXPECT_FALSE(report.message.empty());
  EXPECT_TRUE(AllFinite(x));
  EXPECT_NEAR(report.dynamics_gap, 2, 0.1);
  // Nobody asked the contact solver: that is said, and not more.
  const QpccReport quick = SolveQpcc(p, QpccSettings::RealTime(), &x);
  EXPECT_EQ(quick.status, QpccStatus::Approximate);
  EXPECT_NE(quick.message.find("Never"), std::string::npos) << quick.message;
  EXPECT_TRUE(AllFinite(x));
}

TEST(QpccSolver, FrictionlessProblemsAreTheNormalRows) {
  const QpccProblem p = MakeRandomQpcc({.contacts = 3}, 6), lcp = MakeFrictionless(p);
  lcp.Validate();
  EXPECT_EQ(lcp.kind, QpccKind::Lcp);
  EXPECT_EQ(lcp.num_contacts(), 3);
  EXPECT_EQ(lcp.D(1, 2), p.D(5, 8));
  EXPECT_EQ(lcp.B.col(2), p.B.col(8));
}

}  // namespace
}  // namespace tactus
