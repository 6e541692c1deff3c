// tactus bench [SUITE]
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/bench_compare_command.h"
#include "apps/cli/bench_groups.h"
#include "apps/cli/bench_interrupt.h"
#include "apps/cli/bench_options.h"
#include "apps/cli/bench_results.h"
#include "apps/cli/bench_suite.h"
#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "apps/cli/output_paths.h"
#include "tactus/core/error.h"
#include "tactus/core/timer.h"

namespace tactus::cli {

namespace {

struct BenchOptions {
  std::vector<std::string> given;  // names of those that were
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

// What a run of one or several suites has come to so far.
struct BenchTally {
  Json list = Json::array();        // for --json
  std::vector<std::string> kept;    // files
  std::vector<std::string> missed;  // bars, a line each
  std::size_t bars = 0;
};

void CountBars(const BenchRun& run, bool group, BenchTally* tally) {
  for (const BenchRow& row : run.rows) {
    tally->bars += row.bar || !row.pass ? 1 : 0;
    if (row.pass) continue;
    const char* side = row.better == BenchRow::Better::Higher ? "at least" : "at most";
    const std::string bar = row.bar ? fmt::format(" ({} {:.4g})", side, *row.bar) : "";
    tally->missed.push_back(fmt::format("{}{}: {:.4g}{}{}{}", group ? run.suite + ": " : "", row.name, row.value,
                                        row.unit.empty() ? "" : " ", row.unit, bar));
  }
}

// The last word of every run: where there are hundreds of rows, one that fails is easily overlooked.
void PrintBars(const BenchTally& tally, std::FILE* out) {
  if (tally.missed.empty()) {
    fmt::print(out, "{}\n",
               tally.bars == 0   ? "no row has a bar"
               : tally.bars == 1 ? "the one bar met"
                                 : fmt::format("all {} bars met", tally.bars));
    return;
  }
  fmt::print(out, "{} of {} bars missed:\n", tally.missed.size(), tally.bars);
  for (const std::string& line : tally.missed) fmt::print(out, "  {}\n", line);
}

// Without those that several pieces of a suite ask for again.
std::vector<std::string> RemoveRepeats(const std::vector<std::string>& parts) {
  std::vector<std::string> out;
  for (const std::string& part : parts) {
    if (std::find(out.begin(), out.end(), part) == out.end()) out.push_back(part);
  }
  return out;
}

constexpr const char* kListParts = "?";

// No part has that in its name, so that the suite only asks for them.
int ListParts(const BenchSuite& suite, const BenchOptions& options) {
  BenchSettings settings = options.settings;
  std::vector<std::string> parts;
  settings.parts = &parts;
  (void)suite.run(settings);
  parts = RemoveRepeats(parts);
  if (options.json) {
    fmt::print("{}\n", Dump(Json(parts)));
  } else {
    fmt::print("{}\n", fmt::join(parts, "\n"));
  }
  return kAllSolved;
}

// Rows, and with what they were measured.
BenchRun Measure(const BenchSuite& suite, const BenchSettings& settings, BenchRun run) {
  BenchSettings observed = settings;
  std::vector<std::string> parts;
  BenchProblems problems;
  observed.traces = &run.traces;
  observed.parts = &parts;
  observed.problems = &problems;
  const Timer timer;
  run.rows = suite.run(observed);
  run.seconds = timer.seconds();
  run.how = DescribeBenchRun(suite.name, settings);
  KeepProblems(problems, &run);
  if (run.rows.empty()) {
    throw InputError("--only", "no part of the suite has '" + settings.only + "' in its name",
                     fmt::format("a piece of one of these\n  {}", fmt::join(RemoveRepeats(parts), "\n  ")));
  }
  return run;
}

std::string DescribeInterrupt(const std::string& suite, const BenchTally& tally) {
  return fmt::format(
      "tactus: interrupted: the rows of {} are lost; {}", suite,
      tally.kept.empty() ? "no suite was kept before" : fmt::format("kept: {}", fmt::join(tally.kept, ", ")));
}

// Measures, prints or adds to the tally, and keeps the rows.
void RunSuite(const BenchSuite& suite, const BenchSettings& settings, const BenchOptions& options, BenchTally* tally) {
  BenchRun run = MakeBenchRun(suite.name, settings);
  const InterruptNote note(DescribeInterrupt(MakeBenchRunName(run), *tally));
  run = Measure(suite, settings, std::move(run));
  CountBars(run, FindBenchGroup(options.suite) != nullptr, tally);
  if (options.json) {
    for (Json& row : MakeRows(run)) tally->list.push_back(std::move(row));
  } else {
    PrintRows(run.rows);
  }
  if (options.results.empty()) return;
  tally->kept.push_back(WriteBenchRun(run, options.results).string());
  if (!options.json) fmt::print("{:.0f} s; written to {}\n", run.seconds, tally->kept.back());
}

// How long a part will take: as it did when it was last run here, or roughly.
double EstimateSeconds(const BenchOptions& options, const std::string& suite, const BenchSettings& settings) {
  const double seconds = options.results.empty() ? 0 : FindEarlierSeconds(options.results, suite, settings);
  return seconds > 0 ? seconds : EstimateBenchSeconds(suite, settings);
}

// Before anything is measured, which may take hours.
void CheckResults(const BenchOptions& options, const BenchPart& part) {
  if (options.results.empty()) return;
  BenchSettings settings = options.settings;
  settings.only = part.only;
  CheckBenchFolder(MakeBenchRun(part.suite, settings), options.results);
}

void ShowEstimate(const BenchOptions& options, const std::string& suite) {
  fmt::print(stderr, "{}: about {:.0f} s{}\n", suite, EstimateSeconds(options, suite, options.settings),
             options.settings.only.empty() ? "" : " or less");
}

// One part after the other; says on stderr which, and about how long the rest will take.
void RunGroup(const BenchGroup& group, const BenchOptions& options, BenchTally* tally) {
  for (const BenchPart& part : group.parts) CheckResults(options, part);
  for (std::size_t k = 0; k < group.parts.size(); ++k) {
    double left = 0;
    for (std::size_t rest = k; rest < group.parts.size(); ++rest) {
      left += EstimateSeconds(options, group.parts[rest].suite, MakePartSettings(options.settings, group.parts[rest]));
    }
    const BenchPart& part = group.parts[k];
    const BenchSettings settings = MakePartSettings(options.settings, part);
    fmt::print(stderr, "[{}/{}] {} {}, about {:.0f} s left\n", k + 1, group.parts.size(), part.suite, part.only, left);
    if (!options.json) fmt::print("\n{} {}\n", part.suite, part.only);
    RunSuite(FindSuite(part.suite), settings, options, tally);
    std::fflush(stdout);
  }
}

int RunSuites(const BenchOptions& options) {
  const BenchGroup* group = FindBenchGroup(options.suite);
  BenchTally tally;
  CheckBenchOptions(options.given, BenchMode::Run, group == nullptr ? FindSuite(options.suite).name : options.suite);
  CheckOutput("--data", options.settings.data);
  if (group != nullptr) {
    RunGroup(*group, options, &tally);
  } else {
    const BenchSuite& suite = FindSuite(options.suite);
    if (options.settings.only == kListParts) return ListParts(suite, options);
    CheckResults(options, {suite.name, options.settings.only.c_str()});
    ShowEstimate(options, suite.name);
    RunSuite(suite, options.settings, options, &tally);
  }
  if (options.json) fmt::print("{}\n", Dump(tally.list));
  if (!options.json && group != nullptr) fmt::print("\n");
  PrintBars(tally, options.json ? stderr : stdout);
  return tally.missed.empty() ? kAllSolved : kNotSolved;
}

int RunBench(const BenchOptions& options) {
  if (!options.summarize.empty()) {
    CheckBenchOptions(options.given, BenchMode::Summarize, "");
    return RunSummarize(options);
  }
  if (!options.compare.empty()) {
    Require(options.suite.empty(), "--compare", "goes without a suite", "two files or folders of results");
    CheckBenchOptions(options.given, BenchMode::Compare, "");
    return CompareBenchResults(options.compare[0], options.compare[1], options.noise, options.json);
  }
  if (!options.suite.empty()) return RunSuites(options);
  CheckBenchOptions(options.given, BenchMode::List, "");
  return ListSuites(options.json);
}

}  // namespace

CommandRun AddBenchCommand(CLI::App* app) {
  const auto options = std::make_shared<BenchOptions>();
  app->add_option("suite", options->suite,
                  "name of the suite, or of several (papers, scaling, all); without it, lists them")
      ->type_name("SUITE");
  app->add_flag("--quick", options->settings.quick, "fewer cases");
  app->add_option("--only", options->settings.only,
                  "solvers, micro, subadmm, cond, inverse, inverse-soft, scenarios, deformables, peers: parts whose "
                  "name contains TEXT (scenes; splittings, growth, trunk lcp, ...); '?' lists them")
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
         "scenarios, deformables: seeds of each scene; 0: 5 and 20, with --quick and as parts of papers and all 1")
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
  return [options, app] {
    for (const CLI::Option* option : app->get_options()) {
      if (option->count() > 0) options->given.push_back(option->get_name());
    }
    return RunBench(*options);
  };
}

}  // namespace tactus::cli
