// tactus run SCENE
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/command.h"
#include "apps/cli/control_log.h"
#include "apps/cli/json_output.h"
#include "apps/cli/option_rules.h"
#include "apps/cli/output_paths.h"
#include "apps/cli/physics_suite.h"
#include "apps/cli/problem_dump.h"
#include "apps/cli/replay_options.h"
#include "apps/cli/run_progress.h"
#include "apps/cli/run_summary.h"
#include "apps/cli/scene_library.h"
#include "apps/cli/sensor_plot.h"
#include "apps/cli/simulation_recorder.h"
#include "apps/cli/soft_log.h"
#include "apps/cli/terminal.h"
#include "tactus/contact/problem_file.h"
#include "tactus/core/error.h"
#include "tactus/core/output_file.h"
#include "tactus/core/timer.h"
#include "tactus/io/file_roots.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/goals.h"
#include "tactus/scene/scene_file.h"

namespace tactus::cli {

namespace {

struct RunOptions {
  std::string scene, suite, record, sensors, save, restore, dump_problems, torques, plot;
  std::int64_t every = 1;
  std::optional<std::string> solver, on_failure;
  std::string method = "law";
  XpbdSettings xpbd;
  PenaltySettings penalty;
  std::optional<std::int64_t> steps;
  std::optional<double> duration, dt, tolerance, time_budget;
  std::optional<int> threads, max_iterations, linearizations, trial;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> set, roots;
  std::string base = "fixed", missing_meshes = "error";
  bool json = false;
  ReplayOptions replay;
};

SimulatorSettings ChooseSettings(const RunOptions& options, const SceneDescription& scene) {
  SimulatorSettings settings = MakeSettings(scene.settings);
  settings.solve.cancel = &InterruptGuard::cancelled();
  if (options.solver) settings.solver = *options.solver;
  settings.method = options.method == "xpbd"      ? StepMethod::Xpbd
                    : options.method == "penalty" ? StepMethod::Penalty
                                                  : StepMethod::ContactLaw;
  settings.xpbd = options.xpbd;
  settings.penalty = options.penalty;
  if (options.dt) {
    Require(*options.dt >= 1e-9 && *options.dt <= 1, "--dt", fmt::format("the time step is {} s", *options.dt),
            "from 1e-9 to 1 s; 1/240 s is usual");
    settings.scheme.step = *options.dt;
  }
  if (options.tolerance) settings.solve.tolerance = *options.tolerance;
  if (options.time_budget) settings.solve.time_budget = *options.time_budget;
  if (options.max_iterations) settings.solve.max_iterations = *options.max_iterations;
  if (options.linearizations) settings.linearizations = *options.linearizations;
  if (options.threads) settings.threads = *options.threads;
  if (options.on_failure) {
    settings.on_failure = *options.on_failure == "retry"  ? FailurePolicy::Retry
                          : *options.on_failure == "stop" ? FailurePolicy::Stop
                                                          : FailurePolicy::Continue;
  }
  return settings;
}

// Of h, from the time `begin` on: to the scene's end unless the options say otherwise.
std::int64_t CountSteps(const RunOptions& options, const SceneDescription& scene, double begin, double h) {
  constexpr double kMost = 1e12;
  if (options.steps) {
    Require(*options.steps >= 0 && static_cast<double>(*options.steps) <= kMost, "--steps",
            fmt::format("is {}", *options.steps), "from 0 to 1e12 steps");
    return *options.steps;
  }
  Require(begin == 0 || options.duration || begin < scene.duration - 0.5 * h, "--restore",
          fmt::format("the snapshot is at {:.6g} s, the scene's end", begin), "--steps or --duration with it");
  const char* key = options.duration ? "--duration" : "duration of the scene";
  const double duration = options.duration.value_or(std::max(0.0, scene.duration - begin));
  Require(std::isfinite(duration) && duration >= 0, key, fmt::format("is {} s", duration), "0 s or more, not infinite");
  const double steps = std::round(duration / h);
  Require(steps <= kMost, key, fmt::format("{} s are {:g} steps", duration, steps), "at most 1e12 steps");
  Require(steps > 0 || duration == 0, options.dt ? "--dt" : key,
          fmt::format("a run of {:.6g} s has no step of {:.6g} s", duration, h),
          fmt::format("a time step of at most {:.6g} s, or a longer --duration", duration));
  return static_cast<std::int64_t>(steps);
}

SceneDescription Load(const RunOptions& options, int trial) {
  SceneFileSettings files;
  files.trial = trial;
  files.overrides = options.set;
  files.seed = options.seed;
  files.missing_meshes = options.missing_meshes == "warn" ? MissingMeshes::Warn : MissingMeshes::Error;
  for (const std::string& root : options.roots) files.files.roots.emplace_back(root);
  SceneDescription scene = LoadScene(FindScene(options.scene), files);
  Require(!scene.models.empty() || !scene.objects.empty() || !scene.deformables.empty(), options.scene,
          "there is nothing in the scene", "models, objects or deformables");
  if (options.base == "floating") {
    Require(scene.models.size() == 1, "--base floating", fmt::format("the scene has {} models", scene.models.size()),
            "a bare robot file; in scenes the key fixed_base says so");
    scene.models[0].base = BaseChange::Float;
  } else if (std::filesystem::path(options.scene).extension() == ".urdf") {
    scene.notes.emplace_back("the robot's root link is fixed in the world; --base floating lets it move");
  }
  return scene;
}

void RestoreFrom(const std::string& path, Simulator* simulator) {
  namespace fs = std::filesystem;
  const std::string expected = "a file that tactus run --save wrote for this scene";
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  Require(!fs::is_directory(there) && !fs::is_character_file(there) && !fs::is_block_file(there), "--restore",
          "'" + path + "' is a folder or a device", expected);
  std::ifstream in(path, std::ios::binary);
  std::vector<std::uint8_t> bytes;
  char part[1 << 14];
  while (in.read(part, sizeof part), in.gcount() > 0) bytes.insert(bytes.end(), part, part + in.gcount());
  Require(in.eof() && !in.bad(), "--restore", "cannot read '" + path + "'", expected);
  try {
    simulator->Restore(Snapshot::Deserialize(bytes));
  } catch (const InputError& e) {
    throw InputError(fmt::format("--restore '{}': {}", path, e.what()));
  }
}

// Or a pipe: written as it stands, as no new file may replace it.
bool IsDevice(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_other(path, error);
}

void SaveTo(const std::string& path, const Simulator& simulator) {
  const std::vector<std::uint8_t> bytes = simulator.MakeSnapshot().Serialize();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (IsDevice(path)) {
    std::ofstream out(path, std::ios::binary);
    out << text << std::flush;
    Require(out.good(), "--save", "cannot write '" + path + "'", "a file that can be written");
    return;
  }
  OutputFile out(path);
  out.Write(text);
  out.Commit();
}

// Outputs must not overwrite each other or what is read, and are to be refused now, not after a long run.
void CheckPaths(const RunOptions& options, const SceneDescription& scene) {
  const std::filesystem::path file = FindScene(options.scene);
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  FileSettings settings;
  settings.roots = options.roots;
  FileRoots roots(settings);
  roots.AddRoot(folder);
  std::vector<NamedPath> paths = {{"the scene", file.string(), true}};
  for (const SceneModel& model : scene.models) {
    const FileLookup found = roots.Find(model.file, folder);
    if (found.status == FileStatus::Found) paths.push_back({"a model of the scene", found.path.string(), true});
  }
  const NamedPath record{"--record", options.record}, sensors{"--sensors", options.sensors},
      save{"--save", options.save}, html{"--html", options.replay.html}, png{"--png", options.replay.png},
      torques{"--torques", options.torques}, plot{"--plot", options.plot};
  paths.insert(paths.end(), {record, sensors, save, html, png, torques, plot});
  CheckDistinct(paths);
  // Not with --save: a snapshot has been read when the next one replaces it.
  CheckDistinct({{"--restore", options.restore, true}, record, sensors, html, png, torques, plot});
  for (const NamedPath& output : {record, sensors}) CheckOutput(output.what, output.path, true);
  CheckOutput(save.what, save.path, IsDevice(save.path));
  for (const NamedPath& output : {torques, plot}) CheckOutput(output.what, output.path, false);
}

bool LooksBack(const SceneGoal& goal) {
  return goal.type == SceneGoalType::Turned || goal.type == SceneGoalType::Moved ||
         goal.type == SceneGoalType::Penetration || goal.always || WatchedGoal::Watches(goal.type);
}

/// Why a scene's goals cannot be judged, or nothing. A run that began at `begin` ends as the scene means it to only if
/// it gets to the scene's end, and saw all of it where goals are about all of it.
std::string WhyNotJudged(const SceneDescription& scene, double begin, const Simulator& simulator) {
  if (simulator.time() < scene.duration - 0.5 * simulator.settings().scheme.step) {
    return fmt::format("the run ended at {:.6g} of {:.6g} s", simulator.time(), scene.duration);
  }
  if (begin > 0 && std::any_of(scene.goals.begin(), scene.goals.end(), LooksBack)) {
    return fmt::format("goals are about the whole run, and this one began at {:.6g} s", begin);
  }
  return {};
}

/// What became of the scene's goals, for JSON and for Print.
Json MakeGoals(const SceneDescription& scene, const GoalJudge& judge, double begin, const Simulator& simulator) {
  if (scene.goals.empty()) return nullptr;
  Json json;
  const std::string why_not = WhyNotJudged(scene, begin, simulator);
  const bool whole = why_not.empty();
  json["judged"] = whole;
  if (!whole) json["why_not_judged"] = why_not;
  bool all = true;
  json["goals"] = Json::array();
  for (const GoalResult& result : judge.Judge(simulator)) {
    json["goals"].push_back({{"name", result.name}, {"met", result.met}, {"detail", result.detail}});
    if (!std::isnan(result.most)) json["goals"].back()["measured"] = {result.least, result.most};
    all = all && result.met;
  }
  json["done"] = whole && all;
  return json;
}

void PrintGoals(const Json& task) {
  const bool judged = task["judged"].get<bool>();
  for (const Json& goal : task["goals"]) {
    const char* result = goal["met"].get<bool>() ? "goal met" : judged ? "goal missed" : "goal not met yet";
    fmt::print("  {:<18} {}: {}\n", result, goal["name"].get<std::string>(), goal["detail"].get<std::string>());
  }
  const std::string verdict = !judged                    ? "not judged: " + task["why_not_judged"].get<std::string>()
                              : task["done"].get<bool>() ? "done: all goals met"
                                                         : "not done: goals were missed";
  fmt::print("  {:<18} {}\n", "task", verdict);
}

void PrintScene(const SceneDescription& scene, const std::vector<std::string>& notes) {
  fmt::print("{}{}{}\n", scene.name, scene.description.empty() ? "" : ": ", scene.description);
  for (const std::string& note : notes) fmt::print("  note: {}\n", note);
  for (const std::string& warning : scene.warnings) fmt::print("  warning: {}\n", warning);
}

/// One run after the other, each with its own random numbers.
int RunTrials(const RunOptions& options, int trials, ProblemDump* dump) {
  for (const auto& [flag, value] : {std::pair<const char*, const std::string*>{"--record", &options.record},
                                    {"--sensors", &options.sensors},
                                    {"--save", &options.save},
                                    {"--restore", &options.restore},
                                    {"--torques", &options.torques},
                                    {"--plot", &options.plot},
                                    {"--html", &options.replay.html},
                                    {"--png", &options.replay.png}}) {
    Require(value->empty(), flag, fmt::format("the scene has {} trials", trials), "--trial K with it, one of them");
  }
  RunSummary summary;
  const InterruptGuard guard;
  std::optional<RunProgress> progress;
  std::vector<std::string> notes;
  const Timer timer;
  SceneSimulation simulation;
  std::string name;
  int done = 0, with_goals = 0;
  for (int trial = 0; trial < trials && !InterruptGuard::cancelled(); ++trial) {
    const SceneDescription scene = Load(options, trial);
    if (trial == 0) notes = scene.notes;
    if (trial == 0 && !options.json) PrintScene(scene, notes);
    name = scene.name;
    simulation = MakeSimulation(scene, ChooseSettings(options, scene));
    Simulator& simulator = *simulation.simulator;
    GoalJudge judge(scene, simulator);
    const double h = simulator.settings().scheme.step;
    const std::int64_t steps = CountSteps(options, scene, 0, h);
    if (!progress) progress.emplace(steps, trials);
    for (std::int64_t k = 0; k < steps; ++k) {
      progress->BeginStep(k, steps, simulator.time(), trial);
      const StepReport report = simulator.Step();
      if (report.solve.status == SolveStatus::Cancelled) break;
      progress->EndStep(report, h);
      summary.Add(report);
      judge.Observe(simulator, report);
      dump->Append(trial, k + 1, simulator.problem());
      if (!report.moved()) break;
    }
    const Json task = MakeGoals(scene, judge, 0, simulator);
    with_goals += task.is_null() ? 0 : 1;
    done += !task.is_null() && task["done"].get<bool>() ? 1 : 0;
  }
  progress.reset();
  Json json;
  json["scene"] = name;
  json["trials"] = trials;
  json["notes"] = notes;
  const bool interrupted = InterruptGuard::cancelled();
  json["interrupted"] = interrupted;
  json.update(summary.MakeJson(*simulation.simulator, timer.seconds()));
  if (with_goals > 0) json["trials_done"] = done;
  if (!options.dump_problems.empty()) json["problems"] = dump->count();
  if (options.json) {
    fmt::print("{}\n", Dump(json));
  } else {
    RunSummary::Print(json);
    fmt::print("  {:<18} {}; --trial K runs one of them\n", "trials", trials);
    if (with_goals > 0) fmt::print("  {:<18} done in {} of {} trials\n", "task", done, trials);
    if (!options.dump_problems.empty())
      fmt::print("  {} {} in {}\n", dump->count(), dump->count() == 1 ? "problem" : "problems", options.dump_problems);
  }
  if (interrupted) return kInterrupted;
  return summary.all_ok() && done == with_goals ? kAllSolved : kNotSolved;
}

int RunScene(const RunOptions& options) {
  ProblemDump dump(options.dump_problems, options.every);
  const int trial = options.trial.value_or(0);
  const SceneDescription scene = Load(options, std::max(0, trial));
  const int last_trial = std::max(0, scene.trials - 1);
  Require(trial >= 0 && trial <= last_trial, "--trial", fmt::format("is {}", trial),
          scene.trials > 1 ? fmt::format("from 0 to {}", last_trial) : "a scene with trials, which this is not");
  CheckPaths(options, scene);
  if (scene.trials > 1 && !options.trial) return RunTrials(options, scene.trials, &dump);
  SceneSimulation simulation = MakeSimulation(scene, ChooseSettings(options, scene));
  Simulator& simulator = *simulation.simulator;
  if (!options.restore.empty()) RestoreFrom(options.restore, &simulator);
  const double begin = simulator.time();
  const std::int64_t steps = CountSteps(options, scene, begin, simulator.settings().scheme.step);
  ReplaySettings replay = MakeReplaySettings(
      options.replay, simulator.time() + static_cast<double>(steps) * simulator.settings().scheme.step);
  replay.title = scene.name;
  Require(steps > 0 || !options.replay.any(), "--html or --png", "the run has no steps to show", "at least one step");
  if (!options.json) PrintScene(scene, simulation.notes);
  std::unique_ptr<SimulationRecorder> recorder;
  if (!options.record.empty() || options.replay.any()) {
    const SimulationRecord record{options.record, options.replay.any() ? &replay : nullptr, scene.text};
    recorder = std::make_unique<SimulationRecorder>(simulator, record);
  }
  std::unique_ptr<SensorLog> sensors;
  if (!options.sensors.empty()) sensors = std::make_unique<SensorLog>(options.sensors, simulation.probes);

  // Files are of the one kind of controller that there is.
  const bool is_soft = !simulation.soft_controllers.empty();
  // Without controllers the plot is of the sensors.
  const bool of_sensors = !is_soft && simulation.task_controllers.empty() && !simulation.probes.empty();
  SensorPlot sensor_plot(of_sensors ? options.plot : "", simulation.probes);
  ControlLog control(simulation, is_soft ? "" : options.torques, is_soft || of_sensors ? "" : options.plot);
  SoftLog soft(simulation, is_soft ? options.torques : "", is_soft ? options.plot : "");
  GoalJudge judge(scene, simulator);
  RunSummary summary;
  const InterruptGuard guard;
  RunProgress progress(steps);
  const Timer timer;
  bool stopped = false;
  for (std::int64_t k = 0; k < steps && !stopped && !InterruptGuard::cancelled(); ++k) {
    progress.BeginStep(k, steps, simulator.time());
    const StepReport report = simulator.Step();
    if (report.solve.status == SolveStatus::Cancelled) break;  // nothing moved
    progress.EndStep(report, simulator.settings().scheme.step);
    summary.Add(report);
    if (recorder) recorder->Append(simulator, report);
    if (sensors) sensors->Append(simulator);
    sensor_plot.Append(simulator);
    control.Append(simulator);
    soft.Append(simulator);
    judge.Observe(simulator, report);
    dump.Append(-1, k + 1, simulator.problem());
    stopped = !report.moved();
  }
  const double wall = timer.seconds();
  progress.Clear();
  if (recorder) recorder->Close();
  if (sensors) sensors->Close();
  sensor_plot.Close(scene.name);
  control.Close(scene.name);
  soft.Close(scene.name);
  if (!options.save.empty()) SaveTo(options.save, simulator);

  Json json = MakeSceneJson(scene, simulation.notes);
  const bool interrupted = InterruptGuard::cancelled();
  json["interrupted"] = interrupted;
  json.update(summary.MakeJson(simulator, wall));
  const Json controllers = control.MakeJson();
  if (!controllers.is_null()) json["task_controllers"] = controllers;
  const Json soft_controllers = soft.MakeJson();
  if (!soft_controllers.is_null()) json["soft_controllers"] = soft_controllers;
  const Json task = MakeGoals(scene, judge, begin, simulator);
  if (!task.is_null()) json["task"] = task;
  if (!options.record.empty()) json["recording"] = options.record;
  if (!options.replay.html.empty()) json["replay"] = options.replay.html;
  if (!options.replay.png.empty()) json["picture"] = options.replay.png;
  if (!options.dump_problems.empty()) json["problems"] = dump.count();
  if (options.json) {
    fmt::print("{}\n", Dump(json));
  } else {
    RunSummary::Print(json);
    ControlLog::Print(controllers);
    SoftLog::Print(soft_controllers);
    if (!task.is_null()) PrintGoals(task);
    if (stopped) fmt::print("  stopped: the state did not move on\n");
    if (interrupted) {
      fmt::print("  interrupted after step {} of {}; what is written goes up to there\n", summary.steps(), steps);
    }
    if (!options.record.empty()) fmt::print("  recording in {}\n", options.record);
    if (!options.sensors.empty()) {
      fmt::print("  sensors in {}{}\n", options.sensors,
                 scene.sensors.empty() ? " (times only: the scene has none)" : "");
    }
    if (!options.torques.empty()) fmt::print("  torques in {}\n", options.torques);
    if (!options.plot.empty()) fmt::print("  plot in {}\n", options.plot);
    if (!options.save.empty()) fmt::print("  snapshot in {}\n", options.save);
    if (!options.dump_problems.empty())
      fmt::print("  {} {} in {}\n", dump.count(), dump.count() == 1 ? "problem" : "problems", options.dump_problems);
  }
  // A picture of a time that an interrupted run did not reach would be none.
  const bool shown_all = !interrupted || !options.replay.time || *options.replay.time <= simulator.time();
  if (options.replay.any() && recorder->replay()->num_frames() > 0 && shown_all) {
    WriteReplay(options.replay, *recorder->replay(), replay, options.json);
  }
  if (interrupted) return kInterrupted;
  const bool missed = !task.is_null() && task["judged"].get<bool>() && !task["done"].get<bool>();
  return summary.all_ok() && !missed ? kAllSolved : kNotSolved;
}

int Run(const RunOptions& options, const CLI::App& app) {
  Require(options.scene.empty() != options.suite.empty(), "run", "needs a scene or --suite, not both or neither",
          "tactus run SCENE, or tactus run --suite physics");
  Require(options.plot.empty() || std::filesystem::path(options.plot).extension() == ".svg", "--plot",
          "'" + options.plot + "' would hold a drawing of another kind", "a name that ends in .svg");
  if (options.suite.empty()) return RunScene(options);
  Require(options.suite == "physics", "--suite", "'" + options.suite + "' is not known", "physics");
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    Require(option->count() == 0 || name == "--suite" || name == "--solver" || name == "--json", name,
            "does not go with --suite, whose scenes are as they are", "--solver and --json only");
  }
  return RunPhysicsSuite(options.solver.value_or("hybrid"), options.json);
}

}  // namespace

