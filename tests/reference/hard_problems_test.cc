// Problems of tests/reference/problems that a solver once failed at, as `tactus run --dump-problems` wrote them.
//
// jammed_grasp_*: a hand with motors at their limits presses a bottle with beads (scene pouring, 9 beads, seed 4, steps
// 719 and 739). The wrist holds it along a line of nine points; lateral creep of 1e-7 m/s belongs to forces of newtons.

#include <filesystem>

#include <gtest/gtest.h>

#include "tactus/contact/ncp_residual.h"
#include "tactus/contact/problem_file.h"
#include "tactus/solvers/hybrid/hybrid_solver.h"

namespace tactus {
namespace {

TEST(HardProblems, HybridSolvesThemInItsFirstForm) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TACTUS_PROJECT_DIR "/tests/reference/problems")) {
    if (entry.path().extension() != ".h5") continue;
    ++count;
    const ContactProblem problem = ReadProblemFile(entry.path().string()).problem;
    HybridSolver solver;
    ContactSolution solution;
    const SolveReport report = solver.Solve(problem, SolveSettings(), WarmStart(), &solution);
    EXPECT_TRUE(report.solved()) << entry.path();
    EXPECT_EQ(report.message, "") << entry.path();  // that of the second form
    EXPECT_LE(CalcNcpResidual(problem, solution.impulse).natural_rho, 1e-8) << entry.path();
  }
  EXPECT_EQ(count, 2);
}

}  // namespace
}  // namespace tactus
