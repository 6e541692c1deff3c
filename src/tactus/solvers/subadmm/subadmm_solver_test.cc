#include "tactus/solvers/subadmm/subadmm_solver.h"

#include <gtest/gtest.h>

#include "tactus/generate/generator.h"
#include "tactus/solvers/fadmm/fadmm_solver.h"
#include "tactus/solvers/first_order/first_order_testing.h"
#include "tactus/solvers/newton_common/mixed_problem_testing.h"

namespace tactus {
namespace {

SubadmmSettings With(Split split, bool kernels = true) {
  SubadmmSettings settings;
  settings.split = split;
  settings.kernels = kernels;
  return settings;
}

constexpr Split kSplits[] = {Split::Body, Split::Subsystem, Split::None};

TEST(Subadmm, PointContactsOpenStickSlip) {
  for (const Split split : kSplits) {
    SubadmmSolver solver(With(split));
    ExpectPointContactsRight(&solver, 1e-9);
    ExpectScalarRowsRight(&solver, 1e-9);
  }
}

TEST(Subadmm, PushedBoxSticksAndSlides) {
  for (const Split split : kSplits) {
    SubadmmSolver solver(With(split));
    ContactSolution solution;
    EXPECT_TRUE(SolveCold(&solver, MakeBoxOnPlane(0.03, 0.5), &solution).solved());
    EXPECT_LT(solution.velocity.norm(), 1e-6);
    EXPECT_TRUE(SolveCold(&solver, MakeBoxOnPlane(0.1, 0.5), &solution).solved());
    EXPECT_NEAR(solution.velocity[0], 0.1 - 0.5 * 0.0981, 1e-6);
  }
}

// Free bodies with rows, trees without (plain code splits rows that join branches); contacts with the world as either
// body; adaptations of beta, after which rounding has grown.
TEST(Subadmm, KernelsGiveTheSameIterates) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    MixedProblemOptions options;
    options.bodies = 1 + static_cast<int>(seed % 4);
    options.contacts = 3 + static_cast<int>(seed);
    options.tree = seed % 2 == 0;
    options.rows = !options.tree;
    const ContactProblem problem = MakeMixedProblem(seed, options);
    if (!BodySplitEngine::Supports(problem)) continue;
    SubadmmSolver fast(With(Split::Body)), plain(With(Split::Body, false));
    for (const int iterations : {20, 60}) {
      ContactSolution a, b;
      (void)SolveCold(&fast, problem, &a, 1e-15, iterations);
      (void)SolveCold(&plain, problem, &b, 1e-15, iterations);
      const double bound = iterations > 50 ? 1e-6 : 1e-9;
      EXPECT_GT(b.impulse.norm(), 1e-2);
      EXPECT_LT((a.impulse - b.impulse).norm(), bound * b.impulse.norm()) << seed << ' ' << iterations;
    }
  }
}

TEST(Subadmm, KernelsSupportWhatTheySay) {
  EXPECT_TRUE(BodySplitEngine::Supports(MakeBoxOnPlane(0, 0.5)));
  EXPECT_FALSE(BodySplitEngine::Supports(ToDelassus(MakeBoxOnPlane(0, 0.5))));
}

// Where nothing is split SubADMM is ADMM.
TEST(Subadmm, WithoutSplitIsFadmm) {
  const ContactProblem problem =
      ContactProblem::FromMatrices(MatrixX(2 * Matrix3::Identity()), VectorX(Vector3(3, 1, -1)),
                                   MatrixX(Matrix3::Identity()), VectorX(Vector3::Zero()), {Friction(0.5)});
  SubadmmSolver solver(With(Split::None));
  FadmmSolver fadmm;
  ContactSolution a, b;
  (void)SolveCold(&solver, problem, &a, 1e-15, 7);
  (void)SolveCold(&fadmm, problem, &b, 1e-15, 7);
  EXPECT_GT(b.impulse.norm(), 0.1);
  EXPECT_LT((a.impulse - b.impulse).norm(), 1e-12);
}

TEST(Subadmm, SolvesADelassusPair) {
  SubadmmSolver solver;
  ContactSolution solution;
  EXPECT_TRUE(SolveCold(&solver, ToDelassus(MakeBoxOnPlane(0.1, 0.5)), &solution, 1e-8).solved());
}

TEST(Subadmm, ReachesModerateAccuracy) {
  for (const char* kind : {"bolt", "dishes", "pile"}) {
    SubadmmSolver solver;
    ContactSolution solution;
    const SolveReport report = SolveCold(&solver, Generate(kind, {}, 1), &solution, 1e-8, 400);
    EXPECT_LT(report.residual.paper, 1e-4) << kind;
  }
}

TEST(Subadmm, KeepsItsBudgetAndRefusesBadSettings) {
  SubadmmSolver solver;
  ContactSolution solution;
  SolveSettings settings;
  settings.tolerance = 1e-16;
  settings.max_iterations = 100000000;
  settings.time_budget = 0.02;
  EXPECT_EQ(solver.Solve(MakeBoxStack(6, 10, 0.8), settings, WarmStart(), &solution).status, SolveStatus::TimeBudget);
  SubadmmSettings bad;
  bad.relaxation = 2;
  EXPECT_THROW(SubadmmSolver{bad}, InputError);
  bad = SubadmmSettings();
  bad.beta = 0;
  EXPECT_THROW(SubadmmSolver{bad}, InputError);
}

}  // namespace
}  // namespace tactus
