#include "tactus/solvers/pgs/pgs_solver.h"

#include <gtest/gtest.h>

#include "tactus/solvers/first_order/first_order_testing.h"

namespace tactus {
namespace {

std::vector<PgsSettings> AllVariants() {
  std::vector<PgsSettings> variants;
  for (const LocalRule rule : {LocalRule::Exact, LocalRule::Strict}) {
    for (const bool conjugate : {false, true}) {
      PgsSettings settings;
      settings.rule = rule;
      settings.conjugate = conjugate;
      variants.push_back(settings);
    }
  }
  return variants;
}

TEST(Pgs, PointContactOpensSticksSlips) {
  for (const PgsSettings& settings : AllVariants()) {
    PgsSolver solver(settings);
    ExpectPointContactsRight(&solver, 1e-10);
  }
}

TEST(Pgs, ScalarRowsMeetTheirLaws) {
  for (const PgsSettings& settings : AllVariants()) {
    PgsSolver solver(settings);
    ExpectScalarRowsRight(&solver, 1e-10);
  }
}

TEST(Pgs, PushedBoxSticksAndSlides) {
  PgsSolver solver;
  ContactSolution solution;
  // mu m g h = 0.04905 N s stops a push of 0.03 N s, and leaves 0.1 - 0.04905 of one of 0.1 N s.
  EXPECT_TRUE(SolveCold(&solver, MakeBoxOnPlane(0.03, 0.5), &solution, 1e-9).solved());
  EXPECT_LT(solution.velocity.norm(), 1e-7);
  EXPECT_TRUE(SolveCold(&solver, MakeBoxOnPlane(0.1, 0.5), &solution, 1e-9).solved());
  EXPECT_NEAR(solution.velocity[0], 0.1 - 0.5 * 0.0981, 1e-7);
  EXPECT_NEAR(solution.velocity[2], 0, 1e-8);
}

TEST(Pgs, SolvesRandomProblems) {
  for (const PgsSettings& settings : AllVariants()) {
    PgsSolver solver(settings);
    int solved = 0;
    for (unsigned seed = 0; seed < 10; ++seed) {
      ContactSolution solution;
      const ContactProblem problem = MakeRandomProblem(seed, 4, 8, 0.3);
      const SolveReport report = SolveCold(&solver, problem, &solution, 1e-8);
      solved += report.solved();
      EXPECT_LT(report.residual.natural_rho, 1e-3) << solver.name() << " seed " << seed;
      const SolveReport as_delassus = SolveCold(&solver, ToDelassus(problem), &solution, 1e-8);
      EXPECT_EQ(as_delassus.solved(), report.solved()) << seed;
    }
    EXPECT_GE(solved, 9) << solver.name();
  }
}

TEST(Pgs, BothFormsGiveTheSameIterates) {
  for (PgsSettings settings : AllVariants()) {
    const ContactProblem problem = MakeRandomProblem(3, 3, 12, 0.6);
    VectorX answers[2];
    for (const bool velocity : {false, true}) {
      settings.form = velocity ? SystemForm::Velocity : SystemForm::Delassus;
      settings.relaxation = 1.2;
      PgsSolver solver(settings);
      ContactSolution solution;
      const SolveReport report = SolveCold(&solver, problem, &solution, 1e-14, 23);
      EXPECT_EQ(report.iterations, 23);
      EXPECT_EQ(solver.form(), settings.form);
      answers[velocity] = solution.impulse;
    }
    EXPECT_GT(answers[0].norm(), 0.1);
    EXPECT_LT((answers[0] - answers[1]).norm(), 1e-10 * answers[0].norm());
  }
}

TEST(Pgs, ChoosesTheCheaperForm) {
  PgsSolver solver;
  ContactSolution solution;
  (void)SolveCold(&solver, MakeRandomProblem(1, 1, 40, 0.5), &solution, 1e-3, 10);
  EXPECT_EQ(solver.form(), SystemForm::Velocity);
  // One contact on a 60-dof subsystem: W is 3 x 3.
  const MatrixX J = MatrixX::Random(3, 60);
  (void)SolveCold(&solver,
                  ContactProblem::FromMatrices(MatrixX(MatrixX::Identity(60, 60) + 0.1 * MatrixX::Ones(60, 60)),
                                               VectorX::Random(60), J, VectorX::Zero(3), {Friction(0.5)}),
                  &solution);
  EXPECT_EQ(solver.form(), SystemForm::Delassus);
}

TEST(Pgs, AccelerationSavesSweeps) {
  PgsSettings plain, conjugate;
  conjugate.conjugate = true;
  PgsSolver pgs(plain), ncg(conjugate);
  ContactSolution solution;
  const ContactProblem problem = MakeBoxStack(5, 1, 0.8);
  const SolveReport slow = SolveCold(&pgs, problem, &solution, 1e-8);
  const SolveReport fast = SolveCold(&ncg, problem, &solution, 1e-8);
  EXPECT_TRUE(slow.solved());
  EXPECT_TRUE(fast.solved());
  EXPECT_LT(fast.iterations, slow.iterations);
}

TEST(Pgs, StartsFromTheGivenImpulses) {
  PgsSolver solver;
  ContactSolution cold, warm;
  const ContactProblem problem = MakeBoxStack(4, 1, 0.8);
  EXPECT_TRUE(SolveCold(&solver, problem, &cold, 1e-8).solved());
  const SolveReport report = solver.Solve(problem, SolveSettings(), WarmStart{cold.impulse}, &warm);
  EXPECT_TRUE(report.solved());
  EXPECT_EQ(report.iterations, 0);
}

TEST(Pgs, KeepsBudgetAndCancellation) {
  PgsSolver solver;
  ContactSolution solution;
  const ContactProblem problem = MakeBoxStack(8, 10, 0.8);
  SolveSettings settings;
  settings.tolerance = 1e-14;
  settings.max_iterations = 100000000;
  settings.time_budget = 0.02;
  const SolveReport budget = solver.Solve(problem, settings, WarmStart(), &solution);
  EXPECT_EQ(budget.status, SolveStatus::TimeBudget);
  EXPECT_LT(budget.time, 0.1);
  const std::atomic<bool> cancel = true;
  settings.cancel = &cancel;
  EXPECT_EQ(solver.Solve(problem, settings, WarmStart(), &solution).status, SolveStatus::Cancelled);
}

TEST(Pgs, RecordsAHistory) {
  PgsSolver solver;
  ContactSolution solution;
  SolveSettings settings;
  settings.record_history = true;
  const SolveReport report = solver.Solve(MakeBoxStack(3, 1, 0.8), settings, WarmStart(), &solution);
  ASSERT_GE(report.history.size(), 2u);
  EXPECT_EQ(report.history.front().iteration, 0);
  EXPECT_EQ(report.history.back().iteration, report.iterations);
  EXPECT_LE(report.history.back().natural_rho, 1e-8);
}

TEST(Pgs, RefusesBadSettings) {
  PgsSettings settings;
  settings.relaxation = 2;
  EXPECT_THROW(PgsSolver{settings}, InputError);
  settings = PgsSettings();
  settings.check_interval = 0;
  EXPECT_THROW(PgsSolver{settings}, InputError);
  settings = PgsSettings();
  settings.form = SystemForm::Factor;
  EXPECT_THROW(PgsSolver{settings}, InputError);
}

}  // namespace
}  // namespace tactus
