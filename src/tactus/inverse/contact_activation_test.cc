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

}  // namespace
}  // namespace tactus
