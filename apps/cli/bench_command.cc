// tactus bench [SUITE]
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/bench_suite.h"
#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "tactus/core/error.h"

namespace tactus::cli {

const std::vector<BenchSuite>& BenchSuites() {
  static const std::vector<BenchSuite> table = {
      {"solvers", "generated problems: how many are solved, how fast, against simpler methods", RunSolversSuite},
      {"dynamics", "rigid-body dynamics: identities on random trees and robots, times of the algorithms",
       RunDynamicsSuite},
      {"simulation", "scenes in time: known physics, momentum, reproducibility, large piles, times of the stages",
       RunSimulationSuite},
      {"scenarios", "tasks of the papers: done or not, penetration, solvers under a budget, steps in dense contact",
       RunScenariosSuite},
      {"subadmm", "SubADMM: answers, splittings, baselines, growth with size, threads; what auto makes of it",
       RunSubadmmSuite},
      {"cond", "COND on soft mats and scenes: acceleration, stiffness, time beside other solvers, growth",
       RunCondSuite},
      {"baselines", "deformables in pieces beside other solvers (paper 002), penalty forces and XPBD (paper 001)",
       RunBaselinesSuite},
      {"inverse", "inverse dynamics: projections, global optima of small problems, times, other methods",
       RunInverseSuite},
      {"inverse-soft", "the part of inverse that is about soft robots: every method on the same problems",
       RunSoftInverseSuite},
      {"deformables", "the papers' deformable scenes over 20 seeds: done or not, penetration, errors, times",
       RunDeformablesSuite},
  };
  return table;
}

namespace {

struct BenchOptions {
  std::string suite;
  BenchSettings settings;
  bool json = false;
};

const BenchSuite& FindSuite(const std::string& name) {
  std::string names;
  for (const BenchSuite& suite : BenchSuites()) {
    if (name == suite.name) return suite;
    names += (names.empty() ? "" : ", ") + std::string(suite.name);
  }
  throw InputError("suite", "'" + name + "' is not known", "one of " + names);
}

void PrintRows(const std::vector<BenchRow>& rows) {
  std::size_t width = 4;
  for (const BenchRow& row : rows) width = std::max(width, row.name.size());
  fmt::print("{:<{}}  {:>12}  {:<10}  {:>12}  {}\n", "name", width, "value", "unit", "bar", "result");
  for (const BenchRow& row : rows) {
    fmt::print("{:<{}}  {:>12.4g}  {:<10}  {:>12}  {}\n", row.name, width, row.value, row.unit,
               row.bar ? fmt::format("{:.4g}", *row.bar) : "-",
               !row.pass ? "FAIL"
               : row.bar ? "pass"
                         : "-");
  }
}

int ListSuites(bool json) {
  Json list = Json::array();
  for (const BenchSuite& suite : BenchSuites()) {
    list.push_back({{"name", suite.name}, {"what", suite.what}});
    if (!json) fmt::print("{:<12} {}\n", suite.name, suite.what);
  }
  if (json) fmt::print("{}\n", Dump(list));
  return kAllSolved;
}

int RunBench(const BenchOptions& options) {
  if (options.suite.empty()) return ListSuites(options.json);
  const std::vector<BenchRow> rows = FindSuite(options.suite).run(options.settings);
  if (options.json) {
    Json list = Json::array();
    for (const BenchRow& row : rows) {
      list.push_back({{"name", row.name},
                      {"value", Number(row.value)},
                      {"unit", row.unit},
                      {"bar", row.bar ? Number(*row.bar) : Json(nullptr)},
                      {"pass", row.pass}});
    }
    fmt::print("{}\n", Dump(list));
  } else {
    PrintRows(rows);
  }
  const bool all = std::all_of(rows.begin(), rows.end(), [](const BenchRow& row) { return row.pass; });
  return all ? kAllSolved : kNotSolved;
}

}  // namespace

CommandRun AddBenchCommand(CLI::App* app) {
  const auto options = std::make_shared<BenchOptions>();
  app->add_option("suite", options->suite, "name of the suite; without it, lists the suites")->type_name("SUITE");
  app->add_flag("--quick", options->settings.quick, "fewer cases");
  app->add_option("--soft-problems", options->settings.soft_problems,
                  "inverse, inverse-soft: problems of each soft robot; 0: 150, or 3 with --quick")
      ->check(CLI::Range(0, 100000));
  app->add_option("--data", options->settings.data,
                  "inverse, inverse-soft: write what each method did on each problem of soft robots")
      ->type_name("OUT.csv");
  app->add_flag("--json", options->json, "print a JSON array");
  return [options] { return RunBench(*options); };
}

}  // namespace tactus::cli
