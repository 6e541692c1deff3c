// tactus invert FILE...
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/command.h"
#include "apps/cli/inverse/inverse_methods.h"
#include "apps/cli/inverse/soft_problems.h"
#include "apps/cli/json_output.h"
#include "apps/cli/output_paths.h"
#include "apps/cli/statistics.h"
#include "apps/cli/terminal.h"
#include "tactus/core/error.h"
#include "tactus/inverse/qpcc_file.h"
#include "tactus/inverse/random_qpcc.h"

namespace tactus::cli {

namespace {

struct InvertOptions {
  std::vector<std::string> files;
  std::string kind, method = "alm", schedule = "admm", slide = "exact", warm_file, solution_file, generate_file, scene;
  std::vector<std::string> set;
  SoftSampleSettings sample;
  double tolerance = QpccSettings().tolerance, gap_tolerance = QpccSettings().gap_tolerance, budget_ms = 0;
  int repeat = 1, contacts = 4, actuators = 12;
  std::uint64_t seed = 0;
  bool json = false, real_time = false, list = false;
};

struct Outcome {
  std::string file, error;  // if there is an error nothing else is valid
  QpccKind kind = QpccKind::Ncp;
  int contacts = 0, actuators = 0, tasks = 0;
  InverseAnswer answer;
  double median_time = 0, median_cpu_time = 0;  // [s]
};

QpccSettings MakeSettings(const InvertOptions& options) {
  QpccSettings settings = options.real_time ? QpccSettings::RealTime() : QpccSettings();
  settings.tolerance = options.tolerance;
  settings.gap_tolerance = options.gap_tolerance;
  settings.time_budget = 1e-3 * options.budget_ms;
  settings.schedule = options.schedule == "bcl" ? QpccSchedule::Bcl : QpccSchedule::Admm;
  settings.slide = options.slide == "alternating" ? SlideProjection::Alternating : SlideProjection::Exact;
  settings.Validate();
  return settings;
}

// The problem as asked for: "lcp" drops friction, and what a file says stands otherwise.
QpccProblem ReadProblem(const InvertOptions& options, const std::string& file) {
  QpccProblem problem = ReadQpccFile(file);
  if (options.kind.empty() || options.kind == ToString(problem.kind)) return problem;
  if (options.kind == "lcp") return MakeFrictionless(problem);
  throw InputError("--kind", file + " is " + ToString(problem.kind), "lcp, or the kind of the file");
}

void InvertFile(const InvertOptions& options, const InverseMethod& method, Outcome* out) {
  const QpccProblem problem = ReadProblem(options, out->file);
  Require(method.takes(problem.kind), "--method",
          std::string("'") + method.name + "' does not take problems of kind " + ToString(problem.kind),
          "another method, or --kind lcp");
  out->kind = problem.kind;
  out->contacts = problem.num_contacts();
  out->actuators = problem.num_actuators();
  out->tasks = problem.num_tasks();
  const QpccSettings settings = MakeSettings(options);
  QpccSolution warm;
  if (!options.warm_file.empty()) warm = ReadQpccSolutionFile(options.warm_file, problem);
  std::vector<double> times, cpu_times;
  for (int k = 0; k < options.repeat; ++k) {
    out->answer = method.solve(problem, settings, options.warm_file.empty() ? nullptr : &warm);
    times.push_back(out->answer.report.time);
    cpu_times.push_back(out->answer.report.cpu_time);
  }
  out->median_time = Median(times);
  out->median_cpu_time = Median(cpu_times);
  if (!options.solution_file.empty()) {
    WriteQpccSolutionFile(options.solution_file, out->answer.solution, out->answer.report);
  }
}

Json MakeOutcomeJson(const Outcome& o, const std::string& method) {
  Json json;
  json["file"] = o.file;
  if (!o.error.empty()) {
    json["error"] = o.error;
    return json;
  }
  const QpccReport& r = o.answer.report;
  json["kind"] = ToString(o.kind);
  json["contacts"] = o.contacts;
  json["actuators"] = o.actuators;
  json["tasks"] = o.tasks;
  json["method"] = method;
  json["status"] = ToString(r.status);
  if (!r.message.empty()) json["message"] = r.message;
  json["origin"] = ToString(r.origin);
  json["loss"] = Number(r.loss);
  json["lower_bound"] = Number(o.answer.lower_bound);
  json["dynamics_gap"] = Number(r.dynamics_gap);
  json["primal"] = Number(r.primal);
  json["dual"] = Number(r.dual);
  json["complementarity"] = Number(r.complementarity);
  json["multiplier_violation"] = Number(r.multiplier_violation);
  json["modes"] = {{"open", r.open}, {"stick", r.stick}, {"slip", r.slip}};
  json["starts"] = r.starts;
  json["sweeps"] = r.sweeps;
  json["polish_steps"] = r.polish_steps;
  json["forward_solves"] = r.forward_solves;
  json["time_ms"] = Number(1e3 * o.median_time);
  json["cpu_ms"] = Number(1e3 * o.median_cpu_time);
  Json actuation = Json::array();
  for (const double x : o.answer.solution.actuation) actuation.push_back(Number(x));
  json["actuation"] = actuation;
  return json;
}

constexpr const char* kHeader =
    "kind    contacts  actuators  status          loss       gap [m/s]  dual       multipliers  open/stick/slip  "
    "time [ms]  file";

void PrintOutcome(const Outcome& o) {
  if (!o.error.empty()) {
    fmt::print("{:<6}  {:>8}  {:>9}  {:<14}  {}\n", "-", "-", "-", "error", o.file);
    return;
  }
  const QpccReport& r = o.answer.report;
  fmt::print("{:<6}  {:>8}  {:>9}  {:<14}  {:<9.3e}  {:<9.2e}  {:<9.2e}  {:<11.2e}  {:>15}  {:>9.3f}  {}\n",
             ToString(o.kind), o.contacts, o.actuators, ToString(r.status), r.loss, r.dynamics_gap, r.dual,
             r.multiplier_violation, fmt::format("{}/{}/{}", r.open, r.stick, r.slip), 1e3 * o.median_time, o.file);
  if (std::isfinite(o.answer.lower_bound)) fmt::print("        lower bound {:.6e}\n", o.answer.lower_bound);
  if (!r.message.empty()) fmt::print("        {}\n", r.message);
}

void CheckOptions(const InvertOptions& options) {
  const std::string count = std::to_string(options.files.size()) + " files were given";
  Require(!options.files.empty(), "FILE", "no problem file was given", "one or more (see --help)");
  Require(options.solution_file.empty() || options.files.size() == 1, "--solution", count, "one file");
  Require(options.warm_file.empty() || options.files.size() == 1, "--warm", count, "one file");
  CheckDistinct({{"the problem", options.files.front(), true}, {"--solution", options.solution_file}});
  CheckOutput("--solution", options.solution_file);
  Require(options.repeat >= 1, "--repeat", "is " + std::to_string(options.repeat), "a number >= 1");
  Require(options.budget_ms >= 0 && std::isfinite(options.budget_ms), "--budget-ms",
          fmt::format("is {}", options.budget_ms), "milliseconds from 0 on, not infinite (0: none)");
  (void)MakeSettings(options);
}

int ListMethods(bool json) {
  Json list = Json::array();
  for (const InverseMethod& method : InverseMethods()) {
    std::string kinds;
    for (const QpccKind kind : {QpccKind::Lcp, QpccKind::Planar, QpccKind::Ncp}) {
      if (method.takes(kind)) kinds += (kinds.empty() ? "" : ", ") + std::string(ToString(kind));
    }
    list.push_back({{"name", method.name}, {"what", method.what}, {"kinds", kinds}, {"available", method.available}});
    if (!json) {
      fmt::print("{:<15} {}{}\n{:<15} takes {}\n", method.name, method.what,
                 method.available ? "" : " (not part of this build)", "", kinds);
    }
  }
  if (json) fmt::print("{}\n", Dump(list));
  return kAllSolved;
}

// Problems of a soft robot, one file each.
int GenerateSoft(const InvertOptions& options) {
  SoftSampleSettings settings = options.sample;
  settings.seed = options.seed;
  const std::filesystem::path folder = options.generate_file;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  Require(std::filesystem::is_directory(folder), "--generate", "'" + options.generate_file + "' cannot be made",
          "a folder, with --scene");
  Progress progress(settings.count);
  std::vector<double> contacts;
  const SoftRobotSize size = SampleSoftRobot(options.scene, options.set, settings, [&](const QpccProblem& problem) {
    const int number = static_cast<int>(contacts.size());
    progress.Show(number + 1, problem.name);
    contacts.push_back(problem.num_contacts());
    WriteQpccFile((folder / fmt::format("{:04}.h5", number)).string(), problem);
  });
  progress.Clear();
  Json json{{"scene", options.scene},
            {"problems", contacts.size()},
            {"nodes", size.nodes},
            {"tets", size.tets},
            {"actuators", size.actuators}};
  for (const auto& [name, share] : {std::pair{"min", 0.0}, {"q1", 0.25}, {"median", 0.5}, {"q3", 0.75}, {"max", 1.0}}) {
    json["contacts"][name] = contacts.empty() ? 0 : Quantile(contacts, share);
  }
  if (options.json) {
    fmt::print("{}\n", Dump(json));
  } else {
    const Json& c = json["contacts"];
    fmt::print("{}: {} problems in {}, {} nodes, {} tetrahedra, {} actuators\n", options.scene, contacts.size(),
               options.generate_file, size.nodes, size.tets, size.actuators);
    fmt::print("contacts: {} at least, quartiles {}, {}, {}, {} at most\n", c["min"].get<double>(),
               c["q1"].get<double>(), c["median"].get<double>(), c["q3"].get<double>(), c["max"].get<double>());
  }
  return static_cast<int>(contacts.size()) == settings.count ? kAllSolved : kNotSolved;
}

int GenerateRandom(const InvertOptions& options) {
  CheckOutput("--generate", options.generate_file);
  Require(options.contacts >= 0 && options.contacts <= 1000, "--contacts", std::to_string(options.contacts),
          "0 to 1000");
  Require(options.actuators >= 0 && options.actuators <= 1000, "--actuators", std::to_string(options.actuators),
          "0 to 1000");
  RandomQpccSettings settings;
  settings.kind = options.kind == "lcp" ? QpccKind::Lcp : options.kind == "planar" ? QpccKind::Planar : QpccKind::Ncp;
  settings.contacts = options.contacts;
  settings.actuators = options.actuators;
  settings.tasks = std::min(options.actuators, 6);
  settings.passive_dofs = 6;
  WriteQpccFile(options.generate_file, MakeRandomQpcc(settings, options.seed));
  fmt::print("wrote {}\n", options.generate_file);
  return kAllSolved;
}

int RunInvert(const InvertOptions& options) {
  if (options.list) return ListMethods(options.json);
  if (!options.scene.empty()) {
    Require(!options.generate_file.empty(), "--scene", "is for --generate", "--generate FOLDER with it");
    return GenerateSoft(options);
  }
  Require(options.set.empty(), "--set", "is for --scene", "--generate FOLDER --scene SCENE with it");
  if (!options.generate_file.empty()) return GenerateRandom(options);
  CheckOptions(options);
  const InverseMethod& method = FindInverseMethod(options.method);
  InterruptGuard guard;
  Progress progress(static_cast<int>(options.files.size()));
  // A baseline that does not prove anything is as good as its point.
  const bool ours = std::string(method.name).starts_with("alm");
  int solved = 0, bad = 0, done = 0;
  Json json = Json::array();
  for (const std::string& file : options.files) {
    if (InterruptGuard::cancelled()) break;
    progress.Show(++done, file);
    Outcome outcome;
    outcome.file = file;
    try {
      InvertFile(options, method, &outcome);
      solved += ours ? outcome.answer.report.solved() : outcome.answer.report.feasible();
    } catch (const std::exception& e) {
      outcome.error = e.what();
      ++bad;
    }
    progress.Clear();
    if (!outcome.error.empty()) fmt::print(stderr, "tactus: {}\n", outcome.error);
    if (!options.json && done == 1) fmt::print("{}\n", kHeader);
    if (options.json) {
      json.push_back(MakeOutcomeJson(outcome, method.name));
    } else {
      PrintOutcome(outcome);
    }
    std::fflush(stdout);
  }
  if (options.json) {
    fmt::print("{}\n", Dump(json));
  } else {
    fmt::print("{}: {} of {} {}{}\n", method.name, solved, options.files.size(),
               ours ? "solved" : "obey law and dynamics", bad > 0 ? fmt::format(", {} refused", bad) : "");
    if (!options.solution_file.empty() && bad == 0) fmt::print("wrote {}\n", options.solution_file);
  }
  if (bad > 0) return kBadInput;
  return solved == static_cast<int>(options.files.size()) ? kAllSolved : kNotSolved;
}

}  // namespace

CommandRun AddInvertCommand(CLI::App* app) {
  const auto options = std::make_shared<InvertOptions>();
  app->add_option("files", options->files, "inverse problems (HDF5, docs/file-formats.md)")->type_name("FILE");
  app->add_option("--kind", options->kind,
                  "law of the contacts: lcp (no friction: drops the tangential rows of a file), planar or ncp")
      ->check(CLI::IsMember({"lcp", "planar", "ncp"}));
  app->add_option("--method", options->method, "ours (alm), or one to compare with; see --methods")
      ->capture_default_str()
      ->type_name("NAME");
  app->add_flag("--methods", options->list, "list the methods");
  app->add_option("--tol,--tolerance", options->tolerance, "tolerance on multipliers and sweeps, relative")
      ->capture_default_str();
  app->add_option("--gap-tol", options->gap_tolerance, "tolerance on the dynamics gap, relative")
      ->capture_default_str();
  app->add_option("--schedule", options->schedule, "of multipliers and penalties: admm, or bcl as the paper has it")
      ->check(CLI::IsMember({"admm", "bcl"}))
      ->capture_default_str();
  app->add_option("--slide", options->slide,
                  "projection on sliding contacts: exact, or alternating as the paper has it, which picks a wrong "
                  "branch at times")
      ->check(CLI::IsMember({"exact", "alternating"}))
      ->capture_default_str();
  app->add_flag("--real-time", options->real_time, "as a control loop would: end at the first stationary point");
  app->add_option("--budget-ms", options->budget_ms, "time budget of a solve [ms]; 0: none");
  app->add_option("--warm", options->warm_file, "start from an answer written by --solution")->type_name("FILE");
  app->add_option("--repeat", options->repeat, "solve so many times and report the median time")->capture_default_str();
  app->add_flag("--json", options->json, "print a JSON array");
  app->add_option("--solution", options->solution_file, "write the answer with its multipliers")->type_name("OUT.h5");
  app->add_option("--generate", options->generate_file,
                  "write a random problem instead of solving (with --kind, --seed), or with --scene a folder of them")
      ->type_name("OUT.h5");
  app->add_option("--scene", options->scene,
                  "of --generate: problems of this scene's soft robot, along extremal actuation in simulation "
                  "(soft-trunk, soft-tower, soft-quadrupod, or a file)")
      ->type_name("SCENE");
  app->add_option("--set", options->set, "of --scene: change its file before it is read, as in `tactus run`")
      ->type_name("KEY=VALUE");
  app->add_option("--count", options->sample.count, "of --scene: problems")->capture_default_str();
  app->add_option("--every", options->sample.every, "of --scene: control steps from one to the next")
      ->capture_default_str();
  app->add_option("--reach", options->sample.reach, "of --scene: how far goals are from where effectors go anyway [m]")
      ->capture_default_str();
  app->add_option("--least-contacts", options->sample.least_contacts, "of --scene: fewer are passed over")
      ->capture_default_str();
  app->add_option("--most-contacts", options->sample.most_contacts, "of --scene: more are passed over")
      ->capture_default_str();
  app->add_option("--patience", options->sample.patience,
                  "of --scene: after so many in a row that were passed over the robot starts anew")
      ->capture_default_str();
  app->add_option("--seed", options->seed, "of --generate")->capture_default_str();
  app->add_option("--contacts", options->contacts, "of --generate")->capture_default_str();
  app->add_option("--actuators", options->actuators, "of --generate")->capture_default_str();
  return [options] { return RunInvert(*options); };
}

}  // namespace tactus::cli
