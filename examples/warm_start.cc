// Solving many similar problems: keep the solver (it keeps its memory), start from the last impulses, set a time
// budget, and look at the history when something is slow.

#include <cstdio>

#include <tactus/generate/generator.h>
#include <tactus/solvers/hybrid/hybrid_solver.h>

namespace {

void Print(const char* what, const tactus::SolveReport& report) {
  std::printf("%-28s %-12s %3d outer iterations, %3d Newton steps, natural_rho %.1e\n", what,
              tactus::ToString(report.status), report.iterations, report.newton_steps, report.residual.natural_rho);
}

}  // namespace

int main() {
  // A nut on a bolt, and the same nut a moment later, when friction has risen a little.
  const tactus::ContactProblem first = tactus::Generate("bolt", {{"mu", 0.30}}, 1);
  const tactus::ContactProblem second = tactus::Generate("bolt", {{"mu", 0.31}}, 1);

  tactus::HybridSolver solver;
  tactus::ContactSolution solution;
  tactus::SolveSettings settings;
  settings.tolerance = 1e-10;
  settings.record_history = true;
  const tactus::SolveReport start = solver.Solve(first, settings, tactus::WarmStart(), &solution);
  Print("first step, cold", start);

  tactus::WarmStart warm;
  warm.impulse = solution.impulse;  // same layout: contacts in the same order
  const tactus::SolveReport next = solver.Solve(second, settings, warm, &solution);
  Print("second step, warm", next);
  for (const tactus::HistoryEntry& entry : next.history) {
    std::printf("    after %d: %d Newton steps, natural_rho %.1e\n", entry.iteration, entry.newton_steps,
                entry.natural_rho);
  }
  const tactus::SolveReport cold = solver.Solve(second, settings, tactus::WarmStart(), &solution);
  Print("second step, cold", cold);

  // A budget is looked at between outer iterations. Whatever the status, `solution` is the best iterate found.
  settings.record_history = false;
  settings.time_budget = 1e-6;  // [s], too little on purpose
  const tactus::SolveReport hurried = solver.Solve(second, settings, tactus::WarmStart(), &solution);
  Print("second step, in 1 us", hurried);

  return start.solved() && next.solved() && next.newton_steps < cold.newton_steps && !hurried.solved() ? 0 : 1;
}
