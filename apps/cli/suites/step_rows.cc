#include "apps/cli/suites/step_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "apps/cli/scene_library.h"
#include "apps/cli/statistics.h"
#include "apps/cli/suites/scenario_runs.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/scene_file.h"
#include "tactus/solvers/registry.h"

namespace tactus::cli {

namespace {

using Rows = std::vector<BenchRow>;

constexpr double kStrict = 1e-8;

std::vector<ContactProblem> CollectSteps(const char* scene, int trials) {
  std::vector<ContactProblem> out;
  for (int k = 0; k < trials; ++k) {
    for (ContactProblem& problem : CollectProblems(scene, {.trial = k * 100 / trials}, 1, 1)) {
      out.push_back(std::move(problem));
    }
  }
  return out;
}

// Where a solve was after so many iterations, or where it ended before.
HistoryEntry FindEntry(const SolveReport& report, int iterations) {
  HistoryEntry out;
  for (const HistoryEntry& entry : report.history) {
    if (entry.iteration <= iterations) out = entry;
  }
  return out;
}

// What a solver makes of a problem within a time.
struct Reach {
  double milliseconds = 0;  // of the processor
  double residual = 0;      // natural_rho
};

// To 1e-8, or where the solver ends by itself; median time.
Reach SolveStrictly(ContactSolver* solver, const ContactProblem& problem) {
  SolveSettings settings;
  settings.tolerance = kStrict;
  std::vector<double> times;
  SolveReport report;
  ContactSolution solution;
  for (int k = 0; k < 6; ++k) {
    report = solver->Solve(problem, settings, WarmStart(), &solution);
    if (k > 0) times.push_back(1e3 * report.cpu_time);  // memory is taken in the first
  }
  return {Quantile(times, 0.5), report.residual.natural_rho};
}

// More and more iterations, until 1e-8 is reached or they take at least so long. Not by a budget of the clock: what
// else runs on the machine would take it away.
Reach SolveForSoLong(ContactSolver* solver, const ContactProblem& problem, double milliseconds) {
  SolveSettings settings;
  settings.tolerance = kStrict;
  ContactSolution solution;
  (void)solver->Solve(problem, Iterations(1), WarmStart(), &solution);  // memory is taken here
  for (settings.max_iterations = 1;; settings.max_iterations += 1 + settings.max_iterations / 4) {
    const SolveReport report = solver->Solve(problem, settings, WarmStart(), &solution);
    const Reach reach{1e3 * report.cpu_time, report.residual.natural_rho};
    const bool ended = report.iterations < settings.max_iterations;  // by itself, there or not
    if (reach.residual <= kStrict || ended || reach.milliseconds >= milliseconds) return reach;
  }
}

}  // namespace

void AddTenfoldTime(const char* scene, bool quick, Rows* rows) {
  const std::vector<ContactProblem> problems = CollectSteps(scene, quick ? 3 : 25);
  const std::string of = fmt::format("of {}", problems.size());
  std::vector<double> budgets;  // [ms]
  for (const char* name : {"hybrid", "pgs", "canal"}) {
    const std::string solver_name = name;
    const auto solver = MakeSolver(name);
    std::vector<double> times, residuals;
    int reached = 0;
    for (std::size_t k = 0; k < problems.size(); ++k) {
      const Reach reach = solver_name == "hybrid" ? SolveStrictly(solver.get(), problems[k])
                                                  : SolveForSoLong(solver.get(), problems[k], budgets[k]);
      times.push_back(reach.milliseconds);
      residuals.push_back(reach.residual);
      reached += reach.residual <= kStrict;
      if (solver_name == "hybrid") budgets.push_back(10 * reach.milliseconds);
    }
    const std::string what =
        fmt::format("{}, {} {}: ", scene, name, solver_name == "hybrid" ? "to 1e-8" : "in ten times the hybrid's time");
    const std::string count = what + "problems at 1e-8";
    rows->push_back(solver_name == "hybrid"
                        ? BenchRow::AtLeast(count, reached, of, static_cast<double>(problems.size()))
                    : solver_name == "pgs" ? BenchRow::AtMost(count, reached, of, 0)
                                           : BenchRow::Measured(count, reached, of));
    rows->push_back(BenchRow::Measured(what + "processor time, median", Quantile(times, 0.5), "ms").WithSpread(times));
    rows->push_back(BenchRow::Measured(what + "residual, median", Quantile(residuals, 0.5), ""));
    rows->push_back(BenchRow::Measured(what + "residual, least", Quantile(residuals, 0), ""));
  }
}

void AddStepCurves(const char* scene, bool quick, Rows* rows) {
  const std::vector<ContactProblem> problems = CollectSteps(scene, quick ? 3 : 25);
  // First-order solvers look at their residual every ten iterations.
  const std::vector<int> newton = {1, 2, 3, 5, 7, 10, 15, 20}, sweeps = {10, 30, 100, 300, 1000};
  for (const char* name : {"hybrid", "canal", "subadmm", "pgs"}) {
    const bool few = std::string(name) == "hybrid" || std::string(name) == "canal";
    const std::vector<int>& counts = few ? newton : sweeps;
    const auto solver = MakeSolver(name);
    std::vector<SolveReport> reports;
    for (const ContactProblem& problem : problems) {
      SolveSettings settings = Iterations(counts.back());
      ContactSolution solution;
      (void)solver->Solve(problem, Iterations(1), WarmStart(), &solution);  // memory is taken here
      settings.record_history = true;
      reports.push_back(solver->Solve(problem, settings, WarmStart(), &solution));
    }
    for (const int count : counts) {
      std::vector<double> time, residual;
      for (const SolveReport& report : reports) {
        const HistoryEntry entry = FindEntry(report, count);
        time.push_back(1e3 * entry.time);
        residual.push_back(entry.paper);
      }
      const std::string what = fmt::format("{}, {} after {} iterations", scene, name, count);
      rows->push_back(BenchRow::Measured(what + ": residual (paper), median", Quantile(residual, 0.5), ""));
      rows->push_back(BenchRow::Measured(what + ": time, median", Quantile(time, 0.5), "ms").WithSpread(time));
    }
  }
}

void AddLoopTable(bool quick, Rows* rows) {
  constexpr int kLoops = 10;
  const std::vector<ContactProblem> problems = CollectSteps("dish-step", quick ? 2 : 100);
  const auto cases = static_cast<double>(problems.size());
  for (const char* name : {"canal", "tr-dogleg", "damped-newton"}) {
    const auto solver = MakeSolver(name);
    double inner = 0, failed = 0, loops = 0, logs = 0;
    for (const ContactProblem& problem : problems) {
      ContactSolution solution;
      const SolveReport report = solver->Solve(problem, Iterations(kLoops), WarmStart(), &solution);
      inner += report.newton_steps;
      failed += report.inner_failures;
      loops += report.iterations;
      logs -= std::log10(std::max(report.residual.paper, 1e-16));
    }
    const std::string what = fmt::format("dish-step, {}, {} loops: ", name, kLoops);
    rows->push_back(BenchRow::Measured(what + "inner iterations, mean", inner / cases, ""));
    rows->push_back(BenchRow::Measured(what + "inner problems that failed", 100 * failed / std::max(loops, 1.0), "%"));
    rows->push_back(BenchRow::Measured(what + "residual (paper), -log10, mean", logs / cases, ""));
  }
}

void AddConvexSliding(std::vector<BenchTrace>* traces, Rows* rows) {
  TracePanel heights{"height of the lower dish [mm]", false, {}}, residuals{"residual (paper)", true, {}};
  struct Case {
    const char *solver, *name;
    int iterations;
  };
  for (const Case& c : {Case{"soft-convex", "soft-convex", 0}, Case{"canal", "canal(2)", 2},
                        Case{"canal", "canal(5)", 5}, Case{"hybrid", "hybrid", 0}}) {
    const SceneDescription scene = LoadScene(FindScene("dish-sliding"), {});
    SimulatorSettings settings = MakeSettings(scene.settings);
    settings.solver = c.solver;
    settings.solve.max_iterations = c.iterations;
    settings.linearizations = 1;  // so that steps are those of the solver alone
    const SceneSimulation simulation = MakeSimulation(scene, settings);
    Simulator& simulator = *simulation.simulator;
    const int lower = simulator.model().FindLink("lower");
    const int steps = static_cast<int>(std::lround(scene.duration / settings.scheme.step));
    double low = std::numeric_limits<double>::infinity(), high = -low, deepest = 0, logs = 0;
    int counted = 0;
    PlotSeries height{c.name, {}}, residual{c.name, {}};
    for (int k = 0; k < steps; ++k) {
      const StepReport report = simulator.Step();
      if (!report.moved()) break;
      const double z = simulator.LinkPose(lower).p[2];
      low = std::min(low, z);
      high = std::max(high, z);
      deepest = std::max(deepest, report.max_penetration);
      height.points.emplace_back(simulator.time(), 1e3 * z);
      if (report.contacts == 0) continue;
      ++counted;
      logs -= std::log10(std::max(report.solve.residual.paper, 1e-16));
      residual.points.emplace_back(simulator.time(), report.solve.residual.paper);
    }
    heights.series.push_back(std::move(height));
    residuals.series.push_back(std::move(residual));
    const std::string what = fmt::format("dish-sliding, {}: ", c.name);
    rows->push_back(BenchRow::Measured(what + "residual (paper), -log10, mean", logs / std::max(counted, 1), ""));
    rows->push_back(BenchRow::Measured(what + "lower dish, highest less lowest", 1e3 * (high - low), "mm"));
    rows->push_back(BenchRow::Measured(what + "deepest overlap", 1e3 * deepest, "mm"));
  }
  if (traces != nullptr) traces->push_back({"dish-sliding (000, Fig. 14)", {heights, residuals}});
}

}  // namespace tactus::cli
