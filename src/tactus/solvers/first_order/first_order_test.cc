#include <gtest/gtest.h>

#include "tactus/solvers/apgd/apgd_solver.h"
#include "tactus/solvers/first_order/first_order_testing.h"
#include "tactus/solvers/first_order/impulse_system.h"
#include "tactus/solvers/first_order/iterate_score.h"
#include "tactus/solvers/first_order/local_laws.h"
#include "tactus/solvers/first_order/still_watch.h"
#include "tactus/solvers/pgs/pgs_solver.h"
#include "tactus/solvers/registry.h"

namespace tactus {
namespace {

TEST(ImpulseSystem, AllFormsGiveTheSameSigma) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const ContactProblem problem = MakeRandomProblem(seed, 3, 7, 0.5);
    const VectorX lambda = VectorX::Random(problem.size());
    VectorX expected, sigma;
    problem.CalcSigma(lambda, &expected);
    for (const SystemForm form : {SystemForm::Auto, SystemForm::Delassus, SystemForm::Velocity, SystemForm::Factor}) {
      ImpulseSystem system;
      system.Prepare(problem, form, false);
      system.CalcSigma(lambda, &sigma);
      EXPECT_LT((sigma - expected).norm(), 1e-12 * expected.norm());
      EXPECT_GT(system.product_cost(), 0);
      const DelassusMatrix W(problem);
      for (int i = 0; i < problem.num_constraints(); ++i) {
        EXPECT_NEAR(system.rho()[i], W.rho()[i], 1e-12 * W.rho()[i]);
        for (int k = 0; k < problem.dim(i) * problem.dim(i); ++k) {
          EXPECT_NEAR(system.diagonal_block(i)[k], W.diagonal_block(i)[k], 1e-11 / W.rho()[i]);
        }
      }
    }
  }
}

TEST(ImpulseSystem, RefusesFormsThatCannotBe) {
  ImpulseSystem system;
  const ContactProblem problem = MakePointOnPlane(1, -1, 0.5);
  EXPECT_THROW(system.Prepare(ToDelassus(problem), SystemForm::Velocity, false), InputError);
  EXPECT_THROW(system.Prepare(problem, SystemForm::Factor, true), InputError);
}

TEST(StillWatch, MeasuresHowFarVelocitiesMove) {
  const ContactProblem problem = MakeRandomProblem(1, 3, 7, 0.5);
  const VectorX from = VectorX::Random(problem.size()), to = VectorX::Random(problem.size());
  VectorX before, after;
  problem.CalcVelocity(from, &before);
  problem.CalcVelocity(to, &after);
  const double moved = (after - before).norm();
  StillWatch test;
  test.Start(problem, 1.001 * moved, from);
  EXPECT_TRUE(test.Check(problem, to));
  test.Start(problem, 0.999 * moved, from);
  EXPECT_FALSE(test.Check(problem, to));
  EXPECT_TRUE(test.Check(problem, to));  // it has not moved since
  test.Start(problem, 0, from);
  EXPECT_FALSE(test.Check(problem, from));
}

// With the same test PGS and APGD stop early, and the judge has the last word.
TEST(StillWatch, EndsSweepsEarly) {
  const ContactProblem problem = MakeRandomProblem(2, 5, 20, 0.5);
  const auto iterations = [&](double still, bool sweeps) {
    SolveSettings settings;
    settings.tolerance = 1e-12;
    ContactSolution solution;
    PgsSettings pgs;
    ApgdSettings apgd;
    pgs.still = apgd.still = still;
    const SolveReport report = sweeps ? PgsSolver(pgs).Solve(problem, settings, WarmStart(), &solution)
                                      : ApgdSolver(apgd).Solve(problem, settings, WarmStart(), &solution);
    EXPECT_TRUE(still == 0 || report.status == SolveStatus::Stalled) << ToString(report.status);
    return report.iterations;
  };
  for (const bool sweeps : {false, true}) {
    EXPECT_LT(iterations(1e-1, sweeps), iterations(1e-3, sweeps)) << sweeps;
    EXPECT_LT(iterations(1e-3, sweeps), iterations(0, sweeps)) << sweeps;
  }
}

TEST(IterateScore, IsTheJudges) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    for (const bool delassus : {false, true}) {
      const ContactProblem dynamic = MakeRandomProblem(seed, 3, 7, 0.5);
      const ContactProblem problem = delassus ? ToDelassus(dynamic) : dynamic;
      const VectorX lambda = VectorX::Random(problem.size());
      VectorX sigma;
      problem.CalcSigma(lambda, &sigma);
      ImpulseSystem system;
      system.Prepare(problem, SystemForm::Auto, false);
      IterateScore score;
      score.Prepare(problem, system.rho(), system.sigma_free());
      const NcpResidual judged = CalcNcpResidual(problem, lambda);
      const ScoreResult result = score.Calc(lambda, sigma);
      EXPECT_NEAR(result.natural_rho, judged.natural_rho, 1e-12);
      EXPECT_NEAR(result.violation, judged.violation(), 1e-12);
      EXPECT_NEAR(score.CalcUniform(lambda, sigma, 1, true), judged.natural, 1e-12);
      EXPECT_NEAR(score.CalcUniform(lambda, sigma, score.mean_rho(), false), judged.natural_rho_mean, 1e-12);
    }
  }
}

TEST(SolveLocalRow, MeetsEveryLaw) {
  const RowLaw laws[] = {RowLaw::Inequality(), RowLaw::Equality(), RowLaw::Soft(2, 0.3),
                         RowLaw::BoundedSoft(2, 0.3, -0.2, 0.1), RowLaw::DryFriction(0.4)};
  for (const RowLaw& law : laws) {
    for (const double q : {-2.0, -0.1, 0.0, 0.1, 2.0}) {
      for (const double w : {0.5, 3.0}) {
        const double lambda = SolveLocalRow(law, w, q, 0.05), y = w * lambda + q;
        EXPECT_NEAR(lambda, ProjectRow(law, lambda - 0.7 * y, 0.7, 0.05), 1e-14) << static_cast<int>(law.kind);
      }
      EXPECT_TRUE(std::isfinite(SolveLocalRow(law, 0, q, 0.05)));
    }
  }
}

// A body that falls, with a drive that wants what it does anyhow, but for rounding.
TEST(FirstOrder, SeesThatNothingIsAskedFor) {
  for (const char* name : {"subadmm", "no-body", "fadmm", "pgs", "pj", "apgd", "hybrid"}) {
    ContactProblemBuilder builder;
    Vector6 momentum;
    momentum << 1, -3, 7, 0.1, 0.2, 0.3;
    builder.AddFreeBody(Matrix6::Identity(), momentum, Vector3::Zero());
    builder.AddRow(RowLaw::Soft(0.1, -0.1 * 7 * (1 + 1e-15)), {2}, VectorX::Ones(1), 0);
    const ContactProblem problem = builder.Build();
    SolveSettings settings;
    settings.tolerance = 1e-8;
    ContactSolution solution;
    const SolveReport report = MakeSolver(name)->Solve(problem, settings, WarmStart(), &solution);
    EXPECT_EQ(report.status, SolveStatus::Solved) << name;
    EXPECT_LE(report.iterations, 1) << name;
  }
}

}  // namespace
}  // namespace tactus
