#include "tactus/solvers/fadmm/fadmm_solver.h"

#include <gtest/gtest.h>

#include "tactus/solvers/first_order/first_order_testing.h"

namespace tactus {
namespace {

TEST(Fadmm, PointContactOpensSticksSlips) {
  FadmmSolver solver;
  ExpectPointContactsRight(&solver, 1e-9);
  ExpectScalarRowsRight(&solver, 1e-9);
}

TEST(Fadmm, PushedBoxSticksAndSlides) {
  FadmmSolver solver;
  ContactSolution solution;
  EXPECT_TRUE(SolveCold(&solver, MakeBoxOnPlane(0.03, 0.5), &solution).solved());
  EXPECT_LT(solution.velocity.norm(), 1e-6);
  EXPECT_TRUE(SolveCold(&solver, MakeBoxOnPlane(0.1, 0.5), &solution).solved());
  EXPECT_NEAR(solution.velocity[0], 0.1 - 0.5 * 0.0981, 1e-6);
}

TEST(Fadmm, SolvesRandomProblems) {
  FadmmSolver solver;
  int solved = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    ContactSolution solution;
    const ContactProblem problem = MakeRandomProblem(seed, 4, 8, 0.3);
    const SolveReport report = SolveCold(&solver, problem, &solution, 1e-6);
    solved += report.solved();
    EXPECT_LT(report.residual.natural_rho, 1e-2) << "seed " << seed;
  }
  EXPECT_GE(solved, 9);
}

TEST(Fadmm, BothFormsGiveTheSameIterates) {
  const ContactProblem problem = MakeRandomProblem(2, 3, 6, 0.5);
  FadmmSolver solver;
  ContactSolution body, delassus;
  (void)SolveCold(&solver, problem, &body, 1e-14, 20);
  (void)SolveCold(&solver, ToDelassus(problem), &delassus, 1e-14, 20);
  EXPECT_GT(body.impulse.norm(), 0.1);
  EXPECT_LT((body.impulse - delassus.impulse).norm(), 1e-9 * body.impulse.norm());
}

TEST(Fadmm, CountsDoNotDependOnTheUnitOfMass) {
  FadmmSolver solver;
  ContactSolution solution;
  int iterations[2];
  for (const bool heavy : {false, true}) {
    const double scale = heavy ? 1024 : 1;
    const ContactProblem problem =
        ContactProblem::FromMatrices(MatrixX(scale * Matrix3::Identity()), VectorX(scale * Vector3(3, 1, -1)),
                                     MatrixX(Matrix3::Identity()), VectorX(Vector3::Zero()), {Friction(0.5)});
    iterations[heavy] = SolveCold(&solver, problem, &solution).iterations;
  }
  EXPECT_EQ(iterations[0], iterations[1]);
}

TEST(Fadmm, KeepsItsBudget) {
  FadmmSolver solver;
  ContactSolution solution;
  SolveSettings settings;
  settings.tolerance = 1e-16;
  settings.max_iterations = 100000000;
  settings.time_budget = 0.02;
  EXPECT_EQ(solver.Solve(MakeBoxStack(6, 10, 0.8), settings, WarmStart(), &solution).status, SolveStatus::TimeBudget);
}

TEST(Fadmm, RefusesBadSettings) {
  FadmmSettings settings;
  settings.relaxation = 2;
  EXPECT_THROW(FadmmSolver{settings}, InputError);
  settings = FadmmSettings();
  settings.beta = 0;
  EXPECT_THROW(FadmmSolver{settings}, InputError);
}

}  // namespace
}  // namespace tactus
