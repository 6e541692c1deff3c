#include "tactus/solvers/soft_convex/soft_convex_solver.h"

#include <gtest/gtest.h>

#include "tactus/contact/delassus_matrix.h"
#include "tactus/solvers/first_order/first_order_testing.h"

namespace tactus {
namespace {

TEST(SoftConvex, ImpedanceIsMuJoCos) {
  const SoftConvexSettings settings;
  EXPECT_DOUBLE_EQ(settings.Impedance(0), 0.9);
  EXPECT_DOUBLE_EQ(settings.Impedance(0.00025), 0.9 + 0.05 * 0.125);  // x = 1/4: x^2/0.5
  EXPECT_DOUBLE_EQ(settings.Impedance(0.0005), 0.925);
  EXPECT_DOUBLE_EQ(settings.Impedance(0.01), 0.95);
}

TEST(SoftConvex, RestingPointYieldsByItsCompliance) {
  // m = 2, v_free = -1: lambda (W + R) = 1 with W = 1/2 and R = W/9, so lambda = 1.8 and sigma_n = -0.1.
  SoftConvexSolver solver;
  for (const bool delassus : {false, true}) {
    ContactSolution solution;
    const ContactProblem problem = MakePointOnPlane(0, -1, 0.5);
    const SolveReport report = SolveCold(&solver, delassus ? ToDelassus(problem) : problem, &solution);
    EXPECT_NEAR(solution.impulse[2], 1.8, 1e-10);
    EXPECT_NEAR(solution.sigma[2], -0.1, 1e-10);
    EXPECT_FALSE(report.solved());  // the exact law is not met, and this is seen
    EXPECT_NE(report.message.find("soft convex"), std::string::npos);
  }
}

TEST(SoftConvex, SlidingPointSeparates) {
  // The projection of (-3, 0, 1)/(W + R) = 1.8 (-3, 0, 1) on the cone: s = 1.8 (1 + 1.5)/1.25 = 3.6.
  SoftConvexSolver solver;
  ContactSolution solution;
  (void)SolveCold(&solver, MakePointOnPlane(3, -1, 0.5), &solution);
  EXPECT_LT((solution.impulse - Vector3(-1.8, 0, 3.6)).norm(), 1e-9);
  EXPECT_GT(solution.sigma[2], 0.1);
  (void)SolveCold(&solver, MakePointOnPlane(3, 1, 0.1), &solution);
  EXPECT_EQ(solution.impulse.norm(), 0);
}

TEST(SoftConvex, PenetrationIsCorrectedAtThePaceOfSolref) {
  SoftConvexSettings settings;
  settings.time_step = 0.01;
  SoftConvexSolver solver(settings);
  ContactProblemBuilder builder;
  builder.AddDense(MatrixX(2 * Matrix3::Identity()), VectorX::Zero(3));
  // 1 mm deep: e_n = -0.001/h, d = 0.95, k = d/(0.95 0.02)^2, reference speed h k 0.001.
  builder.AddContactRows({0, 1, 2}, Matrix3::Identity(), 0.5, Vector3(0, 0, -0.1));
  ContactSolution solution;
  (void)SolveCold(&solver, builder.Build(), &solution);
  const double speed = 0.01 * 0.95 / (0.019 * 0.019) * 0.001;
  EXPECT_NEAR(solution.velocity[2], 0.95 * speed, 1e-9);  // (W + R)^{-1} W = d of it is reached
}

TEST(SoftConvex, IsTheMinimumOnRandomProblems) {
  SoftConvexSolver solver;
  for (unsigned seed = 0; seed < 8; ++seed) {
    const ContactProblem problem = MakeRandomProblem(seed, 4, 12, 0.7);
    ContactSolution solution, delassus;
    const SolveReport report = SolveCold(&solver, problem, &solution);
    EXPECT_LT(report.newton_steps, 60);
    EXPECT_EQ(report.inner_failures, 0);
    // The law itself: lambda = projection of -(sigma)/R on the cone, R = W_nn/9.
    const DelassusMatrix W(problem);
    for (int i = 0; i < problem.num_contacts(); ++i) {
      const Vector3 x = -9 / W.diagonal_block(i)[8] * solution.sigma.segment<3>(3 * i);
      Vector3 expected;
      ConeProjection(x.data(), problem.friction(i).mu1, expected.data());
      EXPECT_LT((solution.impulse.segment<3>(3 * i) - expected).norm(), 1e-7 * (1 + expected.norm())) << seed;
    }
    (void)SolveCold(&solver, ToDelassus(problem), &delassus);
    EXPECT_LT((solution.impulse - delassus.impulse).norm(), 1e-6 * solution.impulse.norm()) << seed;
  }
}

TEST(SoftConvex, SoftRowsKeepTheirOwnLaw) {
  SoftConvexSolver solver;
  ContactProblemBuilder builder;
  builder.AddDense(MatrixX::Constant(1, 1, 2), VectorX::Constant(1, -2));
  builder.AddRow(RowLaw::Soft(2, 0.5), {0}, VectorX::Ones(1), 0);
  ContactSolution solution;
  EXPECT_TRUE(SolveCold(&solver, builder.Build(), &solution).solved());
  EXPECT_NEAR(solution.impulse[0], 0.75, 1e-10);
}

TEST(SoftConvex, RefusesBadSettings) {
  SoftConvexSettings settings;
  settings.impedance_min = 1;
  EXPECT_THROW(SoftConvexSolver{settings}, InputError);
  settings = SoftConvexSettings();
  settings.time_step = -1;
  EXPECT_THROW(SoftConvexSolver{settings}, InputError);
}

}  // namespace
}  // namespace tactus