CommandRun AddRunCommand(CLI::App* app) {
  const auto o = std::make_shared<RunOptions>();
  app->add_option("scene", o->scene, "a scene (YAML), a robot (URDF, MJCF), or a name of `tactus scenes`")
      ->type_name("SCENE");
  app->add_option("--suite", o->suite, "run a suite of scenes with known answers instead: physics");
  app->add_option("--method", o->method,
                  "how contacts are treated: law (exact, by --solver), or a baseline: penalty (springs and dampers) or "
                  "xpbd (position-based dynamics; deformables only)")
      ->check(CLI::IsMember({"law", "penalty", "xpbd"}))
      ->capture_default_str();
  app->add_option("--substeps", o->xpbd.substeps, "of a step, with --method xpbd")->capture_default_str();
  app->add_flag("--xpbd-damping", o->xpbd.damping,
                "material damping in the constraints of --method xpbd, which makes things softer than they are");
  app->add_option("--penalty-stiffness", o->penalty.stiffness, "of a contact point, with --method penalty [N/m]")
      ->capture_default_str();
  app->add_option("--penalty-damping", o->penalty.damping, "likewise, along the normal [N s/m]")->capture_default_str();
  app->add_option("--penalty-friction", o->penalty.friction_damping,
                  "likewise, viscosity of friction below its limit [N s/m]")
      ->capture_default_str();
  app->add_flag("--penalty-implicit", o->penalty.implicit, "forces of the end of the step instead of its beginning");
  app->add_option("--solver", o->solver, "one of `tactus solvers` [hybrid, or what the scene says]");
  app->add_option("--tol,--tolerance", o->tolerance, "of the residual natural_rho [1e-8, or what the scene says]");
  app->add_option("--max-iterations", o->max_iterations, "outer iterations of a solve; 0: the solver's own limit");
  app->add_option("--time-budget", o->time_budget,
                  "time of the solves of a step [s], waits for other programs left out");
  app->add_option_function<double>(
      "--budget-ms", [o](const double& ms) { o->time_budget = 1e-3 * ms; },
      "the same in milliseconds, as `tactus solve` has it");
  app->add_option("--on-failure", o->on_failure, "when a solve misses its tolerance: continue, retry or stop")
      ->check(CLI::IsMember({"continue", "retry", "stop"}));
  auto* steps = app->add_option("--steps", o->steps, "how many steps [to the scene's end]");
  app->add_option("--duration", o->duration, "how long [to the scene's end; s]")->excludes(steps);
  app->add_option("--dt", o->dt, "time step, at most 1 [1/240, or what the scene says; s]");
  app->add_option("--linearizations", o->linearizations, "of the constraints within a step");
  app->add_option(
      "--threads", o->threads,
      "of collision detection and of the solvers that use several (subadmm, auto, cond); results do not depend on it");
  app->add_option("--seed", o->seed, "of what the scene randomizes")->check(SeedRule());
  app->add_option("--trial", o->trial, "of scenes with several trials: only this one, from 0");
  app->add_option(
         "--set", o->set,
         "change a parameter or any key of the scene, such as --set particles=45 or --set objects.cube.mass=2; may be "
         "repeated")
      ->type_name("KEY=VALUE");
  app->add_option("--record", o->record, "write every step to an HDF5 file (see tactus export)")->type_name("OUT.h5");
  AddReplayOptions(app, &o->replay);
  app->add_option("--sensors", o->sensors, "write the scene's sensors to a CSV file")->type_name("OUT.csv");
  app->add_option("--torques", o->torques,
                  "write what the scene's task controller does, a row for each update, for use in open loop")
      ->type_name("OUT.csv");
  app->add_option(
         "--plot", o->plot,
         "draw what a task controller did (errors, forces, contacts, residuals, times), or the scene's sensors")
      ->type_name("OUT.svg");
  app->add_option("--save", o->save, "write a snapshot of the end")->type_name("FILE");
  app->add_option("--restore", o->restore, "go on from a snapshot of the same scene, to the scene's end")
      ->type_name("FILE");
  app->add_option("--dump-problems", o->dump_problems,
                  "write the contact problem of every step (its last linearisation) as a file for `tactus solve`")
      ->type_name("DIR");
  app->add_option("--every", o->every, "with --dump-problems: only of every Nth step [1]")->type_name("N");
  app->add_option("--root", o->roots, "folder in which packages and meshes are looked for; may be repeated")
      ->type_name("DIR");
  app->add_option("--base", o->base, "how the root link of a bare URDF file stands: fixed or floating")
      ->check(CLI::IsMember({"fixed", "floating"}))
      ->capture_default_str();
  app->add_option("--missing-meshes", o->missing_meshes, "what a missing collision mesh is: error or warn")
      ->check(CLI::IsMember({"error", "warn"}))
      ->capture_default_str();
  app->add_flag("--json", o->json, "print a JSON object");
  return [o, app] { return Run(*o, *app); };
}

}  // namespace tactus::cli
