#include "tactus/solvers/nnewton/nnewton_solver.h"

#include <gtest/gtest.h>

#include "tactus/solvers/newton_common/mixed_problem_testing.h"

namespace tactus {
namespace {

TEST(NnewtonSolver, SlidingBoxSlowsDownByMuGravity) {
  NnewtonSolver solver;
  ContactSolution solution;
  const SolveReport report = solver.Solve(MakeSlidingBox(0.3, 1), &solution);
  ASSERT_EQ(report.status, SolveStatus::Solved) << report.residual.Summary();
  EXPECT_NEAR(solution.velocity[0], 1 - 0.3 * 9.81 * 0.01, 1e-6);
  EXPECT_NEAR(solution.velocity[2], 0, 1e-7);
}

TEST(NnewtonSolver, SlowBoxSticks) {
  NnewtonSolver solver;
  ContactSolution solution;
  ASSERT_TRUE(solver.Solve(MakeSlidingBox(0.5, 0.01), &solution).solved());
  EXPECT_LT(solution.velocity.norm(), 1e-7);
  for (const ContactMode mode : solution.modes) EXPECT_EQ(mode, ContactMode::Stick);
}

TEST(NnewtonSolver, SolvesEveryRowKindWithoutFriction) {
  NnewtonSolver solver;
  ContactSolution solution;
  MixedProblemOptions options;
  options.mu = 0;
  for (int seed = 0; seed < 20; ++seed) {
    const SolveReport report = solver.Solve(MakeMixedProblem(seed, options), &solution);
    EXPECT_TRUE(report.solved()) << "seed " << seed << "\n" << report.residual.Summary();
  }
}

TEST(NnewtonSolver, BringsTheResidualDownWithFriction) {
  NnewtonSolver solver;
  ContactSolution solution;
  SolveSettings settings;
  settings.max_iterations = 9;
  for (int seed = 0; seed < 20; ++seed) {
    const ContactProblem problem = MakeMixedProblem(seed);
    const double start = CalcNcpResidual(problem, VectorX::Zero(problem.size())).natural_rho;
    const SolveReport report = solver.Solve(problem, settings, {}, &solution);
    EXPECT_LT(report.residual.natural_rho, 0.3 * start) << "seed " << seed;
    EXPECT_LE(report.newton_steps, 9);
  }
}

TEST(NnewtonSolver, SurvivesRedundantContacts) {
  NnewtonSolver solver;
  ContactSolution solution;
  MixedProblemOptions options;
  options.contacts = 60;
  options.rank_deficient = true;
  options.mu = 0;
  const SolveReport report = solver.Solve(MakeMixedProblem(3, options), &solution);
  EXPECT_TRUE(report.solved()) << report.residual.Summary();
}

TEST(NnewtonSolver, RefusesBadSettingsByName) {
  NnewtonSettings settings;
  settings.step = 0;
  try {
    NnewtonSolver solver(settings);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("step"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tactus
