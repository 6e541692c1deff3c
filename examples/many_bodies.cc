// A pile of many bodies: SubADMM is quick where a rough answer will do and uses several threads; `auto` chooses between
// it and the hybrid by the accuracy that is asked for, and says what it took.

#include <cstdio>

#include <tactus/generate/generator.h>
#include <tactus/solvers/auto/auto_solver.h>
#include <tactus/solvers/subadmm/subadmm_solver.h>

namespace {

void Print(const char* what, const tactus::SolveReport& report) {
  std::printf("%-22s %-8s %5d iterations, %3d Newton steps, %7.2f ms, natural_rho %.1e  %s\n", what,
              tactus::ToString(report.status), report.iterations, report.newton_steps, 1e3 * report.time,
              report.residual.natural_rho, report.choice);
}

}  // namespace

int main() {
  const tactus::ContactProblem pile = tactus::Generate("pile", {{"bodies", 40}}, 1);
  tactus::ContactSolution solution, other;
  tactus::SolveSettings settings;
  settings.tolerance = 1e-3;

  tactus::SubadmmSolver subadmm;
  (void)subadmm.Solve(pile, settings, tactus::WarmStart(), &solution);  // takes memory; later solves take none
  const tactus::SolveReport one = subadmm.Solve(pile, settings, tactus::WarmStart(), &solution);
  Print("subadmm, one thread", one);
  settings.threads = 2;  // the same bits
  const tactus::SolveReport two = subadmm.Solve(pile, settings, tactus::WarmStart(), &other);
  Print("subadmm, two threads", two);
  const bool same = solution.impulse == other.impulse;

  tactus::AutoSolver automatic;
  const tactus::SolveReport rough = automatic.Solve(pile, settings, tactus::WarmStart(), &solution);
  Print("auto to 1e-3", rough);
  settings.tolerance = 1e-8;
  const tactus::SolveReport fine = automatic.Solve(pile, settings, tactus::WarmStart(), &solution);
  Print("auto to 1e-8", fine);
  return same && one.solved() && two.solved() && rough.solved() && fine.solved() ? 0 : 1;
}
