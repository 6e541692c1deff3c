#include "tactus/solvers/subadmm/icra_solver.h"

#include <gtest/gtest.h>

#include "tactus/generate/generator.h"
#include "tactus/solvers/first_order/first_order_testing.h"
#include "tactus/solvers/hybrid/hybrid_solver.h"
#include "tactus/solvers/newton_common/mixed_problem_testing.h"

namespace tactus {
namespace {

TEST(SubadmmIcra, PointContactsOpenStickSlip) {
  SubadmmIcraSolver solver;
  ExpectPointContactsRight(&solver, 1e-9);
  ExpectScalarRowsRight(&solver, 1e-9);
}

TEST(SubadmmIcra, PushedBoxSticksAndSlides) {
  SubadmmIcraSolver solver;
  ContactSolution solution;
  EXPECT_TRUE(SolveCold(&solver, MakeBoxOnPlane(0.03, 0.5), &solution).solved());
  EXPECT_LT(solution.velocity.norm(), 1e-6);
  EXPECT_TRUE(SolveCold(&solver, MakeBoxOnPlane(0.1, 0.5), &solution).solved());
  EXPECT_NEAR(solution.velocity[0], 0.1 - 0.5 * 0.0981, 1e-6);
}

// Proposition 1: theta = 0 if and only if nothing changes any more. At the answer it stays zero; away from it, it does
// not, and where it has become zero the law is met.
TEST(SubadmmIcra, ThetaIsZeroAtFixedPointsOnly) {
  for (const double push : {0.03, 0.1}) {
    const ContactProblem problem = MakeBoxOnPlane(push, 0.5);
    HybridSolver hybrid;
    SolveSettings settings;
    settings.tolerance = 1e-14;
    ContactSolution exact, solution;
    (void)hybrid.Solve(problem, settings, WarmStart(), &exact);
    SubadmmIcraSolver solver;
    settings.tolerance = 1e-16;
    settings.max_iterations = 2;  // the first sets y
    (void)solver.Solve(problem, settings, WarmStart{exact.impulse}, &solution);
    const double scale = exact.impulse.squaredNorm();
    EXPECT_LT(solver.theta(), 1e-24 * scale);
    (void)solver.Solve(problem, settings, WarmStart{1.1 * exact.impulse}, &solution);
    EXPECT_GT(solver.theta(), 1e-6 * scale);
    settings.max_iterations = 5000;
    const SolveReport report = solver.Solve(problem, settings, WarmStart(), &solution);
    EXPECT_LT(solver.theta(), 1e-24 * scale);
    EXPECT_LT(report.residual.natural_rho, 1e-9);
  }
}

TEST(SubadmmIcra, SolvesMixedProblems) {
  int solved = 0;
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    MixedProblemOptions options;
    options.bodies = 2;
    options.contacts = 4;
    options.tree = seed % 2 == 0;
    options.rows = true;
    SubadmmIcraSolver solver;
    ContactSolution solution;
    solved += SolveCold(&solver, MakeMixedProblem(seed, options), &solution, 1e-6, 50000).solved();
  }
  EXPECT_GE(solved, 6);
}

// A chain of masses and springs on a floor, once whole and once cut in two pieces whose ends are held together by hard
// constraints: the same motion.
TEST(SubadmmIcra, PiecesHeldTogetherMoveAsOne) {
  constexpr int kNodes = 8, kCut = 4;
  const double stiffness = 50;
  const auto chain = [&](int nodes, double first_mass, double last_mass) {
    SparseMatrix A(3 * nodes, 3 * nodes);
    std::vector<Eigen::Triplet<double>> entries;
    for (int n = 0; n < nodes; ++n) {
      const double mass = n == 0 ? first_mass : n + 1 == nodes ? last_mass : 1;
      for (int k = 0; k < 3; ++k) entries.emplace_back(3 * n + k, 3 * n + k, mass);
      for (int k = 0; k < 3 && n + 1 < nodes; ++k) {
        const int a = 3 * n + k, b = a + 3;
        entries.emplace_back(a, a, stiffness);
        entries.emplace_back(b, b, stiffness);
        entries.emplace_back(a, b, -stiffness);
        entries.emplace_back(b, a, -stiffness);
      }
    }
    A.setFromTriplets(entries.begin(), entries.end());
    return A;
  };
  const auto push = [&](int first, int nodes, double first_share, double last_share) {
    VectorX b(3 * nodes);
    for (int n = 0; n < nodes; ++n) {
      const double share = n == 0 ? first_share : n + 1 == nodes ? last_share : 1;
      b.segment<3>(3 * n) = share * Vector3(0.1 * (first + n), 0.02, -1);
    }
    return b;
  };
  const auto touch = [](ContactProblemBuilder* builder, int subsystem, int node, int first) {
    const BodyIndex body = builder->AddNode(subsystem, 3 * (node - first), Vector3(node, 0, 0));
    builder->AddContact(body, kWorld, Vector3(node, 0, 0), Matrix3::Identity(), 0.4, Vector3::Zero());
  };
  ContactProblemBuilder whole, cut;
  const int all = whole.AddSparse(chain(kNodes, 1, 1), push(0, kNodes, 1, 1));
  for (int n = 0; n < kNodes; n += 2) touch(&whole, all, n, 0);
  // Node kCut is in both pieces, half its mass in each.
  const int left = cut.AddSparse(chain(kCut + 1, 1, 0.5), push(0, kCut + 1, 1, 0.5));
  const int right = cut.AddSparse(chain(kNodes - kCut, 0.5, 1), push(kCut, kNodes - kCut, 0.5, 1));
  for (int n = 0; n < kNodes; n += 2) touch(&cut, n <= kCut ? left : right, n, n <= kCut ? 0 : kCut);
  for (int k = 0; k < 3; ++k) {
    cut.AddRow(RowLaw::Equality(), std::vector<int>{3 * kCut + k, 3 * (kCut + 1) + k}, VectorX(Eigen::Vector2d(1, -1)),
               0);
  }
  SubadmmIcraSolver solver;
  ContactSolution a, b;
  ASSERT_TRUE(SolveCold(&solver, whole.Build(), &a, 1e-9, 100000).solved());
  ASSERT_TRUE(SolveCold(&solver, cut.Build(), &b, 1e-9, 100000).solved());
  EXPECT_GT(a.velocity.norm(), 1e-2);
  EXPECT_LT((a.velocity.head(3 * (kCut + 1)) - b.velocity.head(3 * (kCut + 1))).norm(), 1e-6);
  EXPECT_LT((a.velocity.tail(3 * (kNodes - kCut)) - b.velocity.tail(3 * (kNodes - kCut))).norm(), 1e-6);
}

}  // namespace
}  // namespace tactus
