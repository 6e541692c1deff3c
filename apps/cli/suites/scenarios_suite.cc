// Suite `scenarios`: the tasks of the papers. Whether they are done, how deep bodies overlap, what solvers make of them
// under a budget, and single steps in dense contact.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/bench_suite.h"
#include "apps/cli/scene_library.h"
#include "apps/cli/terminal.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/goals.h"
#include "tactus/scene/scene_file.h"

namespace tactus::cli {

namespace {

using Rows = std::vector<BenchRow>;

// A scenario with its bar of penetration. Seeds: those of a full run; `quick`: also in a quick one, once.
struct Scenario {
  const char* name;
  double penetration;  // [m]
  int seeds;
  bool quick;
  std::vector<std::string> set = {};
};

const std::vector<Scenario>& Scenarios() {
  static const std::vector<Scenario> table = {
      {"bolt-nut", 1e-4, 5, false},    {"dish-piling", 1e-4, 5, false}, {"pouring", 5e-4, 5, false},
      {"laikago-drop", 1e-4, 5, true}, {"dish-sliding", 1e-4, 5, true}, {"granular-stir", 1e-4, 5, false},
      {"clutter", 5e-4, 5, false},
  };
  return table;
}

// Tasks under a budget of the solver, as in paper 000; and with iterations in its place, which no clock decides.
struct Budgeted {
  const char* scene;
  double seconds;
  int iterations;  // of the hybrid
};
constexpr Budgeted kBudgeted[] = {{"bolt-nut", 0.5e-3, 10}, {"dish-piling", 1e-3, 10}};

struct Budget {
  std::string solver = "hybrid";
  double seconds = 0;
  int iterations = 0;
  std::optional<int> linearizations = {};
};

double Quantile(std::vector<double> x, double share) {
  if (x.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto at = x.begin() + static_cast<std::ptrdiff_t>(std::round(share * static_cast<double>(x.size() - 1)));
  std::nth_element(x.begin(), at, x.end());
  return *at;
}

// What became of a run, or of several.
struct Outcome {
  int runs = 0, done = 0, errors = 0, steps = 0, solved = 0, paper = 0, most_contacts = 0;
  double penetration = 0;
  std::vector<double> seconds, cpu_seconds, residuals, iterations, jitter;

  void Add(const StepReport& report) {
    ++steps;
    solved += report.solve.residual.natural_rho <= 1e-8 ? 1 : 0;
    paper += report.solve.residual.paper <= 1e-8 ? 1 : 0;
    errors += report.moved() && report.solve.status != SolveStatus::NumericalError ? 0 : 1;
    most_contacts = std::max(most_contacts, report.contacts);
    penetration = std::max(penetration, report.max_penetration);
    seconds.push_back(1e3 * report.solver_time);
    cpu_seconds.push_back(1e3 * report.solver_cpu_time);
    residuals.push_back(report.solve.residual.worst());
    iterations.push_back(report.solve.iterations);
  }
};

void Run(const std::string& name, const std::vector<std::string>& set, std::uint64_t seed, int trial,
         const Budget& budget, Outcome* out) {
  SceneFileSettings files;
  files.overrides = set;
  files.seed = seed;
  files.trial = trial;
  const SceneDescription scene = LoadScene(FindScene(name), files);
  SimulatorSettings settings = MakeSettings(scene.settings);
  settings.solver = budget.solver;
  settings.solve.time_budget = budget.seconds;
  settings.solve.max_iterations = budget.iterations;
  if (budget.linearizations) settings.linearizations = *budget.linearizations;
  const SceneSimulation simulation = MakeSimulation(scene, settings);
  Simulator& simulator = *simulation.simulator;
  GoalJudge judge(scene, simulator);
  const int steps = static_cast<int>(std::lround(scene.duration / settings.scheme.step));
  bool moved = true;
  VectorX before = simulator.state().v;
  for (int k = 0; k < steps && moved; ++k) {
    const StepReport report = simulator.Step();
    out->Add(report);
    judge.Observe(simulator, report);
    out->jitter.push_back((simulator.state().v - before).norm());
    before = simulator.state().v;
    moved = report.moved();
  }
  const std::vector<GoalResult> goals = judge.Judge(simulator);
  ++out->runs;
  out->done += moved && std::all_of(goals.begin(), goals.end(), [](const GoalResult& g) { return g.met; }) ? 1 : 0;
}

void AddTask(const Scenario& scenario, bool quick, Rows* rows) {
  const auto name = [&](const std::string& what) { return fmt::format("{}: {}", scenario.name, what); };
  Outcome out;
  const int seeds = quick ? 1 : scenario.seeds;
  for (int seed = 1; seed <= seeds; ++seed) {
    Run(scenario.name, scenario.set, static_cast<std::uint64_t>(seed), 0, {}, &out);
  }
  rows->push_back(BenchRow::AtLeast(name("task done"), out.done, fmt::format("of {}", out.runs), out.runs));
  rows->push_back(BenchRow::AtMost(name("penetration, largest"), out.penetration, "m", scenario.penetration));
  rows->push_back(BenchRow::AtMost(name("numerical errors"), out.errors, fmt::format("of {}", out.steps), 0));
  rows->push_back(BenchRow::Measured(name("residual, largest"), Quantile(out.residuals, 1), ""));
  rows->push_back(BenchRow::Measured(name("contacts, most"), out.most_contacts, ""));
  rows->push_back(BenchRow::Measured(name("solver, median"), Quantile(out.cpu_seconds, 0.5), "ms/step"));
  if (quick) return;
  Outcome plain;
  Run(scenario.name, scenario.set, 1, 0, {.linearizations = 1}, &plain);
  rows->push_back(BenchRow::Measured(name("penetration, one linearization"), plain.penetration, "m"));
  Outcome without;
  std::vector<std::string> off = scenario.set;
  off.emplace_back("contacts.enabled=false");
  Run(scenario.name, off, 1, 0, {}, &without);
  rows->push_back(BenchRow::AtMost(name("task done without contacts"), without.done, "of 1", 0));
}

void AddBudget(const Budgeted& task, Rows* rows) {
  const auto add = [&](const Budget& budget, const std::string& what, bool must) {
    Outcome out;
    Run(task.scene, {}, 1, 0, budget, &out);
    const auto name = [&](const char* value) {
      return fmt::format("{}, {} {}: {}", task.scene, budget.solver, what, value);
    };
    rows->push_back(must ? BenchRow::AtLeast(name("task done"), out.done, "of 1", 1)
                         : BenchRow::Measured(name("task done"), out.done, "of 1"));
    rows->push_back(BenchRow::Measured(name("penetration, largest"), out.penetration, "m"));
    rows->push_back(BenchRow::Measured(name("jitter, median"), Quantile(out.jitter, 0.5), "|dv|/step"));
    rows->push_back(BenchRow::Measured(name("solver time, median"), Quantile(out.seconds, 0.5), "ms/step"));
    rows->push_back(BenchRow::Measured(name("solver time, 99th"), Quantile(out.seconds, 0.99), "ms/step"));
    rows->push_back(BenchRow::Measured(name("processor time, 99th"), Quantile(out.cpu_seconds, 0.99), "ms/step"));
    rows->push_back(BenchRow::Measured(name("residual, median"), Quantile(out.residuals, 0.5), ""));
    rows->push_back(BenchRow::Measured(name("residual, 99th"), Quantile(out.residuals, 0.99), ""));
  };
  for (const char* solver : {"hybrid", "canal", "pgs"}) {
    const std::string limit = fmt::format("in {:g} ms", 1e3 * task.seconds);
    add({.solver = solver, .seconds = task.seconds}, limit, std::string(solver) == "hybrid");
  }
  add({.iterations = task.iterations}, fmt::format("in {} iterations", task.iterations), true);
}

// Each step on its own: the same problems for both solvers.
void AddSingleSteps(const char* scene, bool quick, Rows* rows) {
  const int trials = quick ? 10 : 100, stride = quick ? 10 : 1;
  for (const char* solver : {"hybrid", "canal"}) {
    Outcome out;
    for (int k = 0; k < trials; ++k) Run(scene, {}, 0, k * stride, {.solver = solver}, &out);
    const auto name = [&](const char* what) { return fmt::format("{}, {}: {}", scene, solver, what); };
    const std::string of = fmt::format("of {}", out.steps);
    const bool must = std::string(solver) == "hybrid";
    const auto reached = [&](const char* what, int count) {
      rows->push_back(must ? BenchRow::AtLeast(name(what), count, of, out.steps)
                           : BenchRow::Measured(name(what), count, of));
    };
    reached("natural_rho <= 1e-8", out.solved);
    reached("paper residual <= 1e-8", out.paper);
    rows->push_back(BenchRow::Measured(name("iterations, median"), Quantile(out.iterations, 0.5), ""));
    rows->push_back(BenchRow::Measured(name("processor time, median"), Quantile(out.cpu_seconds, 0.5), "ms"));
    rows->push_back(BenchRow::Measured(name("contacts, most"), out.most_contacts, ""));
  }
}

}  // namespace

std::vector<BenchRow> RunScenariosSuite(const BenchSettings& settings) {
  Rows rows;
  int done = 0;
  Progress progress(static_cast<int>(2 + Scenarios().size() + (settings.quick ? 0 : std::size(kBudgeted))));
  for (const char* scene : {"bolt-nut-step", "dish-step"}) {
    progress.Show(++done, scene);
    AddSingleSteps(scene, settings.quick, &rows);
  }
  if (!settings.quick) {
    for (const Budgeted& task : kBudgeted) {
      progress.Show(++done, fmt::format("{} under a budget", task.scene));
      AddBudget(task, &rows);
    }
  }
  for (const Scenario& scenario : Scenarios()) {
    progress.Show(++done, scenario.name);
    if (!settings.quick || scenario.quick) AddTask(scenario, settings.quick, &rows);
  }
  return rows;
}

}  // namespace tactus::cli
