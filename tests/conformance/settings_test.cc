// Every solver respects what it is told: tolerance, limits, cancellation, history, warm starts; and refuses nonsense.
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/timer.h"
#include "tactus/generate/dishes.h"
#include "tactus/generate/random_problem.h"
#include "tests/common/honesty.h"
#include "tests/common/small_problems.h"
#include "tests/common/solver_abilities.h"

namespace tactus {
namespace {

class Settings : public EverySolver {};

ContactProblem MakeStack(int contacts) {
  DishesSettings settings;
  settings.contacts = contacts;
  settings.mu = 0.5;
  return MakeDishes(settings, 3);
}

TEST_P(Settings, NameIsTheRegisteredOne) {
  EXPECT_EQ(solver().name(), GetParam());
  ContactSolution solution;
  EXPECT_EQ(solver().Solve(MakeBox({}), settings(), WarmStart(), &solution).solver, GetParam());
}

TEST_P(Settings, MaxIterationsIsALimit) {
  const ContactProblem p = MakeStack(24);
  for (const int limit : {1, 2, 5}) {
    SolveSettings s = settings();
    s.max_iterations = limit;
    s.tolerance = 1e-15;  // out of reach
    ContactSolution solution;
    const SolveReport report = solver().Solve(p, s, WarmStart(), &solution);
    ExpectHonest(p, s, report, solution, "limit " + std::to_string(limit));
    EXPECT_LE(report.iterations, limit);
  }
}

TEST_P(Settings, TimeBudgetEndsTheSolve) {
  const ContactProblem p = MakeStack(60);
  SolveSettings s = settings();
  s.tolerance = 1e-15;
  s.time_budget = 1e-9;
  ContactSolution solution;
  Timer timer;
  const SolveReport report = solver().Solve(p, s, WarmStart(), &solution);
  ExpectHonest(p, s, report, solution, "no time");
  EXPECT_LT(timer.seconds(), 5);
  EXPECT_LE(report.iterations, 1000);
  if (ability().exact_rows) {
    EXPECT_EQ(report.status, SolveStatus::TimeBudget) << report.message;
  }
}

TEST_P(Settings, CancelledBeforeTheStart) {
  const ContactProblem p = MakeStack(24);
  std::atomic<bool> cancel = true;
  SolveSettings s = settings();
  s.tolerance = 1e-15;
  s.cancel = &cancel;
  ContactSolution solution;
  const SolveReport report = solver().Solve(p, s, WarmStart(), &solution);
  ExpectHonest(p, s, report, solution, "cancelled");
  if (ability().exact_rows) {
    EXPECT_EQ(report.status, SolveStatus::Cancelled) << report.message;
  }
}

TEST_P(Settings, CancelledFromAnotherThread) {
  const ContactProblem p = MakeStack(60);
  std::atomic<bool> cancel = false;
  SolveSettings s = settings();
  s.tolerance = 1e-15;
  s.max_iterations = 100000000;
  s.time_budget = 60;
  s.cancel = &cancel;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancel = true;
  });
  ContactSolution solution;
  Timer timer;
  const SolveReport report = solver().Solve(p, s, WarmStart(), &solution);
  const double seconds = timer.seconds();
  other.join();
  ExpectHonest(p, s, report, solution, "cancelled while running");
  EXPECT_LT(seconds, 20);
  EXPECT_NE(report.status, SolveStatus::TimeBudget);
}

TEST_P(Settings, HistoryIsJudgedAndChangesNothing) {
  const ContactProblem p = MakeStack(16);
  SolveSettings s = settings();
  s.max_iterations = 30;
  ContactSolution plain, recorded;
  const SolveReport without = solver().Solve(p, s, WarmStart(), &plain);
  s.record_history = true;
  const SolveReport with = solver().Solve(p, s, WarmStart(), &recorded);
  EXPECT_TRUE(without.history.empty());
  EXPECT_TRUE(plain.impulse == recorded.impulse);
  EXPECT_EQ(without.iterations, with.iterations);
  ASSERT_FALSE(with.history.empty()) << "took " << with.iterations << " iterations and wrote nothing";
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < with.history.size(); ++k) {
    const HistoryEntry& entry = with.history[k];
    best = std::min(best, entry.natural_rho);
    EXPECT_LE(entry.iteration, with.iterations);
    EXPECT_LE(entry.newton_steps, with.newton_steps);
    EXPECT_GE(entry.time, 0);
    if (k == 0) continue;
    EXPECT_GE(entry.iteration, with.history[k - 1].iteration);
    EXPECT_GE(entry.newton_steps, with.history[k - 1].newton_steps);
    EXPECT_GE(entry.time, with.history[k - 1].time);
  }
  // The returned answer is the best one seen, up to rounding; relaxations return their own optimum instead.
  if (ability().exact) {
    EXPECT_LE(with.residual.natural_rho, best * (1 + 1e-6));
  }
}

