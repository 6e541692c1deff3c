#include "tactus/solvers/canal/canal_solver.h"

#include <gtest/gtest.h>

#include "tactus/solvers/newton_common/mixed_problem_testing.h"

namespace tactus {
namespace {

TEST(CanalSolver, SlidingBoxSlowsDownByMuGravity) {
  CanalSolver solver;
  ContactSolution solution;
  const SolveReport report = solver.Solve(MakeSlidingBox(0.3, 1), &solution);
  ASSERT_EQ(report.status, SolveStatus::Solved) << report.residual.Summary();
  EXPECT_NEAR(solution.velocity[0], 1 - 0.3 * 9.81 * 0.01, 1e-7);
  EXPECT_NEAR(solution.velocity[2], 0, 1e-8);  // the convex relaxation would hover at mu times the slip
  EXPECT_GT(report.newton_steps, 0);
  EXPECT_EQ(report.inner_failures, 0);
}

TEST(CanalSolver, SolvesEveryConstraintKind) {
  CanalSolver solver;
  ContactSolution solution;
  int solved = 0, failures = 0;
  const int count = 30;
  for (int seed = 0; seed < count; ++seed) {
    MixedProblemOptions options;
    options.mu = 0.3;
    const SolveReport report = solver.Solve(MakeMixedProblem(seed, options), &solution);
    solved += report.solved();
    failures += report.inner_failures;
  }
  // As published the frozen term need not converge; most of these do. The inner problem is convex and always solved.
  EXPECT_GE(solved, 25);
  EXPECT_EQ(failures, 0);
}

TEST(CanalSolver, InnerProblemIsSolvedOnRankDeficientRows) {
  CanalSolver solver;
  ContactSolution solution;
  for (int seed = 0; seed < 10; ++seed) {
    MixedProblemOptions options;
    options.contacts = 60;
    options.bodies = 2;
    options.rank_deficient = true;
    const SolveReport report = solver.Solve(MakeMixedProblem(seed, options), &solution);
    EXPECT_EQ(report.inner_failures, 0) << "seed " << seed;
    EXPECT_NE(report.status, SolveStatus::NumericalError);
  }
}

TEST(CanalSolver, CountsDoNotDependOnTheUnitOfMass) {
  CanalSolver solver;
  ContactSolution solution;
  const auto scaled_box = [](double unit) {
    ContactProblemBuilder builder;
    const Matrix6 inertia = unit * Matrix6::Identity();
    Vector6 momentum;
    momentum << 1, 0.2, -1, 0.1, 0.2, 0.3;
    const BodyIndex body = builder.AddFreeBody(inertia, unit * momentum, Vector3::Zero());
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-0.5, 0.5})
        builder.AddContact(body, kWorld, {x, y, -0.5}, Matrix3::Identity(), 0.4, Vector3::Zero());
    }
    return builder.Build();
  };
  const SolveReport reference = solver.Solve(scaled_box(1), &solution);
  EXPECT_TRUE(reference.solved());
  for (const double unit : {1024.0, 1 / 1024.0}) {  // powers of two: the same arithmetic, digit by digit
    const SolveReport scaled = solver.Solve(scaled_box(unit), &solution);
    EXPECT_TRUE(scaled.solved());
    EXPECT_EQ(reference.iterations, scaled.iterations);
    EXPECT_EQ(reference.newton_steps, scaled.newton_steps);
  }
}

TEST(CanalSolver, AnswersTheSameAfterOtherProblems) {
  const ContactProblem problem = MakeMixedProblem(2);
  ContactSolution fresh, reused;
  CanalSolver a, b;
  (void)a.Solve(problem, &fresh);
  (void)b.Solve(MakeSlidingBox(0.5, 2), &reused);
  (void)b.Solve(problem, &reused);
  EXPECT_TRUE(fresh.impulse == reused.impulse);
}

TEST(CanalSolver, WarmStartNeedsLess) {
  const ContactProblem problem = MakeSlidingBox(0.3, 1);
  CanalSolver solver;
  ContactSolution cold, warm;
  const SolveReport first = solver.Solve(problem, &cold);
  const SolveReport second = solver.Solve(problem, SolveSettings(), WarmStart{cold.impulse}, &warm);
  EXPECT_TRUE(second.solved());
  EXPECT_LT(second.newton_steps, first.newton_steps);
}

TEST(CanalSolver, SolvesDelassusPairs) {
  // The sliding box again, known by W and q only (rank 6 in 12 rows).
  const ContactProblem box = MakeSlidingBox(0.3, 1);
  MatrixX W(12, 12);
  VectorX q, column;
  box.CalcSigma(VectorX::Zero(12), &q);
  for (int k = 0; k < 12; ++k) {
    box.CalcSigma(VectorX::Unit(12, k), &column);
    W.col(k) = column - q;
  }
  const ContactProblem pair = ContactProblem::FromDelassus(W.sparseView(), q, std::vector<Friction>(4, 0.3));
  CanalSolver solver;
  ContactSolution solution;
  EXPECT_TRUE(solver.Solve(pair, &solution).solved());
  EXPECT_NEAR(solution.sigma[0], 1 - 0.3 * 9.81 * 0.01, 1e-7);
}

TEST(CanalSolver, SurvivesAPairThatNothingCanMove) {
  SparseMatrix W(3, 3);
  CanalSolver solver;
  ContactSolution solution;
  EXPECT_TRUE(solver.Solve(ContactProblem::FromDelassus(W, Vector3(1, 0, 2), {0.5}), &solution).solved());
  EXPECT_FALSE(solver.Solve(ContactProblem::FromDelassus(W, Vector3(1, 0, -2), {0.5}), &solution).solved());
}

TEST(CanalSolver, RefusesBadSettingsByName) {
  CanalSettings settings;
  settings.kappa = 1;
  try {
    CanalSolver solver(settings);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("kappa"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tactus
