// tactus bench [SUITE]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/bench_compare.h"
#include "apps/cli/bench_groups.h"
#include "apps/cli/bench_results.h"
#include "apps/cli/bench_suite.h"
#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "tactus/core/error.h"
#include "tactus/core/timer.h"

namespace tactus::cli {

namespace {

struct BenchOptions {
  std::string suite;
  BenchSettings settings;
  std::string results = "results";
  std::vector<std::string> compare;
  std::string summarize, history = "bench/results";
  double noise = 0.25;
  bool json = false;
};

const BenchSuite& FindSuite(const std::string& name) {
  std::string names;
  for (const BenchSuite& suite : BenchSuites()) {
    if (name == suite.name) return suite;
    names += (names.empty() ? "" : ", ") + std::string(suite.name);
  }
  for (const BenchGroup& group : BenchGroups()) names += ", " + std::string(group.name);
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
  for (const BenchGroup& group : BenchGroups()) {
    list.push_back({{"name", group.name}, {"what", group.what}});
    if (!json) fmt::print("{:<12} {}\n", group.name, group.what);
  }
  if (json) fmt::print("{}\n", Dump(list));
  return kAllSolved;
}

// By name. A file with one run is compared whatever it is called: quick with whole, part with all.
std::map<std::string, BenchRun> ReadNamed(const std::filesystem::path& path, bool alone) {
  std::map<std::string, BenchRun> out;
  for (BenchRun& run : ReadBenchRuns(path)) out[alone ? "" : MakeBenchRunName(run)] = std::move(run);
  return out;
}

bool HasOneRun(const std::filesystem::path& path) {
  return !std::filesystem::is_directory(path) && ReadBenchRuns(path).size() == 1;
}

int RunCompare(const BenchOptions& options) {
  Require(options.suite.empty(), "--compare", "goes without a suite", "two files or folders of results");
  Require(std::isfinite(options.noise) && options.noise >= 0, "--noise", fmt::format("is {}", options.noise),
          "a number >= 0");
  const bool alone = HasOneRun(options.compare[0]) && HasOneRun(options.compare[1]);
  const auto before = ReadNamed(options.compare[0], alone), after = ReadNamed(options.compare[1], alone);
  Json list = Json::array();
  int bad = 0, compared = 0;
  for (const auto& [name, run] : after) {
    const auto old = before.find(name);
    if (old == before.end()) continue;
    ++compared;
    const bool elsewhere = old->second.processor != run.processor;
    if (!options.json) {
      fmt::print("{}: {} ({}) -> {} ({}){}\n", run.suite, old->second.commit, old->second.date, run.commit, run.date,
                 elsewhere ? ", on another machine" : "");
    }
    for (const BenchChange& change : CompareBenchRuns(old->second, run, options.noise)) {
      bad += change.bad() ? 1 : 0;
      list.push_back({{"suite", run.suite},
                      {"name", change.name},
                      {"change", ToString(change.kind)},
                      {"bad", change.bad()},
                      {"before", Number(change.before)},
                      {"after", Number(change.after)},
                      {"unit", change.unit}});
      if (options.json) continue;
      fmt::print("  {:<10}  {:>10.4g} -> {:<10.4g} {:<4}  {}\n", ToString(change.kind), change.before, change.after,
                 change.unit, change.name);
    }
  }
  if (compared == 0) throw InputError("--compare", "no result is in both", "results of the same suites");
  if (options.json) {
    fmt::print("{}\n", Dump(list));
  } else {
    fmt::print("{} of {} changes beyond {:g} % are for the worse\n", bad, list.size(), 100 * options.noise);
  }
  return bad == 0 ? kAllSolved : kNotSolved;
}

int RunSummarize(const BenchOptions& options) {
  Require(options.suite.empty() && options.compare.empty(), "--summarize", "goes without a suite and without --compare",
          "a folder of results");
  const std::vector<BenchRun> runs = ReadBenchRuns(options.summarize);
  const std::filesystem::path path = WriteBenchSummary(runs, options.history);
  std::size_t rows = 0;
  for (const BenchRun& run : runs) rows += run.rows.size();
  if (options.json) {
    fmt::print("{}\n", Dump({{"file", path.string()}, {"runs", runs.size()}, {"rows", rows}}));
  } else {
    fmt::print("{} runs, {} rows; written to {}\n", runs.size(), rows, path.string());
  }
  return kAllSolved;
}

Json MakeRows(const BenchRun& run) {
  Json list = Json::array();
  for (const BenchRow& row : run.rows) {
    list.push_back({{"suite", run.suite},
                    {"name", row.name},
                    {"value", Number(row.value)},
                    {"unit", row.unit},
                    {"bar", row.bar ? Number(*row.bar) : Json(nullptr)},
                    {"pass", row.pass},
                    {"spread", row.spread ? Number(*row.spread) : Json(nullptr)}});
  }
  return list;
}

// Measures, prints or adds to `list`, and keeps the rows. True if every bar was passed.
bool RunSuite(const BenchSuite& suite, const BenchSettings& settings, const BenchOptions& options, Json* list) {
  const std::string name = suite.name;
  const bool whole =
      name == "dynamics" || name == "simulation" || name == "scenarios" || name == "baselines" || name == "fclib";
  Require(settings.only.empty() || !whole, "--only", "suite " + name + " has no parts", "none");
  BenchRun run = MakeBenchRun(name, settings);
  const Timer timer;
  BenchSettings with_traces = settings;
  with_traces.traces = &run.traces;
  std::vector<std::string> parts;
  with_traces.parts = &parts;
  run.rows = suite.run(with_traces);
  run.seconds = timer.seconds();
  run.how = DescribeBenchRun(suite.name, settings);
  if (run.rows.empty()) {
    throw InputError("--only", "no part of the suite has '" + settings.only + "' in its name",
                     fmt::format("a piece of one of: {}", fmt::join(parts, ", ")));
  }
  if (options.json) {
    for (Json& row : MakeRows(run)) list->push_back(std::move(row));
  } else {
    PrintRows(run.rows);
  }
  if (!options.results.empty()) {
    const std::filesystem::path path = WriteBenchRun(run, options.results);
    if (!options.json) fmt::print("{:.0f} s; written to {}\n", run.seconds, path.string());
  }
  return std::all_of(run.rows.begin(), run.rows.end(), [](const BenchRow& row) { return row.pass; });
}

// How long a part will take: as it did when it was last run here, or roughly.
double EstimateSeconds(const BenchOptions& options, const std::string& suite, const BenchSettings& settings) {
  const double seconds = options.results.empty() ? 0 : FindEarlierSeconds(options.results, suite, settings);
  return seconds > 0 ? seconds : EstimateBenchSeconds(suite, settings);
}

void ShowEstimate(const BenchOptions& options, const std::string& suite) {
  fmt::print(stderr, "{}: about {:.0f} s\n", suite, EstimateSeconds(options, suite, options.settings));
}

// One part after the other; says on stderr which, and about how long the rest will take.
bool RunGroup(const BenchGroup& group, const BenchOptions& options, Json* list) {
  Require(options.settings.only.empty(), "--only", "goes with a suite, not with " + std::string(group.name), "a suite");
  bool all = true;
  for (std::size_t k = 0; k < group.parts.size(); ++k) {
    BenchSettings settings = options.settings;
    if (settings.trials == 0 && !settings.quick) settings.trials = kGroupTrials;
    double left = 0;
    for (std::size_t rest = k; rest < group.parts.size(); ++rest) {
      settings.only = group.parts[rest].only;
      left += EstimateSeconds(options, group.parts[rest].suite, settings);
    }
    const BenchPart& part = group.parts[k];
    settings.only = part.only;
    fmt::print(stderr, "[{}/{}] {} {}, about {:.0f} s left\n", k + 1, group.parts.size(), part.suite, part.only, left);
    if (!options.json) fmt::print("\n{} {}\n", part.suite, part.only);
    all = RunSuite(FindSuite(part.suite), settings, options, list) && all;
    std::fflush(stdout);
  }
  return all;
}

int RunBench(const BenchOptions& options) {
  if (!options.summarize.empty()) return RunSummarize(options);
  if (!options.compare.empty()) return RunCompare(options);
  if (options.suite.empty()) return ListSuites(options.json);
  Json list = Json::array();
  const BenchGroup* group = FindBenchGroup(options.suite);
  if (group == nullptr) ShowEstimate(options, FindSuite(options.suite).name);
  const bool all = group != nullptr ? RunGroup(*group, options, &list)
                                    : RunSuite(FindSuite(options.suite), options.settings, options, &list);
  if (options.json) fmt::print("{}\n", Dump(list));
  return all ? kAllSolved : kNotSolved;
}

}  // namespace

CommandRun AddBenchCommand(CLI::App* app) {
  const auto options = std::make_shared<BenchOptions>();
  app->add_option("suite", options->suite,
                  "name of the suite, or of several (papers, scaling, all); without it, lists them")
      ->type_name("SUITE");
  app->add_flag("--quick", options->settings.quick, "fewer cases");
  app->add_option(
         "--only", options->settings.only,
         "of 'solvers', 'micro', 'subadmm', 'cond', 'inverse', 'deformables' and 'peers', parts whose name contains "
         "TEXT (scenes; splittings, growth, trunk lcp, ...)")
      ->type_name("TEXT");
  app->add_option("--results", options->results,
                  "folder to keep the rows in, as DIR/<day>/<suite>.json with machine and commit; '': nowhere")
      ->type_name("DIR")
      ->capture_default_str();
  app->add_option("--compare", options->compare,
                  "what is slower or worse in B than in A: files or folders of results, or summaries of them")
      ->type_name("A B")
      ->expected(2);
  app->add_option(
         "--summarize", options->summarize,
         "write the newest result of each suite below DIR in short, to keep: HISTORY/<machine>/<day>-<commit>.json")
      ->type_name("DIR");
  app->add_option("--history", options->history, "with --summarize: folder of the summaries of all machines")
      ->type_name("HISTORY")
      ->capture_default_str();
  app->add_option("--noise", options->noise, "with --compare: relative change that counts as none")
      ->capture_default_str();
  app->add_option(
         "--trials", options->settings.trials,
         "scenarios, deformables: seeds of each scene; 0: 5 and 20, with --quick 1, as parts of papers and all 2")
      ->check(CLI::Range(0, 100000));
  app->add_option("--soft-problems", options->settings.soft_problems,
                  "inverse, inverse-soft: problems of each soft robot; 0: 150, or 2 with --quick")
      ->check(CLI::Range(0, 100000));
  app->add_option("--compared", options->settings.compared,
                  "inverse, inverse-soft: of these, how many every method gets, if there are so many; 0: 20")
      ->check(CLI::Range(0, 100000));
  app->add_option("--soft-seed", options->settings.soft_seed, "inverse, inverse-soft: seed of these problems")
      ->capture_default_str();
  app->add_option(
         "--data", options->settings.data,
         "inverse, inverse-soft: write what each method did on each problem of soft robots, and a picture of it "
         "beside it (OUT.svg)")
      ->type_name("OUT.csv");
  app->add_option("--folder", options->settings.folder,
                  "fclib: a folder of FCLib files; without it $TACTUS_SHARED/fclib, by default ../shared/fclib, or "
                  "generated problems")
      ->type_name("DIR");
  app->add_option("--peers-python", options->settings.peers_python,
                  "peers: the Python that has the other engines' packages (scripts/install-peers.sh makes one)")
      ->type_name("FILE");
  app->add_flag("--json", options->json, "print a JSON array");
  return [options] { return RunBench(*options); };
}

}  // namespace tactus::cli
