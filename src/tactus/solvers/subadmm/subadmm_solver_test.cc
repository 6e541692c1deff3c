#include "tactus/solvers/subadmm/subadmm_solver.h"

#include <cstring>

#include <gtest/gtest.h>

#include "tactus/contact/delassus_matrix.h"
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

// Several blocks of bodies, units of four and of one, some with rows, contacts with a tree: the same iterates, and the
// same bits for any number of threads.
TEST(Subadmm, ManyBodiesGiveTheSameIterates) {
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    MixedProblemOptions options;
    options.bodies = 37 + 40 * static_cast<int>(seed);
    options.contacts = 3 * options.bodies;
    options.tree = seed % 2 == 0;
    options.rows = seed % 3 == 1;
    const ContactProblem problem = MakeMixedProblem(seed, options);
    if (!BodySplitEngine::Supports(problem)) continue;
    SubadmmSolver fast(With(Split::Body)), plain(With(Split::Body, false));
    ContactSolution a, b;
    (void)SolveCold(&fast, problem, &a, 1e-15, 20);
    (void)SolveCold(&plain, problem, &b, 1e-15, 20);
    EXPECT_GT(b.impulse.norm(), 1e-2);
    EXPECT_LT((a.impulse - b.impulse).norm(), 1e-9 * b.impulse.norm()) << seed;
    for (const int threads : {2, 3, 4}) {
      SolveSettings settings;
      settings.tolerance = 1e-15;
      settings.max_iterations = 20;
      settings.threads = threads;
      ContactSolution c;
      (void)fast.Solve(problem, settings, WarmStart(), &c);
      EXPECT_TRUE((c.impulse.array() == a.impulse.array()).all()) << seed << ' ' << threads;
    }
  }
}

// Enough work for several threads. Who does what must not matter.
TEST(Subadmm, SameBitsForAnyNumberOfThreads) {
  const ContactProblem pile = MakeBoxStack(60, 12, 0.6);
  ContactSolution first;
  for (const int threads : {1, 2, 3, 4}) {
    SubadmmSolver solver;
    SolveSettings settings;
    settings.tolerance = 1e-12;
    settings.max_iterations = 120;  // one adaptation at least
    settings.threads = threads;
    for (int again = 0; again < 2; ++again) {
      ContactSolution solution;
      const SolveReport report = solver.Solve(pile, settings, WarmStart(), &solution);
      EXPECT_EQ(report.iterations, 120);
      if (threads == 1 && again == 0) first = solution;
      ASSERT_EQ(solution.impulse.size(), first.impulse.size());
      EXPECT_EQ(std::memcmp(solution.impulse.data(), first.impulse.data(), sizeof(double) * first.impulse.size()), 0)
          << threads;
    }
  }
}

// What only fills up vectors, bodies without contacts, contacts of two links of one tree: effective masses and scores
// are the judge's.
TEST(Subadmm, ScoreOfKernelsIsTheJudges) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    MixedProblemOptions options;
    options.bodies = 1 + static_cast<int>(seed % 5);
    options.contacts = 1 + static_cast<int>(seed);
    options.tree = seed % 2 == 0;
    options.rows = seed % 3 == 0;
    const ContactProblem problem = MakeMixedProblem(seed, options);
    if (!BodySplitEngine::Supports(problem)) continue;
    BodySplitEngine engine;
    engine.Build(problem, 1);
    const std::vector<double> rho = CalcEffectiveMass(problem);
    for (std::size_t i = 0; i < rho.size(); ++i) EXPECT_NEAR(engine.rho()[i], rho[i], 1e-9 * rho[i]) << seed;
    VectorX lambda = VectorX::Constant(problem.size(), 0.1), exported = lambda;
    engine.Start(lambda, nullptr);
    VectorX beta(problem.num_constraints());
    for (int i = 0; i < problem.num_constraints(); ++i) beta[i] = 3 * rho[i];
    ASSERT_TRUE(engine.Factorize(beta));
    engine.Iterate(3, 1.5);
    const ScoreResult score = engine.CalcScore();
    engine.ExportImpulses(&exported);
    const NcpResidual judged = CalcNcpResidual(problem, exported);
    EXPECT_NEAR(score.natural_rho, judged.natural_rho, 1e-9 * (1 + judged.natural_rho)) << seed;
    EXPECT_NEAR(score.violation, judged.violation(), 1e-9 * (1 + judged.violation())) << seed;
    engine.Finish();
  }
}

