// Problems made from their solution: hybrid finds one on at least 99 of 100.
#include <gtest/gtest.h>

#include "tactus/generate/random_problem.h"
#include "tactus/solvers/registry.h"
#include "tests/common/honesty.h"

namespace tactus {
namespace {

// Sizes and options change with the seed, so that every kind of subsystem and constraint meets every other.
RandomSettings SettingsOf(int seed) {
  RandomSettings s;
  s.bodies = 1 + seed % 6;
  s.trees = seed % 3 == 0 ? 1 : 0;
  s.meshes = seed % 5 == 0 ? 1 : 0;
  s.contacts = 1 + (7 * seed) % 23;
  s.rows = (3 * seed) % 11;
  s.mu = seed % 4 == 0 ? 2 : 0.6;
  s.elliptic = seed % 7 == 0;
  s.mass_ratio = seed % 2 == 0 ? 10 : 1000;
  return s;
}

TEST(KnownSolution, GeneratedImpulsesAreASolution) {
  for (int seed = 0; seed < 50; ++seed) {
    const KnownProblem known = MakeKnown(SettingsOf(seed), seed);
    const NcpResidual residual = CalcNcpResidual(known.problem, known.impulse);
    EXPECT_LE(residual.natural_rho, 1e-13) << seed;
    EXPECT_TRUE(residual.feasible(1e-13)) << seed << residual.Summary();
    EXPECT_LE(CalcLawViolation(known.problem, known.impulse), 1e-11) << seed;
  }
}

// Five bodies, a robot and a deformable under every kind of constraint. The soak test tries other mixtures.
TEST(KnownSolution, HybridSolvesThem) {
  const int count = 300;
  const auto solver = MakeSolver("hybrid");
  const SolveSettings settings;
  int solved = 0;
  for (int seed = 0; seed < count; ++seed) {
    const ContactProblem p = MakeKnown(RandomSettings(), 1000 + seed).problem;
    ContactSolution solution;
    const SolveReport report = solver->Solve(p, settings, WarmStart(), &solution);
    ExpectHonest(p, settings, report, solution, "seed " + std::to_string(seed));
    solved += report.solved() ? 1 : 0;
    if (!report.solved()) {
      std::printf("seed %d: %s, natural_rho %.1e, %d iterations\n", seed, ToString(report.status),
                  report.residual.natural_rho, report.iterations);
    }
  }
  EXPECT_GE(solved, 99 * count / 100);
}

// On these the way to the solution passes impulses without bound (up to 1e96 times the free motion's), beside which
// every error looks small: they must not pass for an answer.
TEST(KnownSolution, ExplodingImpulsesAreNoAnswer) {
  const auto solver = MakeSolver("hybrid");
  for (const int seed : {164, 384, 492, 576, 588, 764, 834, 936, 984}) {
    const ContactProblem p = MakeKnown(SettingsOf(seed), 1000 + seed).problem;
    ContactSolution solution;
    const SolveReport report = solver->Solve(p, &solution);
    EXPECT_TRUE(report.solved()) << seed << ": " << ToString(report.status) << "\n" << report.residual.Summary();
  }
}

}  // namespace
}  // namespace tactus
