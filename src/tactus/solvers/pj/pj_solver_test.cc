#include "tactus/solvers/pj/pj_solver.h"

#include <gtest/gtest.h>

#include "tactus/solvers/first_order/first_order_testing.h"

namespace tactus {
namespace {

TEST(Pj, PointContactOpensSticksSlips) {
  for (const LocalRule rule : {LocalRule::Exact, LocalRule::Strict}) {
    PjSettings settings;
    settings.rule = rule;
    PjSolver solver(settings);
    ExpectPointContactsRight(&solver, 1e-10);
    ExpectScalarRowsRight(&solver, 1e-10);
  }
}

TEST(Pj, PushedBoxSticksAndSlides) {
  PjSolver solver;
  ContactSolution solution;
  EXPECT_TRUE(SolveCold(&solver, MakeBoxOnPlane(0.03, 0.5), &solution).solved());
  EXPECT_LT(solution.velocity.norm(), 1e-6);
  EXPECT_TRUE(SolveCold(&solver, MakeBoxOnPlane(0.1, 0.5), &solution).solved());
  EXPECT_NEAR(solution.velocity[0], 0.1 - 0.5 * 0.0981, 1e-6);
}

TEST(Pj, MajorantBoundsTheCoupling) {
  // Two contacts on one point mass: W = [D D; D D]/2, whose coupling is exactly 2.
  const MatrixX J = (MatrixX(6, 3) << Matrix3::Identity(), Matrix3::Identity()).finished();
  PjSolver solver;
  ContactSolution solution;
  const SolveReport report =
      SolveCold(&solver,
                ContactProblem::FromMatrices(MatrixX(2 * Matrix3::Identity()), VectorX(Vector3(1, 0, -4)), J,
                                             VectorX(VectorX::Zero(6)), {Friction(0.5), Friction(0.5)}),
                &solution);
  EXPECT_TRUE(report.solved());
  EXPECT_NEAR(solver.majorant(), 2.1, 1e-6);
}

TEST(Pj, SolvesRandomProblems) {
  PjSolver solver;
  int solved = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    ContactSolution solution;
    const ContactProblem problem = MakeRandomProblem(seed, 4, 8, 0.3);
    const SolveReport report = SolveCold(&solver, problem, &solution, 1e-6);
    solved += report.solved();
    EXPECT_LT(report.residual.natural_rho, 1e-3) << "seed " << seed;
    EXPECT_EQ(SolveCold(&solver, ToDelassus(problem), &solution, 1e-6).solved(), report.solved());
  }
  EXPECT_GE(solved, 9);
}

TEST(Pj, KeepsItsBudget) {
  PjSolver solver;
  ContactSolution solution;
  SolveSettings settings;
  settings.tolerance = 1e-15;
  settings.max_iterations = 100000000;
  settings.time_budget = 0.02;
  EXPECT_EQ(solver.Solve(MakeBoxStack(6, 10, 0.8), settings, WarmStart(), &solution).status, SolveStatus::TimeBudget);
}

TEST(Pj, RefusesBadSettings) {
  PjSettings settings;
  settings.safety = 0.5;
  EXPECT_THROW(PjSolver{settings}, InputError);
}

}  // namespace
}  // namespace tactus
