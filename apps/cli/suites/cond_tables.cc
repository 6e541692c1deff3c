// Rows of suite `cond` beside paper 001's Table VII (CCS), Fig. 11 (growth of the others) and Fig. 13 (impulses from
// velocities), on generated mats.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/statistics.h"
#include "apps/cli/suites/cond_runs.h"
#include "tactus/generate/mat.h"
#include "tactus/solvers/cond/cond_inverse.h"
#include "tactus/solvers/registry.h"

namespace tactus::cli {

namespace {

using Rows = std::vector<BenchRow>;

// CCS solves a system of the whole mat in every iteration, COND multiplies by it.
void AddSplitting(const MatSettings& mat, Rows* rows) {
  const VectorX exact = MakeCondReference(MakeMat(mat, 1), CondOperator::Strict);
  for (const char* name : {"cond", "ccs"}) {
    for (const int iterations : {50, 100}) {
      const ContactProblem problem = MakeMat(mat, 1);
      ContactSolution solution;
      const SolveReport report = MakeSolver(name)->Solve(problem, IterationsOnly(iterations), WarmStart(), &solution);
      const std::string what = fmt::format("mat, {}, {} iterations", name, iterations);
      rows->push_back(
          BenchRow::Measured(what + ": error of velocities", CalcVelocityError(problem, solution.velocity, exact), ""));
      rows->push_back(BenchRow::Measured(what + ": time", 1e3 * report.cpu_time, "ms"));
    }
  }
}

// Each to the same error of velocities, of the law that it aims at, with as many contacts to a dof at every size.
void AddOthersGrowth(bool quick, Rows* rows) {
  std::vector<double> dofs;
  std::map<std::string, std::vector<double>> times;
  for (const int nodes : quick ? std::vector<int>{250, 500} : std::vector<int>{250, 500, 1000, 2000}) {
    MatSettings mat;
    mat.nodes = nodes;
    const ContactProblem problem = MakeMat(mat, 1);
    dofs.push_back(problem.num_dofs());
    const VectorX exact = MakeCondReference(problem, CondOperator::Strict);
    const VectorX convex = MakeCondReference(problem, CondOperator::Proximal);
    for (const char* name : {"cond", "apgd", "pgs"}) {
      const bool relaxed = std::string(name) == "apgd";
      const Reached reached =
          ReachAccuracy([&] { return MakeMat(mat, 1); }, MakeSolver(name).get(), relaxed ? convex : exact, 20, 1.3);
      times[name].push_back(reached.milliseconds);
      rows->push_back(BenchRow::Measured(
          fmt::format("mat of {} dofs, {}, velocities to 1e-3: whole time", problem.num_dofs(), name),
          reached.milliseconds, "ms"));
    }
  }
  for (const auto& [name, list] : times) {
    rows->push_back(BenchRow::Measured(fmt::format("mats, {}: exponent of the whole time over dofs", name),
                                       FitExponent(dofs, list), ""));
  }
}

// Forward with a compliance, then impulses from velocities alone; forces are of a step.
void AddInvertible(const MatSettings& mat, Rows* rows) {
  const ContactProblem problem = MakeMat(mat, 1);
  CondSettings cond;
  cond.law = CondOperator::Proximal;
  cond.omega = 1e-3;
  SolveSettings settings;
  settings.tolerance = 1e-4;
  ContactSolution solution;
  (void)CondSolver(cond).Solve(problem, settings, WarmStart(), &solution);
  VectorX inverse;
  CondInverseImpulses(problem, cond, solution.velocity, &inverse);
  rows->push_back(
      BenchRow::Measured("mat, invertible contact: norm of contact forces", solution.impulse.norm() / mat.dt, "N"));
  rows->push_back(BenchRow::Measured("mat, invertible contact: forward less inverse",
                                     1e3 * std::abs(solution.impulse.norm() - inverse.norm()) / mat.dt, "mN"));
}

}  // namespace

void AddCondTables(const BenchSettings& settings, Rows* rows) {
  MatSettings mat;  // the paper's mat, as in the comparison
  mat.nodes = settings.quick ? 300 : 1477;
  mat.young = 5e4;
  mat.midpoint = true;
  mat.contacts = 150;
  mat.pressed = 0.05;
  if (settings.Wants("splitting")) AddSplitting(mat, rows);
  if (settings.Wants("growth")) AddOthersGrowth(settings.quick, rows);
  if (settings.Wants("invertible")) AddInvertible(mat, rows);
}

}  // namespace tactus::cli