TEST_P(Settings, LooserToleranceIsEnough) {
  if (!ability().exact) GTEST_SKIP() << ability().why;
  BoxSettings box;
  box.push = 1;
  const ContactProblem p = MakeBox(box);
  int last = 0;
  for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
    SolveSettings s;
    s.tolerance = std::max(tolerance, ability().tolerance);
    ContactSolution solution;
    const SolveReport report = solver().Solve(p, s, WarmStart(), &solution);
    ExpectSolved(p, s, report, solution, "tolerance " + std::to_string(tolerance));
    EXPECT_GE(report.iterations, last) << "more precision for less work";
    last = report.iterations;
  }
}

TEST_P(Settings, WarmStartFromTheAnswer) {
  if (!ability().warm_start) GTEST_SKIP() << ability().why;
  BoxSettings box;
  box.push = 1;
  RandomSettings random;
  random.bodies = 3;
  random.trees = random.meshes = 0;
  random.contacts = 6;
  random.rows = 5;
  random.mu = 0.3;
  for (const ContactProblem& p : {MakeBox(box), MakeKnown(random, 1).problem, MakeStack(16)}) {
    ContactSolution cold, warm;
    const SolveReport first = solver().Solve(p, settings(), WarmStart(), &cold);
    const SolveReport second = solver().Solve(p, settings(), WarmStart{cold.impulse}, &warm);
    ExpectHonest(p, settings(), second, warm, "warm");
    EXPECT_LE(second.iterations, first.iterations + 1);
    if (!first.solved()) continue;
    EXPECT_TRUE(second.solved()) << p.name << ": " << ToString(second.status) << " " << second.message;
  }
}

TEST_P(Settings, WarmStartFromNonsenseIsNoHarm) {
  const ContactProblem p = MakeBox({});
  ContactSolution solution;
  for (const double value : {1.0, -1.0, 1e6}) {
    const SolveReport report = solver().Solve(p, settings(), WarmStart{VectorX::Constant(p.size(), value)}, &solution);
    ExpectHonest(p, settings(), report, solution, "warm start of " + std::to_string(value));
    if (ability().exact && std::abs(value) <= 1) {
      EXPECT_TRUE(report.solved()) << value << ": " << ToString(report.status) << " " << report.message << " "
                                   << report.residual.Summary();
    }
  }
}

TEST_P(Settings, MisuseIsRefused) {
  const ContactProblem p = MakeBox({});
  ContactSolution solution;
  const auto error = [&](const SolveSettings& s, const WarmStart& warm) -> std::string {
    try {
      static_cast<void>(solver().Solve(p, s, warm, &solution));
    } catch (const InputError& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  SolveSettings s;
  for (const double bad : {0.0, -1.0, 1.0, std::nan(""), kInfinity}) {
    s.tolerance = bad;
    EXPECT_THAT(error(s, {}), testing::HasSubstr("tolerance"));
  }
  s = {};
  s.max_iterations = -1;
  EXPECT_THAT(error(s, {}), testing::HasSubstr("max_iterations"));
  s = {};
  for (const double bad : {-1.0, std::nan("")}) {
    s.time_budget = bad;
    EXPECT_THAT(error(s, {}), testing::HasSubstr("time_budget"));
  }
  s = {};
  EXPECT_THAT(error(s, WarmStart{VectorX::Zero(p.size() + 1)}), testing::HasSubstr("warm start"));
  VectorX bad = VectorX::Zero(p.size());
  bad[4] = std::nan("");
  EXPECT_THAT(error(s, WarmStart{bad}), testing::HasSubstr("warm start"));
  EXPECT_THAT(error(s, WarmStart{{}, VectorX::Zero(p.num_dofs() + 1)}), testing::HasSubstr("velocities"));
  VectorX fast = VectorX::Zero(p.num_dofs());
  if (fast.size() > 0) {
    fast[0] = std::numeric_limits<double>::infinity();
    EXPECT_THAT(error(s, WarmStart{{}, fast}), testing::HasSubstr("velocity"));
  }
}

TACTUS_FOR_EVERY_SOLVER(Settings);

}  // namespace
}  // namespace tactus
