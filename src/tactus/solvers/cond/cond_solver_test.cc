#include "tactus/solvers/cond/cond_solver.h"

#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/generate/groove.h"
#include "tactus/solvers/cond/cond_inverse.h"
#include "tactus/solvers/cond/cond_nodalized.h"
#include "tactus/solvers/cond/cond_testing.h"
#include "tactus/solvers/hybrid/hybrid_solver.h"
#include "tactus/solvers/pgs/pgs_solver.h"

namespace tactus {
namespace {

struct Answer {
  ContactSolution solution;
  SolveReport report;
};

Answer SolveCond(const ContactProblem& p, const CondSettings& settings = {}, double tolerance = 1e-9,
                 int max_iterations = 0) {
  SolveSettings s;
  s.tolerance = tolerance;
  s.max_iterations = max_iterations;
  CondSolver solver(settings);
  Answer out;
  out.report = solver.Solve(p, s, WarmStart(), &out.solution);
  return out;
}

Answer SolveHybrid(const ContactProblem& p) {
  SolveSettings s;
  s.tolerance = 1e-11;
  Answer out;
  out.report = HybridSolver().Solve(p, s, WarmStart(), &out.solution);
  return out;
}

double Difference(const Answer& a, const Answer& b) {
  return (a.solution.velocity - b.solution.velocity).norm() / b.solution.velocity.norm();
}

// By hand: along a groove of half angle 45 degrees both walls carry m/(2 cos) and brake by mu each.
TEST(CondSolver, NodeInAGrooveIsExact) {
  constexpr double kMass = 0.7, kMu = 0.3;
  const double c = std::sqrt(0.5);
  const ContactProblem p = MakeNodeInGroove(kMass, kMu);
  for (const CondShared shared : {CondShared::Jacobi, CondShared::GaussSeidel}) {
    CondSettings settings;
    settings.shared = shared;
    const Answer answer = SolveCond(p, settings, 1e-12);
    EXPECT_TRUE(answer.report.solved()) << answer.report.residual.Summary();
    EXPECT_LT((answer.solution.velocity - Vector3(0, 1 - kMu / c, 0)).norm(), 1e-10);
    EXPECT_NEAR(answer.solution.impulse[2], kMass / (2 * c), 1e-10);
  }
}

TEST(CondSolver, AgreesWithTheHybridOnMatsAndRods) {
  for (const ContactProblem& p :
       {MakeTestMat({.nodes = 200}), MakeTestMat({.nodes = 200, .young = 1e6, .mu = 1.3}),
        MakeTestMat({.nodes = 200, .midpoint = true}), MakeTestMat({.nodes = 200, .boxes = 3}),
        MakeTestMat({.nodes = 150, .walls = true}), MakeTestRod({.segments = 20, .dt = 0.001})}) {
    const Answer cond = SolveCond(p), hybrid = SolveHybrid(p);
    ASSERT_TRUE(hybrid.report.solved());
    EXPECT_TRUE(cond.report.solved()) << cond.report.residual.Summary();
    EXPECT_TRUE(cond.report.two_field);
    const double residual = CalcNcpResidual(p, cond.solution.impulse).natural_rho;
    EXPECT_TRUE(Difference(cond, hybrid) < 1e-6 || residual < 1e-8) << Difference(cond, hybrid) << " " << residual;
  }
}

// Every segment in contact, random velocities, a step of 10 ms: as nodes, rods do not get there at all (their condition
// is 1e5 and more). Measured 1620 iterations.
TEST(CondSolver, RodsAreEliminated) {
  for (const double turns : {0.5, 3.0}) {
    const ContactProblem p = MakeTestRod({.segments = 40, .turns = turns, .dt = 0.01});
    const Answer cond = SolveCond(p, {}, 1e-8), hybrid = SolveHybrid(p);
    ASSERT_TRUE(hybrid.report.solved());
    EXPECT_TRUE(cond.report.solved()) << cond.report.residual.Summary();
    EXPECT_LT(Difference(cond, hybrid), 1e-6);
    EXPECT_LT(cond.report.iterations, 2500);
    CondSettings nodes;
    nodes.eliminate_chains = false;
    EXPECT_FALSE(SolveCond(p, nodes, 1e-8, 2500).report.solved());
  }
}

// With acceleration the iteration turns about the answer for ever here, at any kappa; without it, it gets there.
// Measured 1600 iterations.
TEST(CondSolver, AccelerationThatFailsIsGivenUp) {
  const ContactProblem p = MakeTestRod({.segments = 320, .turns = 3, .dt = 0.01});
  const Answer cond = SolveCond(p, {}, 1e-6, 5000);
  EXPECT_TRUE(cond.report.solved()) << cond.report.residual.Summary();
}

TEST(CondSolver, RodsTouchThemselvesAndAreTied) {
  for (const ContactProblem& p : {MakeCrossedRod(30), MakeRodOnMat()}) {
    const Answer cond = SolveCond(p, {}, 1e-9), hybrid = SolveHybrid(p);
    ASSERT_TRUE(hybrid.report.solved());
    EXPECT_TRUE(cond.report.solved()) << cond.report.residual.Summary();
    EXPECT_LT(Difference(cond, hybrid), 1e-6);
  }
}

// Many contacts of a light body with two meshes, as in a soft gripper: multipliers that follow every impulse and
// acceleration do not get on with each other there.
TEST(CondSolver, LightBodyBetweenTwoMats) {
  const ContactProblem p = MakeSqueezedPlate();
  const Answer cond = SolveCond(p, {}, 1e-8), hybrid = SolveHybrid(p);
  ASSERT_TRUE(hybrid.report.solved());
  EXPECT_TRUE(cond.report.solved()) << cond.report.residual.Summary();
  EXPECT_LT(Difference(cond, hybrid), 1e-6);
  EXPECT_LT(cond.report.iterations, 6000);
}

TEST(CondSolver, RodsInFlightAreSolvedAtOnce) {
  const ContactProblem p = MakeCrossedRod(30);
  // Without contacts nothing is left to iterate on.
  ContactProblemBuilder free;
  const SparseMatrix A = p.mass().sparse_block(0);
  free.AddSparse(A, p.b().head(A.rows()), p.mass().sparse_inertia(0));
  const Answer alone = SolveCond(free.Build(), {}, 1e-9);
  EXPECT_TRUE(alone.report.solved());
  EXPECT_LE(alone.report.iterations, 1);
}

TEST(CondSolver, EveryVariantReachesTheSameAnswer) {
  const ContactProblem p = MakeTestMat({.nodes = 200, .boxes = 2});
  const Answer hybrid = SolveHybrid(p);
  std::vector<CondSettings> variants(10);
  for (int k = 0; k < 7; ++k) variants[k].weights = static_cast<CondWeights>(k);
  variants[7].chebyshev = false;
  variants[8].schur = true;
  variants[9].equal_pair_weights = true;
  for (const CondSettings& settings : variants) {
    const Answer cond = SolveCond(p, settings, 1e-8);
    EXPECT_TRUE(cond.report.solved()) << static_cast<int>(settings.weights);
    EXPECT_LT(Difference(cond, hybrid), 1e-6) << static_cast<int>(settings.weights);
  }
}

TEST(CondSolver, ChebyshevSavesTwoThirdsOfTheIterations) {
  const ContactProblem p = MakeTestMat({.nodes = 300, .young = 1e6});
  CondSettings plain;
  plain.chebyshev = false;
  const Answer slow = SolveCond(p, plain, 1e-6), fast = SolveCond(p, {}, 1e-6);
  ASSERT_TRUE(slow.report.solved() && fast.report.solved());
  EXPECT_GT(slow.report.iterations, 3 * fast.report.iterations);
}

TEST(CondSolver, SchurTakesFewerIterations) {
  const ContactProblem p = MakeTestMat({.nodes = 300, .young = 1e6});
  CondSettings schur;
  schur.schur = true;
  const Answer plain = SolveCond(p, {}, 1e-6), exact = SolveCond(p, schur, 1e-6);
  ASSERT_TRUE(plain.report.solved() && exact.report.solved());
  EXPECT_LT(exact.report.iterations, plain.report.iterations);
}

// Without multipliers the node holds the law and the body deviates, less the stiffer the tie; with them it does not.
TEST(CondSolver, PlainVirtualNodesErrAsOneOverKappaAndExactOnesDoNot) {
  const ContactProblem p = MakeSlidingBox();
  const Answer hybrid = SolveHybrid(p);
  std::vector<double> errors;
  for (const double kappa : {10.0, 100.0, 1000.0}) {
    CondSettings settings;
    settings.virtual_nodes = CondVirtualNodes::Plain;
    settings.kappa = kappa;
    errors.push_back(Difference(SolveCond(p, settings, 1e-10), hybrid));
  }
  EXPECT_GT(errors[0], 1e-3);
  EXPECT_NEAR(errors[0] / errors[1], 10, 4);
  EXPECT_NEAR(errors[1] / errors[2], 10, 2);
  EXPECT_LT(Difference(SolveCond(p), hybrid), 1e-7);
}

// The same of a rod that is eliminated as a body is.
TEST(CondSolver, PlainVirtualNodesOnARodErrAsOneOverKappa) {
  const ContactProblem p = MakeTestRod({.segments = 20, .dt = 0.001});
  const Answer hybrid = SolveHybrid(p);
  std::vector<double> errors;
  for (const double kappa : {100.0, 1000.0, 10000.0}) {
    CondSettings settings;
    settings.virtual_nodes = CondVirtualNodes::Plain;
    settings.chain_kappa = kappa;
    errors.push_back(Difference(SolveCond(p, settings, 1e-10), hybrid));
  }
  EXPECT_GT(errors[0], 1e-4);
  EXPECT_NEAR(errors[0] / errors[1], 10, 4);
  EXPECT_NEAR(errors[1] / errors[2], 10, 2);
  EXPECT_LT(Difference(SolveCond(p), hybrid), 1e-7);
}

// COND with plain ties and the hybrid on the problem with virtual nodes written out: boxes, a rod, rows of every kind.
TEST(CondSolver, PlainVirtualNodesGiveTheAnswerOfTheNodalizedProblem) {
  CondSettings settings;
  settings.virtual_nodes = CondVirtualNodes::Plain;
  for (const double kappa : {10.0, 1000.0}) {
    settings.kappa = settings.chain_kappa = kappa;
    for (const ContactProblem& p : {MakeSlidingBox(), MakeTestMat({.nodes = 150, .boxes = 2}),
                                    MakeTestRod({.segments = 20, .dt = 0.001}), MakeTiedMats()}) {
      const ContactProblem nodalized = MakeNodalized(p, settings);
      EXPECT_GT(nodalized.num_dofs(), p.num_dofs());
      Answer hybrid = SolveHybrid(nodalized);
      ASSERT_TRUE(hybrid.report.solved()) << hybrid.report.residual.Summary();
      hybrid.solution.velocity.conservativeResize(p.num_dofs());
      EXPECT_LT(Difference(SolveCond(p, settings, 1e-10, 200000), hybrid), 1e-6) << kappa << " " << p.num_dofs();
      // Which is another answer than that of the problem as it is.
      if (kappa < 100) {
        EXPECT_GT(Difference(SolveHybrid(p), hybrid), 1e-5);
      }
    }
  }
}

TEST(CondSolver, InverseImpulsesAreTheForwardOnes) {
  CondSettings settings;
  settings.omega = 0.05;
  MatSettings mat{.nodes = 200};
  for (const CondOperator law : {CondOperator::Strict, CondOperator::Proximal}) {
    settings.law = law;
    const ContactProblem p = MakeTestMat(mat);
    // Whether it has converged or not.
    for (const int iterations : {5, 2000}) {
      const Answer forward = SolveCond(p, settings, 1e-12, iterations);
      VectorX lambda, actuation;
      CondInverseDynamics(p, settings, forward.solution.velocity, &lambda, &actuation);
      EXPECT_LT((lambda - forward.solution.impulse).norm(), 1e-10 * forward.solution.impulse.norm());
      if (iterations > 5) {
        EXPECT_LT(actuation.norm(), 1e-8 * p.b().norm());
      }
    }
  }
  settings.omega = 0;
  VectorX lambda;
  EXPECT_THROW(CondInverseImpulses(MakeTestMat(mat), settings, VectorX::Zero(1), &lambda), InputError);
}

TEST(CondSolver, RowsOnNodesAndAcrossSubsystems) {
  const ContactProblem p = MakeTiedMats();
  const Answer cond = SolveCond(p), hybrid = SolveHybrid(p);
  ASSERT_TRUE(hybrid.report.solved());
  EXPECT_TRUE(cond.report.solved()) << cond.report.residual.Summary();
  EXPECT_LT(Difference(cond, hybrid), 1e-6);
}

TEST(CondSolver, PointsOfTrianglesAndUnequalStiffness) {
  const ContactProblem p = MakeStackedMats(1e7, 5e4);
  const Answer cond = SolveCond(p, {}, 1e-8), hybrid = SolveHybrid(p);
  ASSERT_TRUE(hybrid.report.solved());
  EXPECT_TRUE(cond.report.solved()) << cond.report.residual.Summary();
  EXPECT_LT(Difference(cond, hybrid), 1e-5);
  CondSettings equal;
  equal.equal_pair_weights = true;
  EXPECT_LT(cond.report.iterations, SolveCond(p, equal, 1e-8).report.iterations);
}

TEST(CondSolver, EllipticFrictionFollowsMaximumDissipation) {
  const ContactProblem p = MakeTestMat({.nodes = 150}, Friction(0.2, 0.8));
  const Answer cond = SolveCond(p), hybrid = SolveHybrid(p);
  EXPECT_TRUE(cond.report.solved()) << cond.report.residual.Summary();
  ASSERT_TRUE(hybrid.report.solved());
  EXPECT_LT(Difference(cond, hybrid), 1e-6);
  int sliding = 0;
  for (int i = 0; i < p.num_contacts(); ++i) {
    const Vector3 s = cond.solution.sigma.segment<3>(3 * i), l = cond.solution.impulse.segment<3>(3 * i);
    const double most = l[2] * std::hypot(0.2 * s[0], 0.8 * s[1]);  // power that any allowed friction can take
    EXPECT_NEAR(-(l[0] * s[0] + l[1] * s[1]), most, 1e-9 + 1e-6 * most);
    sliding += most > 1e-6;
  }
  EXPECT_GT(sliding, 5);
}

TEST(CondSolver, WarmStartsFromItsAnswerAndFromItsVelocity) {
  const ContactProblem p = MakeTestMat({.nodes = 200, .boxes = 1});
  SolveSettings s;
  s.tolerance = 1e-7;
  CondSolver solver;
  ContactSolution cold, warm;
  const SolveReport first = solver.Solve(p, s, WarmStart(), &cold);
  const SolveReport second = solver.Solve(p, s, WarmStart{cold.impulse, cold.velocity}, &warm);
  EXPECT_TRUE(first.solved() && second.solved());
  EXPECT_GT(first.iterations, 20);
  EXPECT_LE(second.iterations, 2);
}

TEST(CondSolver, RecycledWeightsChangeSpeedOnly) {
  CondSettings settings;
  settings.recycle_weights = true;
  CondSolver solver(settings);
  ContactSolution one, two;
  const ContactProblem p = MakeTestMat({.nodes = 200}), q = MakeTestMat({.nodes = 200, .young = 3e5});
  EXPECT_TRUE(solver.Solve(p, &one).solved());
  EXPECT_TRUE(solver.Solve(q, &one).solved());  // with the weights of p
  EXPECT_TRUE(CondSolver().Solve(q, &two).solved());
  EXPECT_LT((one.velocity - two.velocity).norm(), 1e-5 * two.velocity.norm());
}

// Weights of a mat that is a thousand times softer: steps are far too long, the iterate grows, and W is made anew.
TEST(CondSolver, RecycledWeightsThatDivergeAreMadeAnew) {
  CondSettings settings;
  settings.recycle_weights = true;
  CondSolver solver(settings);
  SolveSettings s;
  s.tolerance = 1e-6;
  ContactSolution one, two;
  const ContactProblem soft = MakeTestMat({.nodes = 200, .young = 1e4}),
                       stiff = MakeTestMat({.nodes = 200, .young = 1e7});
  EXPECT_TRUE(solver.Solve(soft, s, WarmStart(), &one).solved());
  const SolveReport report = solver.Solve(stiff, s, WarmStart(), &one);
  EXPECT_TRUE(report.solved()) << report.residual.Summary();
  const SolveReport own = CondSolver().Solve(stiff, s, WarmStart(), &two);
  EXPECT_TRUE(own.solved());
  EXPECT_LT(report.iterations, own.iterations + 100);
  EXPECT_LT((one.velocity - two.velocity).norm(), 1e-4 * two.velocity.norm());
  EXPECT_EQ(solver.Solve(stiff, s, WarmStart(), &one).iterations, own.iterations);  // now they are its own
}

// Two steps of Lanczos's method see half of the largest eigenvalue or so: steps are too long, the iterate grows, and
// they are halved until it does not.
TEST(CondSolver, DivergenceIsSeenAndStepsAreHalved) {
  CondSettings settings;
  settings.power_iterations = 2;
  SolveSettings s;
  s.tolerance = 1e-6;
  s.max_iterations = 200000;
  ContactSolution one, two;
  const ContactProblem stiff = MakeTestMat({.nodes = 200, .young = 1e7});
  const SolveReport report = CondSolver(settings).Solve(stiff, s, WarmStart(), &one);
  EXPECT_GE(report.inner_failures, 1);
  EXPECT_TRUE(report.solved()) << report.residual.Summary();
  EXPECT_TRUE(CondSolver().Solve(stiff, s, WarmStart(), &two).solved());
  EXPECT_LT((one.velocity - two.velocity).norm(), 1e-4 * two.velocity.norm());
}

// A mesh that is not positive definite has no iteration that stays, however small its steps.
TEST(CondSolver, DivergenceForEverEndsUnsolved) {
  MatrixX A = MatrixX::Constant(3, 3, -0.9);
  A.diagonal().setOnes();
  ContactProblemBuilder builder;
  const int mesh = builder.AddSparse(A.sparseView(), Vector3(1, 2, 3));
  builder.AddContact(builder.AddNode(mesh, 0, Vector3::Zero()), kWorld, Vector3::Zero(), Matrix3::Identity(), 0.5,
                     Vector3::Zero());
  const Answer answer = SolveCond(builder.Build(), {}, 1e-9, 20000);
  EXPECT_FALSE(answer.report.solved());
  EXPECT_GT(answer.report.inner_failures, 1);
  EXPECT_TRUE(answer.solution.velocity.allFinite() && answer.solution.impulse.allFinite());
}

TEST(CondSolver, AnyNumberOfThreadsGivesTheSameBits) {
  const ContactProblem p = MakeTestMat({.nodes = 4000, .boxes = 2});
  SolveSettings s;
  s.max_iterations = 40;
  ContactSolution one, other;
  CondSolver solver;
  const SolveReport first = solver.Solve(p, s, WarmStart(), &one);
  for (s.threads = 2; s.threads <= 4; ++s.threads) {
    const SolveReport report = solver.Solve(p, s, WarmStart(), &other);
    EXPECT_TRUE(one.impulse == other.impulse && one.velocity == other.velocity) << s.threads;
    EXPECT_EQ(first.residual.natural_rho, report.residual.natural_rho);
  }
}

TEST(CondSolver, NeedsNoFactorAndOthersSayWhenThereIsNone) {
  // Positive 2 x 2 minors, one negative eigenvalue.
  MatrixX A = MatrixX::Constant(3, 3, -0.9);
  A.diagonal().setOnes();
  ContactProblemBuilder builder;
  const int mesh = builder.AddSparse(A.sparseView(), Vector3(0, 0, -1));
  builder.AddContact(builder.AddNode(mesh, 0, Vector3::Zero()), kWorld, Vector3::Zero(), Matrix3::Identity(), 0.5,
                     Vector3::Zero());
  const ContactProblem p = builder.Build();
  ContactSolution solution;
  const SolveReport report = PgsSolver().Solve(p, &solution);
  EXPECT_EQ(report.status, SolveStatus::NumericalError);
  EXPECT_THAT(report.message, testing::HasSubstr("A of subsystem 0 is not positive definite"));
  // The equations have an answer all the same, and the judge sees it without a factor.
  EXPECT_TRUE(CondSolver().Solve(p, &solution).two_field);
  EXPECT_TRUE(solution.velocity.allFinite());
}

TEST(CondSolver, JammedProblemsEnd) {
  // Pulled apart by two walls that close: no velocity is allowed.
  ContactProblemBuilder builder;
  const int mesh = builder.AddSparse(MatrixX::Identity(3, 3).sparseView(), Vector3(0, 0, 0));
  const BodyIndex node = builder.AddNode(mesh, 0, Vector3::Zero());
  Matrix3 down;
  down << 1, 0, 0, 0, -1, 0, 0, 0, -1;
  builder.AddContact(node, kWorld, Vector3::Zero(), Matrix3::Identity(), 0.5, Vector3(0, 0, -1));
  builder.AddContact(node, kWorld, Vector3::Zero(), down, 0.5, Vector3(0, 0, -1));
  const Answer answer = SolveCond(builder.Build());
  EXPECT_FALSE(answer.report.solved());
  EXPECT_TRUE(answer.solution.impulse.allFinite());
}

// The paper's stop comes long before the answer on a stiff mat, and the judge says so.
TEST(CondSolver, StillnessIsNotConvergence) {
  MatSettings mat;
  mat.young = 1e7;
  const ContactProblem problem = MakeTestMat(mat);
  CondSettings published;
  published.still = 1e-3;
  SolveSettings settings;
  settings.tolerance = 1e-6;
  ContactSolution solution;
  const SolveReport stopped = CondSolver(published).Solve(problem, settings, WarmStart(), &solution);
  const SolveReport exact = CondSolver().Solve(problem, settings, WarmStart(), &solution);
  EXPECT_TRUE(exact.solved());
  EXPECT_EQ(stopped.status, SolveStatus::Stalled);
  EXPECT_THAT(stopped.message, testing::HasSubstr("`still`"));
  EXPECT_GT(stopped.iterations, 0);
  EXPECT_LT(2 * stopped.iterations, exact.iterations);
  EXPECT_GT(stopped.residual.worst(), 1e-4);
}

TEST(CondSettings, NonsenseIsRefused) {
  const auto refused = [](const std::function<void(CondSettings*)>& spoil) {
    CondSettings settings;
    spoil(&settings);
    EXPECT_THROW(settings.Validate(), InputError);
  };
  refused([](CondSettings* s) { s->kappa = 0; });
  refused([](CondSettings* s) { s->chain_kappa = -1; });
  refused([](CondSettings* s) { s->held_kappa = 0; });
  refused([](CondSettings* s) { s->tie_relaxation = 2; });
  refused([](CondSettings* s) { s->omega = -1; });
  refused([](CondSettings* s) { s->spectral_target = 2; });
  refused([](CondSettings* s) { s->power_iterations = 1; });
  refused([](CondSettings* s) { s->rho_cap = 1; });
  refused([](CondSettings* s) { s->rho_window = 0; });
  refused([](CondSettings* s) { s->slow_start = 1; });
  refused([](CondSettings* s) { s->relaxation = 0; });
  refused([](CondSettings* s) { s->check_interval = 0; });
  refused([](CondSettings* s) { s->default_max_iterations = 0; });
  refused([](CondSettings* s) { s->still = -1; });
}

}  // namespace
}  // namespace tactus
