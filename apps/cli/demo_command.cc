// tactus demo --out DIR
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "apps/cli/option_rules.h"
#include "apps/cli/svg_plot.h"
#include "apps/cli/terminal.h"
#include "tactus/contact/problem_file.h"
#include "tactus/core/output_file.h"
#include "tactus/generate/generator.h"
#include "tactus/solvers/registry.h"

namespace tactus::cli {

namespace {

namespace fs = std::filesystem;

struct DemoOptions {
  std::string out;
  std::uint64_t seed = 1;
  double budget_ms = 1000;
};

void WriteText(const fs::path& path, const std::string& text) {
  OutputFile file(path.string());
  file.Write(text);
  file.Commit();
}

// One solver's answer to one problem.
struct Run {
  std::string solver;
  SolveReport report;
  ContactSolution solution;
};

std::vector<Run> SolveWithAll(const std::string& kind, const ContactProblem& problem, const DemoOptions& options,
                              Progress* progress) {
  std::vector<Run> runs;
  for (const SolverEntry& entry : Solvers()) {
    if (InterruptGuard::cancelled()) break;
    progress->Show(static_cast<int>(runs.size()) + 1, fmt::format("{} with {}", kind, entry.name));
    SolveSettings settings;
    settings.time_budget = 1e-3 * options.budget_ms;
    settings.record_history = true;
    settings.cancel = &InterruptGuard::cancelled();
    Run run;
    run.solver = entry.name;
    run.report = entry.make()->Solve(problem, settings, WarmStart(), &run.solution);
    runs.push_back(std::move(run));
  }
  progress->Clear();
  return runs;
}

void PrintRuns(const std::string& kind, const ContactProblem& problem, const std::vector<Run>& runs) {
  fmt::print("{}: {} contacts, {} dofs\n", kind, problem.num_contacts(), problem.num_dofs());
  fmt::print("  {:<14} {:<14} {:>10} {:>8} {:>12} {:>12}\n", "solver", "status", "iterations", "newton", "natural_rho",
             "time [ms]");
  for (const Run& run : runs) {
    fmt::print("  {:<14} {:<14} {:>10} {:>8} {:>12.2e} {:>12.3f}\n", run.solver, ToString(run.report.status),
               run.report.iterations, run.report.newton_steps, run.report.residual.natural_rho, 1e3 * run.report.time);
  }
  fmt::print("\n");
}

Json MakeRunsJson(const std::string& kind, const ContactProblem& problem, const std::vector<Run>& runs) {
  Json json;
  json["problem"] = kind;
  json["provenance"] = problem.provenance;
  json["contacts"] = problem.num_contacts();
  json["dofs"] = problem.num_dofs();
  json["runs"] = Json::array();
  for (const Run& run : runs) {
    json["runs"].push_back({{"solver", run.solver},
                            {"status", ToString(run.report.status)},
                            {"iterations", run.report.iterations},
                            {"newton_steps", run.report.newton_steps},
                            {"natural_rho", Number(run.report.residual.natural_rho)},
                            {"time_ms", Number(1e3 * run.report.time)},
                            {"history", MakeHistoryJson(run.report)}});
  }
  return json;
}

void WritePlots(const fs::path& dir, const std::string& kind, const std::vector<Run>& runs,
                std::vector<fs::path>* written) {
  std::vector<PlotSeries> over_time, over_iterations;
  for (const Run& run : runs) {
    PlotSeries time{run.solver, {}}, iterations{run.solver, {}};
    for (const HistoryEntry& h : run.report.history) {
      time.points.emplace_back(1e3 * h.time, h.natural_rho);
      iterations.points.emplace_back(h.iteration, h.natural_rho);
    }
    // The returned iterate, which a solver may have found after the last one it recorded.
    const int recorded = run.report.history.empty() ? 0 : run.report.history.back().iteration;
    time.points.emplace_back(1e3 * run.report.time, run.report.residual.natural_rho);
    iterations.points.emplace_back(std::max(recorded, run.report.iterations), run.report.residual.natural_rho);
    over_time.push_back(std::move(time));
    over_iterations.push_back(std::move(iterations));
  }
  written->push_back(dir / (kind + "_over_time.svg"));
  WriteText(written->back(), MakeSvgPlot({kind + ": residual over time", "time [ms]", "natural_rho"}, over_time));
  written->push_back(dir / (kind + "_over_iterations.svg"));
  WriteText(written->back(),
            MakeSvgPlot({kind + ": residual over iterations", "outer iterations", "natural_rho"}, over_iterations));
}

int RunDemo(const DemoOptions& options) {
  Require(!Solvers().empty(), "solver", "none is built in", "a library with solvers");
  const fs::path dir(options.out);
  std::error_code error;
  fs::create_directories(dir, error);
  Require(fs::is_directory(dir), options.out, "cannot be made: " + error.message(),
          "a folder, or a name for a new one");

  InterruptGuard guard;
  Progress progress(static_cast<int>(Solvers().size()));
  Json json = Json::array();
  std::vector<fs::path> written;
  bool solved = true;
  for (const std::string kind : {"bolt", "dishes"}) {
    const ContactProblem problem = Generate(kind, {}, options.seed);
    written.push_back(dir / (kind + ".h5"));
    WriteProblemFile(written.back().string(), problem);
    const std::vector<Run> runs = SolveWithAll(kind, problem, options, &progress);
    PrintRuns(kind, problem, runs);
    // The first solver is the default one, which should succeed; simpler methods may run out of time.
    solved = solved && !runs.empty() && runs.front().report.solved();
    if (!runs.empty()) {
      ProblemFile input;
      input.problem = problem;
      input.path = written.back().string();
      written.push_back(dir / (kind + "_solution.h5"));
      const ContactSolution& best = runs.front().solution;
      WriteSolutionFile(written.back().string(), input, best.impulse, best.sigma, best.velocity);
    }
    WritePlots(dir, kind, runs, &written);
    json.push_back(MakeRunsJson(kind, problem, runs));
  }
  written.push_back(dir / "demo.json");
  WriteText(written.back(), Dump(json) + "\n");
  for (const fs::path& path : written) fmt::print("wrote {}\n", path.string());
  return solved ? kAllSolved : kNotSolved;
}

}  // namespace

CommandRun AddDemoCommand(CLI::App* app) {
  const auto options = std::make_shared<DemoOptions>();
  app->add_option("--out", options->out, "folder for problems, plots (SVG) and data (JSON), made if it is not there")
      ->required()
      ->type_name("DIR");
  app->add_option("--seed", options->seed, "seed of the problems")->capture_default_str()->check(SeedRule());
  app->add_option("--budget-ms", options->budget_ms, "time budget of each solve [ms]")->capture_default_str();
  return [options] { return RunDemo(*options); };
}

}  // namespace tactus::cli
