// tactus solve FILE...
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "apps/cli/output_paths.h"
#include "apps/cli/statistics.h"
#include "apps/cli/terminal.h"
#include "tactus/contact/problem_file.h"
#include "tactus/core/error.h"
#include "tactus/solvers/registry.h"

namespace tactus::cli {

namespace {

struct SolveOptions {
  std::vector<std::string> files;
  std::string solver;
  double tolerance = SolveSettings().tolerance;
  int max_iterations = 0, threads = 1;
  double budget_ms = 0;
  std::string warm_file, solution_file;
  int repeat = 1;
  bool json = false;
  bool history = false;
};

// What became of one file.
struct Outcome {
  std::string file;
  std::string error;  // if not empty, nothing else is valid
  int contacts = 0;
  std::optional<int> dofs;
  SolveReport report;
  double median_time = 0, median_cpu_time = 0;  // [s]
  int open = 0, stick = 0, slip = 0;
};

void CountModes(const ContactSolution& solution, Outcome* out) {
  for (const ContactMode mode : solution.modes) {
    ++(mode == ContactMode::Open ? out->open : mode == ContactMode::Stick ? out->stick : out->slip);
  }
}

// Of files that options name. Unlike bad problem files, which are reported in the table, these end the command.
class OptionError : public InputError {
 public:
  OptionError(const std::string& option, const std::exception& error) : InputError(option + " " + error.what()) {}
};

void SolveFile(const SolveOptions& options, ContactSolver* solver, Outcome* out) {
  const ProblemFile input = ReadProblemFile(out->file);
  const ContactProblem& problem = input.problem;
  out->contacts = problem.num_contacts();
  if (problem.has_dynamics()) out->dofs = problem.num_dofs();
  SolveSettings settings;
  settings.tolerance = options.tolerance;
  settings.max_iterations = options.max_iterations;
  settings.threads = options.threads;
  settings.time_budget = 1e-3 * options.budget_ms;
  settings.accept_natural = input.foreign();
  settings.record_history = options.history;
  settings.cancel = &InterruptGuard::cancelled();
  WarmStart warm;
  if (!options.warm_file.empty()) {
    try {
      warm.impulse = ReadSolutionFile(options.warm_file, input);
    } catch (const std::exception& e) {
      throw OptionError("--warm", e);
    }
  }

  ContactSolution solution;
  std::vector<double> times, cpu_times;
  for (int k = 0; k < options.repeat; ++k) {
    if (k > 0 && InterruptGuard::cancelled()) break;
    out->report = solver->Solve(problem, settings, warm, &solution);
    times.push_back(out->report.time);
    cpu_times.push_back(out->report.cpu_time);
  }
  out->median_time = Median(times);
  out->median_cpu_time = Median(cpu_times);
  CountModes(solution, out);
  if (!options.solution_file.empty()) {
    try {
      WriteSolutionFile(options.solution_file, input, solution.impulse, solution.sigma, solution.velocity);
    } catch (const std::exception& e) {
      throw OptionError("--solution", e);
    }
  }
}

Json MakeOutcomeJson(const Outcome& o, bool with_history) {
  Json json;
  json["file"] = o.file;
  if (!o.error.empty()) {
    json["error"] = o.error;
    return json;
  }
  const NcpResidual& r = o.report.residual;
  json["contacts"] = o.contacts;
  json["dofs"] = o.dofs ? Json(*o.dofs) : Json(nullptr);
  json["solver"] = o.report.solver;
  json["status"] = ToString(o.report.status);
  if (!o.report.message.empty()) json["message"] = o.report.message;
  if (o.report.choice[0] != '\0') json["choice"] = o.report.choice;
  json["iterations"] = o.report.iterations;
  json["newton_steps"] = o.report.newton_steps;
  json["natural"] = Number(r.natural);
  json["natural_rho"] = Number(r.natural_rho);
  json["natural_rho_mean"] = Number(r.natural_rho_mean);
  json["paper"] = Number(r.paper);
  json["penetration"] = Number(r.penetration);
  json["cone_violation"] = Number(r.cone_violation);
  json["time_ms"] = Number(1e3 * o.median_time);
  json["cpu_ms"] = Number(1e3 * o.median_cpu_time);
  json["modes"] = {{"open", o.open}, {"stick", o.stick}, {"slip", o.slip}};
  if (with_history) json["history"] = MakeHistoryJson(o.report);
  return json;
}

constexpr const char* kHeader =
    "contacts   dofs  status          iterations  newton  natural_rho    natural  penetration   time [ms]  file";

void PrintOutcome(const Outcome& o) {
  if (!o.error.empty()) {
    fmt::print("{:>8} {:>6}  {:<14}  {:>10}  {:>6}  {:>11}  {:>9}  {:>11}  {:>10}  {}\n", "-", "-", "error", "-", "-",
               "-", "-", "-", "-", o.file);
    return;
  }
  const NcpResidual& r = o.report.residual;
  fmt::print("{:>8} {:>6}  {:<14}  {:>10}  {:>6}  {:>11.2e}  {:>9.2e}  {:>11.2e}  {:>10.3f}  {}\n", o.contacts,
             o.dofs ? std::to_string(*o.dofs) : "-", ToString(o.report.status), o.report.iterations,
             o.report.newton_steps, r.natural_rho, r.natural, r.penetration, 1e3 * o.median_time, o.file);
  if (!o.report.message.empty()) fmt::print("         {}\n", o.report.message);
  if (o.report.choice[0] != '\0') fmt::print("         took {}\n", o.report.choice);
  for (const HistoryEntry& h : o.report.history) {
    fmt::print("         iteration {:>6}  newton {:>6}  {:>10.3f} ms  natural_rho {:.2e}  paper {:.2e}\n", h.iteration,
               h.newton_steps, 1e3 * h.time, h.natural_rho, h.paper);
  }
}

int ReportAll(const SolveOptions& options, const std::vector<Outcome>& outcomes, const std::string& solver) {
  int solved = 0, bad = 0;
  double time = 0;
  for (const Outcome& o : outcomes) {
    bad += !o.error.empty();
    solved += o.error.empty() && o.report.solved();
    time += o.median_time;
  }
  const int missing = static_cast<int>(options.files.size() - outcomes.size());  // left out after Ctrl-C
  if (options.json) {
    Json json = Json::array();
    for (const Outcome& o : outcomes) json.push_back(MakeOutcomeJson(o, options.history));
    for (std::size_t k = outcomes.size(); k < options.files.size(); ++k) {
      json.push_back({{"file", options.files[k]}, {"status", ToString(SolveStatus::Cancelled)}});
    }
    fmt::print("{}\n", Dump(json));
  } else {
    fmt::print("{}: {} of {} solved to {:g}{}{}, {:.3f} ms in all\n", solver, solved, options.files.size(),
               options.tolerance, bad > 0 ? fmt::format(", {} not read", bad) : "",
               missing > 0 ? fmt::format(", {} cancelled", missing) : "", 1e3 * time);
    if (!options.solution_file.empty() && bad == 0 && missing == 0) fmt::print("wrote {}\n", options.solution_file);
  }
  if (bad > 0) return kBadInput;
  return solved == static_cast<int>(options.files.size()) ? kAllSolved : kNotSolved;
}

void CheckOptions(const SolveOptions& options) {
  const std::string count = std::to_string(options.files.size()) + " files were given";
  Require(options.solution_file.empty() || options.files.size() == 1, "--solution", count, "one file");
  Require(options.warm_file.empty() || options.files.size() == 1, "--warm", count, "one file");
  // A warm start has been read when its file is replaced.
  CheckDistinct({{"the problem", options.files.front(), true}, {"--solution", options.solution_file}});
  CheckOutput("--solution", options.solution_file);
  Require(options.repeat >= 1, "--repeat", "is " + std::to_string(options.repeat), "a number >= 1");
  SolveSettings settings;
  settings.tolerance = options.tolerance;
  settings.max_iterations = options.max_iterations;
  settings.threads = options.threads;
  Require(options.budget_ms >= 0 && std::isfinite(options.budget_ms), "--budget-ms",
          fmt::format("is {}", options.budget_ms), "milliseconds from 0 on, not infinite (0: none)");
  settings.time_budget = 1e-3 * options.budget_ms;
  settings.Validate();
}

int RunSolve(const SolveOptions& options) {
  CheckOptions(options);
  Require(!Solvers().empty(), "solver", "none is built in", "a library with solvers");
  const std::unique_ptr<ContactSolver> solver =
      MakeSolver(options.solver.empty() ? Solvers().front().name : options.solver);
  InterruptGuard guard;
  Progress progress(static_cast<int>(options.files.size()));
  std::vector<Outcome> outcomes;
  for (const std::string& file : options.files) {
    if (InterruptGuard::cancelled()) break;
    progress.Show(static_cast<int>(outcomes.size()) + 1, file);
    Outcome outcome;
    outcome.file = file;
    try {
      SolveFile(options, solver.get(), &outcome);
    } catch (const OptionError&) {
      throw;
    } catch (const std::exception& e) {
      outcome.error = e.what();
    }
    progress.Clear();
    if (!outcome.error.empty()) fmt::print(stderr, "tactus: {}\n", outcome.error);
    if (!options.json && outcomes.empty()) fmt::print("{}\n", kHeader);
    if (!options.json) PrintOutcome(outcome);
    std::fflush(stdout);
    outcomes.push_back(std::move(outcome));
  }
  return ReportAll(options, outcomes, solver->name());
}

}  // namespace

CommandRun AddSolveCommand(CLI::App* app) {
  const auto options = std::make_shared<SolveOptions>();
  app->add_option("files", options->files, "problem files (tactus or FCLib, HDF5)")->required()->type_name("FILE");
  app->add_option("--solver", options->solver,
                  "name of the solver (see 'tactus solvers'), the first of them by default")
      ->type_name("NAME");
  app->add_option("--tol,--tolerance", options->tolerance, "tolerance on the scale-free residual natural_rho")
      ->capture_default_str();
  app->add_option("--max-iterations", options->max_iterations, "outer iterations, 0: the solver's own default");
  app->add_option("--budget-ms", options->budget_ms,
                  "time budget of a solve [ms], looked at between iterations; 0: none");
  app->add_option("--threads", options->threads, "at most, for solvers that use several; results do not depend on it")
      ->capture_default_str();
  app->add_option("--warm", options->warm_file, "start from a solution written by --solution (one problem file only)")
      ->type_name("FILE");
  app->add_option("--repeat", options->repeat, "solve so many times from the same start and report the median time")
      ->capture_default_str();
  app->add_flag("--json", options->json, "print a JSON array");
  app->add_option("--solution", options->solution_file, "write impulses and velocities (one problem file only)")
      ->type_name("OUT.h5");
  app->add_flag("--history", options->history, "report every outer iteration");
  return [options] { return RunSolve(*options); };
}

}  // namespace tactus::cli
