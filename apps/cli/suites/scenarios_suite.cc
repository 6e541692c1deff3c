// Suite `scenarios`: the tasks of the papers. Whether they are done, how deep bodies overlap, what solvers make of them
// under a budget, and single steps in dense contact.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/bench_suite.h"
#include "apps/cli/statistics.h"
#include "apps/cli/suites/scenario_runs.h"
#include "apps/cli/suites/step_rows.h"
#include "apps/cli/terminal.h"

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
      {"bolt-nut", 1e-4, 5, false},    {"dish-piling", 1e-4, 5, false},  {"pouring", 5e-4, 5, false},
      {"laikago-drop", 1e-4, 5, true}, {"dish-sliding", 1e-4, 5, false}, {"granular-stir", 1e-4, 5, false},
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

void AddTask(const Scenario& scenario, int trials, bool quick, Rows* rows) {
  const auto name = [&](const std::string& what) { return fmt::format("{}: {}", scenario.name, what); };
  RunOutcome out;
  const int seeds = trials > 0 ? trials : quick ? 1 : scenario.seeds;
  for (int seed = 1; seed <= seeds; ++seed) {
    RunScene(scenario.name, {.set = scenario.set, .seed = static_cast<std::uint64_t>(seed)}, &out);
  }
  rows->push_back(BenchRow::AtLeast(name("task done"), out.done, fmt::format("of {}", out.runs), out.runs));
  rows->push_back(BenchRow::AtMost(name("penetration, largest"), out.penetration, "m", scenario.penetration));
  rows->push_back(BenchRow::AtMost(name("numerical errors"), out.errors, fmt::format("of {}", out.steps), 0));
  rows->push_back(BenchRow::Measured(name("residual, largest"), Quantile(out.residuals, 1), ""));
  rows->push_back(BenchRow::Measured(name("contacts, most"), out.most_contacts, ""));
  rows->push_back(BenchRow::Measured(name("solver, median"), Quantile(out.cpu_seconds, 0.5), "ms/step")
                      .WithSpread(out.cpu_seconds));
  if (quick) return;
  // For comparison; where the scene has but one, that is what was measured.
  if (out.linearizations > 1 && seeds > 1) {
    RunOutcome plain;
    RunScene(scenario.name, {.set = scenario.set, .seed = 1, .linearizations = 1}, &plain);
    rows->push_back(BenchRow::Measured(name("penetration, one linearization"), plain.penetration, "m"));
  }
  RunOutcome without;
  std::vector<std::string> off = scenario.set;
  off.emplace_back("contacts.enabled=false");
  RunScene(scenario.name, {.set = off, .seed = 1}, &without);
  rows->push_back(BenchRow::AtMost(name("task done without contacts"), without.done, "of 1", 0));
}

void AddBudget(const Budgeted& task, Rows* rows) {
  const auto add = [&](const RunPlan& plan, const std::string& what, bool must) {
    RunOutcome out;
    RunScene(task.scene, plan, &out);
    const auto name = [&](const char* value) {
      return fmt::format("{}, {} {}: {}", task.scene, plan.solver, what, value);
    };
    rows->push_back(must ? BenchRow::AtLeast(name("task done"), out.done, "of 1", 1)
                         : BenchRow::Measured(name("task done"), out.done, "of 1"));
    rows->push_back(BenchRow::Measured(name("penetration, largest"), out.penetration, "m"));
    rows->push_back(BenchRow::Measured(name("jitter, median"), Quantile(out.jitter, 0.5), "|dv|/step"));
    rows->push_back(
        BenchRow::Measured(name("solver time, median"), Quantile(out.seconds, 0.5), "ms/step").WithSpread(out.seconds));
    rows->push_back(BenchRow::Measured(name("solver time, 99th"), Quantile(out.seconds, 0.99), "ms/step"));
    rows->push_back(BenchRow::Measured(name("processor time, 99th"), Quantile(out.cpu_seconds, 0.99), "ms/step"));
    rows->push_back(BenchRow::Measured(name("residual, median"), Quantile(out.residuals, 0.5), ""));
    rows->push_back(BenchRow::Measured(name("residual, 99th"), Quantile(out.residuals, 0.99), ""));
  };
  for (const char* solver : {"hybrid", "subadmm", "canal", "pgs"}) {
    const std::string limit = fmt::format("in {:g} ms", 1e3 * task.seconds);
    const std::string name = solver;
    add({.seed = 1, .solver = name, .time_budget = task.seconds}, limit, name == "hybrid" || name == "subadmm");
  }
  add({.seed = 1, .iterations = task.iterations}, fmt::format("in {} iterations", task.iterations), true);
}

// Each step on its own: the same problems for both solvers.
void AddSingleSteps(const char* scene, bool quick, Rows* rows) {
  const int trials = quick ? 4 : 100, stride = quick ? 25 : 1;
  for (const char* solver : {"hybrid", "canal"}) {
    RunOutcome out;
    for (int k = 0; k < trials; ++k) RunScene(scene, {.trial = k * stride, .solver = solver}, &out);
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
    rows->push_back(BenchRow::Measured(name("processor time, median"), Quantile(out.cpu_seconds, 0.5), "ms")
                        .WithSpread(out.cpu_seconds));
    rows->push_back(BenchRow::Measured(name("contacts, most"), out.most_contacts, ""));
  }
}

}  // namespace

std::vector<BenchRow> RunScenariosSuite(const BenchSettings& settings) {
  struct Part {
    std::string name;
    std::function<void(Rows*)> run;
  };
  const bool quick = settings.quick;
  std::vector<Part> parts;
  for (const char* scene : {"bolt-nut-step", "dish-step"}) {
    parts.push_back({scene, [=](Rows* rows) {
                       AddSingleSteps(scene, quick, rows);
                       AddTenfoldTime(scene, quick, rows);
                       AddStepCurves(scene, quick, rows);
                     }});
  }
  parts.push_back({"dish-step, ten loops", [=](Rows* rows) { AddLoopTable(quick, rows); }});
  if (!quick) {
    parts.push_back({"dish-sliding, convex", [&](Rows* rows) { AddConvexSliding(settings.traces, rows); }});
    for (const Budgeted& task : kBudgeted) {
      parts.push_back({fmt::format("{} under a budget", task.scene), [&](Rows* rows) { AddBudget(task, rows); }});
    }
  }
  for (const Scenario& scenario : Scenarios()) {
    if (quick && !scenario.quick) continue;
    parts.push_back({scenario.name, [&](Rows* rows) { AddTask(scenario, settings.trials, quick, rows); }});
  }
  parts.erase(std::remove_if(parts.begin(), parts.end(), [&](const Part& part) { return !settings.Wants(part.name); }),
              parts.end());
  Rows rows;
  int done = 0;
  Progress progress(static_cast<int>(parts.size()), Progress::Elsewhere::Lines);
  for (const Part& part : parts) {
    progress.Show(++done, part.name);
    part.run(&rows);
  }
  return rows;
}

}  // namespace tactus::cli
