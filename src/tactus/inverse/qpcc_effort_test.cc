// What a solve does within bounded work: limits hold, and an answer that obeys law and dynamics is there all the same.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tactus/inverse/qpcc_memory.h"
#include "tactus/inverse/qpcc_solver.h"
#include "tactus/inverse/qpcc_unscale.h"
#include "tactus/inverse/random_qpcc.h"

namespace tactus {
namespace {

// A quadruped's size.
QpccProblem MakeProblem(std::uint64_t seed) {
  return MakeRandomQpcc({.contacts = 4, .actuators = 12, .tasks = 6, .passive_dofs = 6, .limit = 3}, seed);
}

TEST(QpccEffort, PolishingStepsAreLimited) {
  // A Newton's method that has begun goes on: 25 steps, each of which may be tried twice.
  constexpr int kLimit = 20, kOneSolve = 50;
  int most = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const QpccProblem p = MakeProblem(seed);
    QpccSettings settings;
    settings.search_solves = settings.search_starts = 0;
    QpccSolution x;
    most = std::max(most, SolveQpcc(p, settings, &x).polish_steps);
    settings.polish_steps = kLimit;
    EXPECT_LE(SolveQpcc(p, settings, &x).polish_steps, kLimit + kOneSolve) << "seed " << seed;
  }
  EXPECT_GT(most, kLimit + kOneSolve) << "the limit limits nothing here";
}

// From the last answer there is one nearby, whatever becomes of sweeps and polishing.
TEST(QpccEffort, FollowsTheLastActuation) {
  int followed = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    QpccProblem p = MakeProblem(seed);
    QpccWorkspace workspace;
    QpccSolution x;
    const QpccReport before = SolveQpcc(p, {}, nullptr, &workspace, &x);
    if (!before.feasible()) continue;
    p.b *= 1.001;
    p.g *= 0.999;
    QpccSettings settings;
    settings.polish = false;  // nothing else to rely on
    settings.starts = 1;
    settings.sweeps = 1;
    settings.reduced = ReducedUse::WhenInfeasible;
    const QpccReport after = SolveQpcc(p, settings, &x, &workspace, &x);
    EXPECT_TRUE(after.feasible()) << "seed " << seed << ": " << ToString(after.status);
    EXPECT_EQ(after.origin, QpccOrigin::Reduced);
    EXPECT_LE(after.loss, 1.1 * before.loss + 1e-3 * p.b.squaredNorm()) << "seed " << seed;
    ++followed;
  }
  EXPECT_GE(followed, 15);
}

// What creeps has a direction only by its friction: turning friction into the velocity's would leave a gap as large as
// friction's effect.
TEST(QpccEffort, ForwardAnswersOfCreepingContactsObeyTheDynamics) {
  for (const double creep : {1e-12, 1e-14, 1e-16}) {
    QpccProblem p;
    p.Resize(1, 1, 2, QpccKind::Ncp);
    p.A(0, 0) = 1;
    // Two contacts of one body, so that rounding in one turns the other.
    const double normal = 0.7, mu = 0.4;
    p.D << 2, 0.3, 0.1, 0.7, 0.2, 0.1,  //
        0.3, 2, 0.2, 0.2, 0.6, 0.1,     //
        0.1, 0.2, 2, 0.1, 0.1, 0.5,     //
        0.7, 0.2, 0.1, 2, 0.3, 0.2,     //
        0.2, 0.6, 0.1, 0.3, 2, 0.1,     //
        0.1, 0.1, 0.5, 0.2, 0.1, 2;
    p.mu.setConstant(2, mu);
    const double c = std::cos(0.3), s = std::sin(0.3);
    VectorX l(6), sigma(6);
    l << -mu * normal * c, -mu * normal * s, normal, -mu * normal * s, -mu * normal * c, normal;
    sigma << creep * c, creep * s, 0, creep * s, creep * c, 0;
    p.g = sigma - p.D * l;
    QpccScaled scaled;
    ScaleQpcc(p, 10, &scaled);
    QpccIterate it;
    it.Resize(scaled);
    QpccForward forward;
    forward.Prepare(p, {});
    ASSERT_TRUE(forward.Solve(p, scaled, false, &it));
    const VectorX gap = it.s_hat - scaled.g - scaled.CD * it.x_hat;
    EXPECT_LE(gap.cwiseAbs().maxCoeff(), 1e-9) << "creeping at " << creep;
  }
}

}  // namespace
}  // namespace tactus
