#include "tactus/solvers/apgd/apgd_solver.h"

#include <gtest/gtest.h>

#include "tactus/solvers/first_order/first_order_testing.h"

namespace tactus {
namespace {

ApgdSolver Exact() {
  ApgdSettings settings;
  settings.de_saxce = true;
  return ApgdSolver(settings);
}

// Natural residual of the convex law K ∋ lambda ⟂ sigma ∈ K*, with unit weight.
double ConvexError(const ContactProblem& problem, const ContactSolution& solution) {
  double error = 0;
  for (int i = 0; i < problem.num_contacts(); ++i) {
    const Vector3 lambda = solution.impulse.segment<3>(3 * i), sigma = solution.sigma.segment<3>(3 * i);
    const Vector3 x = lambda - sigma;
    Vector3 projected;
    ConeProjection(x.data(), problem.friction(i).mu1, projected.data());
    error = std::max(error, (lambda - projected).norm());
  }
  return error;
}

TEST(Apgd, SolvesTheConvexRelaxationAndSaysSo) {
  ApgdSolver solver;
  ContactSolution solution;
  const ContactProblem problem = MakePointOnPlane(3, -1, 0.5);
  const SolveReport report = SolveCold(&solver, problem, &solution, 1e-10);
  // CCP by hand: the answer is the projection of -m v_free = (-6, 0, 2) on the cone, s = (2 + 3)/1.25 = 4.
  EXPECT_LT((solution.impulse - Vector3(-2, 0, 4)).norm(), 1e-8);
  EXPECT_LT(ConvexError(problem, solution), 1e-8);
  // It hovers at mu |sigma_t|, which is no solution of the exact law, and the report must not pretend.
  EXPECT_NEAR(solution.sigma[2], 0.5 * solution.sigma[0], 1e-8);
  EXPECT_FALSE(report.solved());
  EXPECT_GT(report.residual.natural_rho, 0.1);
  EXPECT_NE(report.message.find("convex relaxation"), std::string::npos);
}

TEST(Apgd, RandomProblemsMeetTheConvexLaw) {
  ApgdSolver solver;
  for (unsigned seed = 0; seed < 10; ++seed) {
    ContactSolution solution, again;
    const ContactProblem problem = MakeRandomProblem(seed, 4, 10, 0.6);
    const SolveReport report = SolveCold(&solver, problem, &solution, 1e-9);
    EXPECT_LT(report.iterations, 3000) << seed;
    EXPECT_LT(ConvexError(problem, solution), 1e-6 * (1 + solution.impulse.norm())) << seed;
    const ContactProblem delassus = ToDelassus(problem);
    (void)SolveCold(&solver, delassus, &again, 1e-9);
    EXPECT_LT((again.sigma - solution.sigma).head(30).norm(), 1e-5) << seed;  // the velocity is unique
  }
}

TEST(Apgd, OuterLoopReachesTheExactLaw) {
  ApgdSolver solver = Exact();
  ExpectPointContactsRight(&solver, 1e-9);
  ExpectScalarRowsRight(&solver, 1e-9);
  int solved = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    ContactSolution solution;
    solved += SolveCold(&solver, MakeRandomProblem(seed, 4, 8, 0.3), &solution, 1e-7).solved();
  }
  EXPECT_GE(solved, 9);
}

TEST(Apgd, StickingBoxIsTheSameInBothLaws) {
  ApgdSolver solver;
  ContactSolution solution;
  EXPECT_TRUE(SolveCold(&solver, MakeBoxOnPlane(0.03, 0.5), &solution).solved());
  EXPECT_LT(solution.velocity.norm(), 1e-6);
}

TEST(Apgd, WarmStartAndBudget) {
  ApgdSolver solver = Exact();
  ContactSolution solution;
  const ContactProblem problem = MakeBoxStack(3, 1, 0.8);
  ASSERT_TRUE(SolveCold(&solver, problem, &solution, 1e-8).solved());
  const SolveReport warm = solver.Solve(problem, SolveSettings(), WarmStart{solution.impulse}, &solution);
  EXPECT_TRUE(warm.solved());
  EXPECT_EQ(warm.iterations, 0);
  SolveSettings settings;
  settings.tolerance = 1e-16;
  settings.max_iterations = 100000000;
  settings.time_budget = 0.02;
  EXPECT_EQ(solver.Solve(MakeBoxStack(6, 10, 0.8), settings, WarmStart(), &solution).status, SolveStatus::TimeBudget);
}

TEST(Apgd, RefusesBadSettings) {
  ApgdSettings settings;
  settings.shrink = 0;
  EXPECT_THROW(ApgdSolver{settings}, InputError);
}

}  // namespace
}  // namespace tactus
