// A hybrid solve that is cut off early is inexact, but its impulses must not drive bodies apart: they do no work.
#include <gtest/gtest.h>

#include "tactus/generate/generator.h"
#include "tactus/solvers/hybrid/hybrid_solver.h"
#include "tests/common/honesty.h"

namespace tactus {
namespace {

TEST(CutOff, ImpulsesOfContactsAddNoEnergy) {
  HybridSolver solver;
  ContactSolution solution;
  int cut_off = 0, scaled = 0;
  for (const char* kind : {"bolt", "dishes", "chain"}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const ContactProblem p = Generate(kind, {}, seed);
      for (int iterations = 1; iterations <= 4; ++iterations) {
        SCOPED_TRACE(p.provenance + ", iterations " + std::to_string(iterations));
        SolveSettings settings;
        settings.max_iterations = iterations;
        const SolveReport report = solver.Solve(p, settings, {}, &solution);
        ExpectHonest(p, settings, report, solution, "cut off");
        if (report.solved()) continue;
        ++cut_off;
        scaled += report.message.find("add no energy") != std::string::npos ? 1 : 0;
        const Eigen::Index contacts = 3 * p.num_contacts();
        const double work = solution.impulse.head(contacts).dot(solution.sigma.head(contacts));
        const double scale = solution.impulse.head(contacts).norm() * solution.sigma.head(contacts).norm();
        EXPECT_LE(work, 1e-12 * scale);
      }
    }
  }
  EXPECT_GT(cut_off, 30);
  EXPECT_GT(scaled, 0);
}

}  // namespace
}  // namespace tactus
