// Small problems against their global optimum, 500 of them planar and 3-D: those that the solver was tuned on, and
// twice as many others.
#include <algorithm>
#include <cstdio>

#include <gtest/gtest.h>

#include "tactus/inverse/baselines/enumerate_modes.h"
#include "tactus/inverse/qpcc_solver.h"
#include "tactus/inverse/random_qpcc.h"

namespace tactus {
namespace {

struct Tally {
  int problems = 0, reached = 0, within = 0, solved = 0;
  double gap = 0, multipliers = 0;
};

Tally Count(std::uint64_t first_seed, int problems) {
  Tally tally;
  for (const QpccKind kind : {QpccKind::Planar, QpccKind::Ncp}) {
    for (int k = 0; k < problems; ++k) {
      const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(k);
      const QpccProblem p = MakeRandomQpcc({.kind = kind, .contacts = 1 + static_cast<int>(seed % 3)}, seed);
      QpccSolution x;
      const QpccReport report = SolveQpcc(p, {}, &x);
      const EnumerateResult best = EnumerateModes(p);
      // With 3-D friction the oracle may find nothing; that counts as missed.
      EXPECT_TRUE(best.found || kind == QpccKind::Ncp) << ToString(kind) << " seed " << seed;
      const double tiny = 1e-12 * p.b.squaredNorm();
      const bool known = best.found && report.feasible();
      ++tally.problems;
      tally.reached += known && report.loss <= best.loss * (1 + 1e-6) + tiny;
      tally.within += known && report.loss <= 1.1 * best.loss + tiny;
      tally.solved += report.solved();
      if (report.origin == QpccOrigin::Polished) tally.gap = std::max(tally.gap, report.dynamics_gap);
      if (report.solved()) tally.multipliers = std::max({tally.multipliers, report.dual, report.multiplier_violation});
    }
  }
  return tally;
}

void ExpectGood(const Tally& tally) {
  EXPECT_GE(tally.reached, 0.90 * tally.problems);
  EXPECT_GE(tally.within, 0.99 * tally.problems);
  EXPECT_GE(tally.solved, 0.95 * tally.problems);
  EXPECT_LE(tally.gap, 1e-9);
  EXPECT_LE(tally.multipliers, 1e-6);
  std::printf("%d problems: reached %d, within 10 %% %d, solved %d, polished gap %.1e, multipliers %.1e\n",
              tally.problems, tally.reached, tally.within, tally.solved, tally.gap, tally.multipliers);
}

// Starts and sweeps were chosen on the first, what is drawn on seeds from 20000.
TEST(QpccOptima, SeedsItWasTunedOn) { ExpectGood(Count(0, 250)); }
TEST(QpccOptima, OtherSeeds) { ExpectGood(Count(10'000, 250)); }
TEST(QpccOptima, YetOtherSeeds) { ExpectGood(Count(30'000, 250)); }

}  // namespace
}  // namespace tactus
