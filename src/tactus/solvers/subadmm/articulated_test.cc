// SubADMM along the joints of trees: the same iterates as by factors.
#include <cstring>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <Eigen/Cholesky>

#include "tactus/contact/delassus_matrix.h"
#include "tactus/generate/generator.h"
#include "tactus/solvers/first_order/first_order_testing.h"
#include "tactus/solvers/registry.h"
#include "tactus/solvers/subadmm/subadmm_solver.h"

namespace tactus {
namespace {

SubadmmSettings Along() {
  SubadmmSettings settings;
  settings.tree_solver = TreeSolver::ArticulatedBody;
  return settings;
}

ContactProblem Robot(int seed) {
  return Generate("robot",
                  {{"dofs", 8 + 3.0 * seed},
                   {"floating", seed % 3 == 0 ? 0.0 : 1.0},
                   {"branch", 0.1 * (1 + seed % 4)},
                   {"contacts", 5 + 3.0 * (seed % 7)},
                   {"self", seed % 4},
                   {"ties", seed % 3},
                   {"drives", seed % 2},
                   {"limits", seed % 5 == 0 ? 0.0 : 1.0}},
                  static_cast<std::uint64_t>(seed));
}

// Impulses after so many iterations, whatever they are worth.
VectorX Iterate(const ContactProblem& problem, const ArticulatedPlan* plan, int iterations) {
  BodySplitEngine engine;
  engine.Build(problem, 1, plan);
  VectorX lambda = VectorX::Constant(problem.size(), 0.01), beta(problem.num_constraints());
  for (int i = 0; i < problem.num_constraints(); ++i) beta[i] = 4 * engine.rho()[i];
  engine.Start(lambda, nullptr);
  EXPECT_TRUE(engine.Factorize(beta));
  engine.Iterate(iterations, 1.6);
  beta *= 0.7;
  EXPECT_TRUE(engine.Factorize(beta));
  engine.Iterate(iterations, 1.6);
  engine.ExportImpulses(&lambda);
  engine.Finish();
  return lambda;
}

// Drives, limits, contacts between links, springs on links, another beta on the way.
TEST(ArticulatedSubadmm, GivesTheIteratesOfFactors) {
  for (int seed = 0; seed < 12; ++seed) {
    const ContactProblem problem = Robot(seed);
    SCOPED_TRACE(problem.provenance);
    ArticulatedPlan plan;
    plan.Make(problem);
    ASSERT_TRUE(plan.articulated(0));
    for (const int iterations : {3, 10, 50}) {
      const VectorX a = Iterate(problem, nullptr, iterations), b = Iterate(problem, &plan, iterations);
      EXPECT_GT(a.norm(), 1e-3);
      EXPECT_LT((a - b).norm(), 1e-9 * a.norm()) << iterations;
    }
    SubadmmSolver solver(Along());
    ContactSolution solution;
    EXPECT_STREQ(SolveCold(&solver, problem, &solution, 1e-3, 10).choice, "articulated bodies");
  }
}

// Factors of trees of more than 64 dofs are plain code.
TEST(ArticulatedSubadmm, GivesTheAnswerOfPlainCodeOnLongChains) {
  const ContactProblem chain =
      Generate("robot", {{"dofs", 200}, {"branch", 0}, {"contacts", 40}, {"self", 5}, {"ties", 2}}, 1);
  ASSERT_FALSE(BodySplitEngine::Supports(chain));
  SubadmmSolver factor, along(Along());
  ContactSolution a, b;
  (void)SolveCold(&factor, chain, &a, 1e-15, 40);
  const SolveReport report = SolveCold(&along, chain, &b, 1e-15, 40);
  EXPECT_STREQ(report.choice, "articulated bodies");
  EXPECT_EQ(report.iterations, 40);
  EXPECT_GT(a.impulse.norm(), 1e-2);
  EXPECT_LT((a.impulse - b.impulse).norm(), 1e-7 * a.impulse.norm());  // A's condition is some 1e7
  // The judge looks at A and J, not at the mechanism.
  const SolveReport longer = SolveCold(&along, chain, &b, 1e-5, 20000);
  EXPECT_TRUE(longer.solved());
  EXPECT_LE(CalcNcpResidual(chain, b.impulse).natural_rho, 1e-5);
}

// Solutions of A x = b, by either way against 19 digits.
TEST(ArticulatedSubadmm, LosesNoDigitsOnLongChains) {
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const ContactProblem chain = Generate("robot", {{"dofs", 200}, {"branch", 0}}, 1);
  const Long exact = Long(chain.mass().dense_block(0).cast<long double>()).llt().solve(chain.b().cast<long double>());
  ArticulatedTree tree;
  ASSERT_TRUE(tree.Reset(*chain.mass().mechanism(0), chain.mass().tree_parent(0)));
  tree.ResetLinks(0);
  VectorX v(chain.num_dofs());
  tree.Solve(false, nullptr, {nullptr, nullptr}, chain.b().data(), v.data());
  const auto error = [&](const VectorX& x) {
    return static_cast<double>((x.cast<long double>() - exact).norm() / exact.norm());
  };
  EXPECT_LT(error(v), 1e-8);
  EXPECT_LT(error(v), 10 * error(chain.free_velocity()));
}

TEST(ArticulatedSubadmm, MassesAndScoresAreTheJudges) {
  for (int seed = 0; seed < 12; ++seed) {
    const ContactProblem problem = Robot(seed);
    SCOPED_TRACE(problem.provenance);
    ArticulatedPlan plan;
    plan.Make(problem);
    BodySplitEngine engine;
    engine.Build(problem, 1, &plan);
    const std::vector<double> rho = CalcEffectiveMass(problem);
    VectorX beta(problem.num_constraints());
    for (std::size_t i = 0; i < rho.size(); ++i) {
      EXPECT_NEAR(engine.rho()[i], rho[i], 1e-9 * rho[i]) << i;
      beta[static_cast<int>(i)] = 3 * rho[i];
    }
    VectorX lambda = VectorX::Constant(problem.size(), 0.1), exported = lambda;
    engine.Start(lambda, nullptr);
    ASSERT_TRUE(engine.Factorize(beta));
    engine.Iterate(3, 1.5);
    const ScoreResult score = engine.CalcScore();
    engine.ExportImpulses(&exported);
    const NcpResidual judged = CalcNcpResidual(problem, exported);
    EXPECT_NEAR(score.natural_rho, judged.natural_rho, 1e-9 * (1 + judged.natural_rho));
    EXPECT_NEAR(score.violation, judged.violation(), 1e-9 * (1 + judged.violation()));
    engine.Finish();
  }
}

// A robot beside free bodies and a tree that only has a matrix.
ContactProblem MakeCrowd(bool coupled, double shift) {
  const ContactProblem robot = Generate("robot", {{"dofs", 20}, {"contacts", 6}}, 3);
  const ContactProblem other = Generate("robot", {{"dofs", 9}, {"contacts", 6}}, 4);
  ContactProblemBuilder builder;
  const auto b = [](const ContactProblem& p) { return VectorX(p.b()); };
  const int one =
      builder.AddTree(robot.mass().dense_block(0), robot.mass().tree_parent(0), b(robot), *robot.mass().mechanism(0));
  const int two = builder.AddTree(other.mass().dense_block(0), other.mass().tree_parent(0), b(other));
  Matrix6 inertia = Matrix6::Identity();
  inertia.bottomRightCorner<3, 3>() *= 0.01;
  for (int k = 0; k < 5; ++k) builder.AddFreeBody(inertia, Vector6::Constant(-0.1), Vector3(k, 0, 0));
  for (const auto& [problem, tree] : {std::pair(&robot, one), std::pair(&other, two)}) {
    for (const ContactGeometry& g : problem->geometry()) {
      if (g.b != kWorld) continue;
      const ContactBody& body = problem->bodies()[g.a];
      Matrix6X J = body.jacobian;
      if (tree == one) J.topRows<3>() *= 1 + shift;
      const BodyIndex link = builder.AddLink(tree, J, body.reference);
      builder.AddContact(link, link % 2 == 0 ? link % 5 : kWorld, g.point, g.frame, 0.5, Vector3(0, 0, 0.01));
    }
  }
  // Between two subsystems; in the robot it is a wrench on one link.
  builder.AddBodyRow(RowLaw::Soft(1, 0.1), 5, 0, Vector3(0.1, 0, 0), Vector6::Ones(), 0);
  if (coupled) builder.AddRow(RowLaw::Equality(), {12, 19}, VectorX(Vector2(1, -0.5)), 0);
  return builder.Build();
}

TEST(ArticulatedSubadmm, SaysWhichTreesAreFactorized) {
  struct Case {
    ContactProblem problem;
    ArticulatedPlan::Verdict first;
    std::string_view choice;
  };
  using Verdict = ArticulatedPlan::Verdict;
  const Case cases[] = {
      {MakeCrowd(false, 0), Verdict::Articulated, "articulated bodies, factors for trees whose joints are not known"},
      {MakeCrowd(true, 0), Verdict::Joined, "factors for all trees: rows go across their links"},
      {MakeCrowd(false, 1e-3), Verdict::OtherPlace,
       "factors for all trees: they are touched at another place of theirs"},
  };
  for (const Case& c : cases) {
    ArticulatedPlan plan;
    plan.Make(c.problem);
    EXPECT_EQ(plan.verdict(0), c.first);
    EXPECT_EQ(plan.verdict(1), Verdict::Unknown);
    EXPECT_EQ(plan.verdict(2), Verdict::NoTree);
    SubadmmSolver factor, along(Along());
    ContactSolution a, b;
    (void)SolveCold(&factor, c.problem, &a, 1e-15, 30);
    EXPECT_EQ(SolveCold(&along, c.problem, &b, 1e-15, 30).choice, c.choice);
    EXPECT_GT(a.impulse.norm(), 1e-2);
    EXPECT_LT((a.impulse - b.impulse).norm(), 1e-9 * a.impulse.norm()) << c.choice;
  }
}

TEST(ArticulatedSubadmm, SaysWhereThereAreNoKernels) {
  SubadmmSolver along(Along());
  ContactSolution solution;
  // Too large for them, and across links.
  const ContactProblem coupled = Generate("robot", {{"dofs", 90}, {"branch", 1}, {"couplings", 4}}, 2);
  EXPECT_EQ(std::string_view(SolveCold(&along, coupled, &solution, 1e-3, 20).choice),
            "factors for all trees: rows go across their links");
  // Foreign files ask for residuals that kernels do not know.
  SolveSettings settings;
  settings.accept_natural = true;
  settings.max_iterations = 20;
  EXPECT_EQ(std::string_view(along.Solve(Robot(1), settings, WarmStart(), &solution).choice),
            "factors for all trees: there are no vector kernels for this problem");
  // No trees, nothing to say.
  EXPECT_STREQ(SolveCold(&along, MakeBoxOnPlane(0.03, 0.5), &solution).choice, "");
}

TEST(ArticulatedSubadmm, SameBitsForAnyNumberOfThreads) {
  const ContactProblem problem = Generate("robot", {{"dofs", 400}, {"contacts", 300}, {"branch", 0.1}}, 5);
  ContactSolution first;
  for (const int threads : {1, 2, 3}) {
    SubadmmSolver solver(Along());
    SolveSettings settings;
    settings.tolerance = 1e-12;
    settings.max_iterations = 70;
    settings.threads = threads;
    ContactSolution solution;
    (void)solver.Solve(problem, settings, WarmStart(), &solution);
    if (threads == 1) first = solution;
    ASSERT_EQ(solution.impulse.size(), first.impulse.size());
    EXPECT_EQ(std::memcmp(solution.impulse.data(), first.impulse.data(), sizeof(double) * first.impulse.size()), 0);
  }
}

TEST(ArticulatedSubadmm, IsReachedByNameAndNeedsItsSplit) {
  EXPECT_EQ(MakeSolver("subadmm-aba")->name(), "subadmm-aba");
  SubadmmSettings bad = Along();
  bad.split = Split::None;
  EXPECT_THROW(SubadmmSolver{bad}, InputError);
  bad = Along();
  bad.kernels = false;
  EXPECT_THROW(SubadmmSolver{bad}, InputError);
}

}  // namespace
}  // namespace tactus
