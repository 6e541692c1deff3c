#include "tactus/solvers/auto/auto_solver.h"

#include <string_view>

#include <gtest/gtest.h>

#include "tactus/generate/generator.h"
#include "tactus/solvers/first_order/first_order_testing.h"

namespace tactus {
namespace {

using std::string_view;

TEST(Auto, TakesTheHybridForFewBodiesAndForForeignProblems) {
  AutoSolver solver;
  ContactSolution solution;
  const SolveReport box = SolveCold(&solver, MakeBoxOnPlane(0.1, 0.5), &solution);
  EXPECT_TRUE(box.solved());
  EXPECT_EQ(string_view(box.choice).substr(0, 7), "hybrid:");
  EXPECT_EQ(box.solver, "auto");
  const SolveReport pair = SolveCold(&solver, ToDelassus(MakeBoxStack(6, 3, 0.8)), &solution);
  EXPECT_TRUE(pair.solved());
  EXPECT_EQ(string_view(pair.choice).substr(0, 7), "hybrid:");
}

// A chain of 200 dofs has no kernels but those along its joints, and takes the hybrid a hundred times as long.
TEST(Auto, LargeTreesGoAlongTheirJoints) {
  AutoSolver solver;
  ContactSolution solution;
  const SolveReport report = SolveCold(&solver, Generate("robot", {{"dofs", 200}}, 1), &solution, 1e-6);
  EXPECT_TRUE(report.solved());
  EXPECT_EQ(string_view(report.choice).substr(0, 11), "subadmm-aba") << report.choice;
}

TEST(Auto, SaysWhyItTakesTheHybrid) {
  AutoSolver solver;
  ContactSolution solution;
  const SolveReport pair = SolveCold(&solver, ToDelassus(MakeBoxOnPlane(0.1, 0.5)), &solution);
  EXPECT_NE(string_view(pair.choice).find("Delassus"), string_view::npos);
  const SolveReport mat = SolveCold(&solver, Generate("mat", {{"nodes", 100}, {"young", 1e9}}, 1), &solution, 1e-4);
  EXPECT_NE(string_view(mat.choice).find("too stiff"), string_view::npos) << mat.choice;
}

// Soft things go by COND, whose velocity is part of the answer; what it does not finish the hybrid does.
TEST(Auto, TakesCondForSoftThings) {
  const ContactProblem mat = Generate("mat", {{"nodes", 400}}, 1);
  AutoSolver solver;
  ContactSolution solution, exact;
  const SolveReport report = SolveCold(&solver, mat, &solution, 1e-6);
  EXPECT_TRUE(report.solved());
  EXPECT_EQ(string_view(report.choice).substr(0, 5), "cond:") << report.choice;
  EXPECT_TRUE(report.two_field);
  HybridSolver hybrid;
  EXPECT_TRUE(SolveCold(&hybrid, mat, &exact, 1e-9).solved());
  EXPECT_LT((solution.velocity - exact.velocity).norm(), 1e-4 * exact.velocity.norm());
  AutoSettings impatient;
  impatient.cond_patience = 1e-3;
  AutoSolver other(impatient);
  const SolveReport fine = SolveCold(&other, mat, &solution, 1e-12);
  EXPECT_TRUE(fine.solved());
  EXPECT_EQ(string_view(fine.choice).substr(0, 10), "cond, then") << fine.choice;
  EXPECT_FALSE(fine.two_field);
}

// Roughly, SubADMM is enough; to 1e-10 the hybrid has to finish what it began.
TEST(Auto, LeadsOnFromSubadmmToTheHybrid) {
  const ContactProblem pile = Generate("pile", {}, 1);
  AutoSolver solver;
  ContactSolution solution;
  const SolveReport rough = SolveCold(&solver, pile, &solution, 1e-3);
  EXPECT_TRUE(rough.solved());
  EXPECT_EQ(string_view(rough.choice).substr(0, 8), "subadmm:");
  EXPECT_EQ(rough.newton_steps, 0);
  AutoSettings impatient;
  impatient.newton_cost = 1000;
  AutoSolver other(impatient);
  const SolveReport fine = SolveCold(&other, pile, &solution, 1e-10);
  EXPECT_TRUE(fine.solved());
  EXPECT_EQ(string_view(fine.choice).substr(0, 13), "subadmm, then");
  EXPECT_GT(fine.newton_steps, 0);
}

TEST(Auto, KeepsToItsLimits) {
  const ContactProblem pile = Generate("pile", {}, 1);
  AutoSettings impatient;
  impatient.newton_cost = 200;
  impatient.small_work = 0;
  AutoSolver solver(impatient);
  ContactSolution solution;
  for (const int limit : {25, 200}) {  // with the second the hybrid has its turn
    const SolveReport report = SolveCold(&solver, pile, &solution, 1e-14, limit);
    EXPECT_LE(report.iterations, limit);
    EXPECT_FALSE(report.solved());
    EXPECT_EQ(string_view(report.choice).substr(0, 13) == "subadmm, then", limit > 25) << limit;
  }
  SolveSettings settings;
  settings.tolerance = 1e-15;
  settings.time_budget = 1e-3;
  EXPECT_LT(solver.Solve(pile, settings, WarmStart(), &solution).cpu_time, 0.1);
}

TEST(Auto, RefusesBadSettings) {
  AutoSettings bad;
  bad.newton_cost = 0;
  EXPECT_THROW(AutoSolver{bad}, InputError);
  bad = {};
  bad.contact_cost = -1;
  EXPECT_THROW(AutoSolver{bad}, InputError);
  bad = {};
  bad.tree_share = 0;
  EXPECT_THROW(AutoSolver{bad}, InputError);
  bad = {};
  bad.small_work = kInfinity;
  EXPECT_THROW(AutoSolver{bad}, InputError);
}

}  // namespace
}  // namespace tactus
