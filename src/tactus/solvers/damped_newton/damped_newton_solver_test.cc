#include "tactus/solvers/damped_newton/damped_newton_solver.h"

#include <gtest/gtest.h>

#include "tactus/solvers/newton_common/mixed_problem_testing.h"

namespace tactus {
namespace {

TEST(DampedNewtonSolver, SlidingBoxSlowsDownByMuGravity) {
  DampedNewtonSolver solver;
  ContactSolution solution;
  const SolveReport report = solver.Solve(MakeSlidingBox(0.3, 1), &solution);
  ASSERT_EQ(report.status, SolveStatus::Solved) << report.residual.Summary();
  EXPECT_NEAR(solution.velocity[0], 1 - 0.3 * 9.81 * 0.01, 1e-7);
  EXPECT_NEAR(solution.velocity[2], 0, 1e-8);
}

TEST(DampedNewtonSolver, SolvesMostMixedProblems) {
  DampedNewtonSettings settings;
  settings.beta = 100;  // at the paper's 1e4 the inner equation fails on half of these
  DampedNewtonSolver solver(settings);
  ContactSolution solution;
  int solved = 0;
  for (int seed = 0; seed < 30; ++seed) {
    MixedProblemOptions options;
    options.mu = 0.3;
    solved += solver.Solve(MakeMixedProblem(seed, options), &solution).solved();
  }
  EXPECT_GE(solved, 27);  // nothing guarantees the others: r(v) is not monotone
}

TEST(DampedNewtonSolver, CountsFailedInnerSolves) {
  DampedNewtonSettings settings;
  settings.first_inner_steps = settings.inner_steps = 1;
  settings.max_iterations = 5;
  DampedNewtonSolver solver(settings);
  ContactSolution solution;
  const SolveReport report = solver.Solve(MakeMixedProblem(0), &solution);
  EXPECT_GT(report.inner_failures, 0);
  EXPECT_LE(report.newton_steps, 5);
}

// It reaches solutions where descent alone is stuck, and never the other way round. (How many inner solves fail says
// little: on the few problems that neither solves, all of them do.)
TEST(DampedNewtonSolver, ClimbingGetsPastKinks) {
  ContactSolution solution;
  int gained = 0, lost = 0;
  DampedNewtonSettings settings;
  DampedNewtonSolver descending(settings);
  settings.climb = true;
  DampedNewtonSolver climbing(settings);
  for (int seed = 0; seed < 40; ++seed) {
    const ContactProblem problem = MakeMixedProblem(seed);
    const bool without = descending.Solve(problem, &solution).solved(),
               with = climbing.Solve(problem, &solution).solved();
    gained += with && !without;
    lost += without && !with;
  }
  EXPECT_GT(gained, 0);
  EXPECT_EQ(lost, 0);
}

TEST(DampedNewtonSolver, RefusesBadSettingsByName) {
  DampedNewtonSettings settings;
  settings.armijo = 0.6;
  try {
    DampedNewtonSolver solver(settings);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("armijo"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tactus