// Contacts that are open to begin with take no part until they close. From velocities that part everything all of them
// have to wake, some in the middle of those that stay idle; from rest, few. Solved as where all take part (piles have
// several solutions: the judge says), and the same bits for any number of threads.
TEST(Subadmm, IdleContactsWakeWhenTheyClose) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const double bodies = 60.0 + 30 * static_cast<double>(seed);
    const ContactProblem pile = Generate("pile", {{"bodies", bodies}, {"margin", 0.004}}, seed);
    const VectorX rest = VectorX::Zero(pile.num_dofs());
    VectorX apart = rest;
    for (const ContactBody& body : pile.bodies()) {
      apart.segment<3>(pile.mass().subsystem(body.subsystem).dof) = 20 * body.reference + Vector3(0, 0, 10);
    }
    for (const VectorX& start : {apart, rest}) {
      const WarmStart warm{VectorX::Zero(pile.size()), start};
      ContactSolution first;
      for (const int threads : {1, 2, 3}) {
        SubadmmSolver solver(With(Split::Body));
        SolveSettings settings;
        settings.tolerance = 1e-4;
        settings.threads = threads;
        ContactSolution solution;
        const SolveReport report = solver.Solve(pile, settings, warm, &solution);
        EXPECT_TRUE(report.solved()) << seed << ' ' << report.residual.natural_rho;
        if (threads == 1) first = solution;
        EXPECT_TRUE((solution.impulse.array() == first.impulse.array()).all()) << seed << ' ' << threads;
      }
    }
  }
}

TEST(Subadmm, ScoreWithIdleContactsIsTheJudges) {
  const ContactProblem pile = Generate("pile", {{"bodies", 80}, {"margin", 0.004}}, 3);
  const VectorX none = VectorX::Zero(pile.size()), rest = VectorX::Zero(pile.num_dofs());
  BodySplitEngine engine;
  engine.Build(pile, 1, nullptr, &none, &rest);
  engine.Start(none, &rest);
  VectorX beta(pile.num_constraints()), lambda = none, work, sigma;
  for (int i = 0; i < pile.num_constraints(); ++i) beta[i] = 3 * engine.rho()[i];
  ASSERT_TRUE(engine.Factorize(beta));
  int woken = 0;
  for (int k = 0; k < 12; ++k) {
    engine.Iterate(5, 1.5);
    const ScoreResult score = engine.CalcScore();
    engine.ExportImpulses(&lambda);
    const NcpResidual judged = CalcNcpResidual(pile, lambda);
    EXPECT_NEAR(score.natural_rho, judged.natural_rho, 1e-9 * (1 + judged.natural_rho)) << k;
    EXPECT_NEAR(score.violation, judged.violation(), 1e-9 * (1 + judged.violation())) << k;
    engine.KeepBest();
    engine.ExportBestWork(&work);
    pile.CalcSigma(lambda, &sigma);
    for (int i = 0; i < pile.num_constraints(); ++i) {
      const double expected =
          lambda.segment(pile.offset(i), pile.dim(i)).dot(sigma.segment(pile.offset(i), pile.dim(i)));
      EXPECT_NEAR(work[i], expected, 1e-12) << k << ' ' << i;
    }
    if (!engine.WakeIdle()) continue;
    ++woken;
    ASSERT_TRUE(engine.Factorize(beta));
  }
  EXPECT_GT(woken, 0);
  engine.Finish();
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
