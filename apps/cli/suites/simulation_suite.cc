// Suite `simulation`: what a step must keep to (known physics, momentum, reproducibility, large scenes), and how long
// its stages take.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/bench_suite.h"
#include "apps/cli/physics_suite.h"
#include "apps/cli/scene_library.h"
#include "apps/cli/statistics.h"
#include "apps/cli/terminal.h"
#include "tactus/core/timer.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/scene_file.h"

namespace tactus::cli {

namespace {

using Rows = std::vector<BenchRow>;

// Scenes whose stages are timed. The bar of the residual is none where the scene is solved roughly on purpose.
struct StagedScene {
  const char* name;
  int steps, quick_steps;
  double residual_bar;
};

constexpr double kNoBar = std::numeric_limits<double>::infinity();
constexpr StagedScene kStagedScenes[] = {
    {"physics/box_stack", 480, 120, 1e-8},
    {"dish_pile", 240, 60, 1e-8},
    {"laikago_8", 480, 120, 1e-8},
    {"spheres_1000", 300, 60, kNoBar},
};

struct LargeScene {
  const char* name;
  int steps, quick_steps;
};
constexpr LargeScene kLargeScenes[] = {{"boxes_2000", 300, 30}, {"spheres_5000", 300, 30}};

// A scene that must come out the same, bit by bit.
struct RepeatedScene {
  const char* name;
  int steps;
};
constexpr RepeatedScene kRepeatedScenes[] = {
    {"physics/box_stack", 120}, {"ball_pit", 120}, {"panda_pick", 120}, {"laikago_8", 120}, {"boxes_2000", 50},
};

constexpr const char* kFreeBodyScenes[] = {"ball_pit", "physics/box_stack", "physics/card_house"};

SceneSimulation Make(const std::string& name, int threads = 1, const std::string& solver = {}) {
  const SceneDescription scene = LoadScene(FindScene(name));
  SimulatorSettings settings = MakeSettings(scene.settings);
  settings.threads = threads;
  if (!solver.empty()) settings.solver = solver;
  return MakeSimulation(scene, settings);
}

// What steps reported.
struct Log {
  std::vector<double> stages[6], contacts;
  double residual = 0;
  int not_moved = 0, missed = 0, most_contacts = 0;
  long long merged = 0;

  void Add(const StepReport& report) {
    const StageTimes& t = report.stages;
    const double times[] = {t.control, t.kinematics, t.collision, t.assembly, t.solve, t.integration};
    for (int k = 0; k < 6; ++k) stages[k].push_back(1e3 * times[k]);
    contacts.push_back(report.contacts);
    residual = std::max(residual, report.solve.residual.worst());
    not_moved += report.moved() ? 0 : 1;
    missed += report.missed;
    merged += report.merged;
    most_contacts = std::max(most_contacts, report.contacts);
  }
};

void AddPhysics(Rows* rows) {
  const std::vector<PhysicsRow> physics = MeasurePhysics("hybrid");
  const auto wrong = std::count_if(physics.begin(), physics.end(), [](const PhysicsRow& row) { return !row.pass; });
  rows->push_back(BenchRow::AtMost("physics with known answers, hybrid: out of tolerance", static_cast<double>(wrong),
                                   fmt::format("of {}", physics.size()), 0));
}

void AddStages(const StagedScene& scene, bool quick, Rows* rows) {
  constexpr const char* kNames[] = {"control", "kinematics", "collision", "assembly", "solve", "integration"};
  const SceneSimulation simulation = Make(scene.name);
  Log log;
  for (int k = 0; k < (quick ? scene.quick_steps : scene.steps); ++k) log.Add(simulation.simulator->Step());
  const auto name = [&](const char* what) { return fmt::format("{}: {}", scene.name, what); };
  for (int k = 0; k < 6; ++k) {
    rows->push_back(BenchRow::Measured(name(kNames[k]) + ", median", Quantile(log.stages[k], 0.5), "ms/step")
                        .WithSpread(log.stages[k]));
  }
  rows->push_back(BenchRow::Measured(name("contacts, median"), Quantile(log.contacts, 0.5), ""));
  const SimulatorSettings& settings = simulation.simulator->settings();
  const std::string residual = name("residual, largest") + fmt::format(" ({})", settings.solver);
  rows->push_back(scene.residual_bar < kNoBar ? BenchRow::AtMost(residual, log.residual, "", scene.residual_bar)
                                              : BenchRow::Measured(residual, log.residual, ""));
}

// Hashes after each step, with the second half in another simulator that starts from a snapshot if `restore` says so.
std::vector<std::uint64_t> CalcHashes(const RepeatedScene& scene, int steps, int threads, bool restore) {
  std::vector<std::uint64_t> hashes;
  SceneSimulation simulation = Make(scene.name, threads);
  for (int k = 0; k < steps; ++k) {
    if (restore && k == steps / 2) {
      const Snapshot snapshot = Snapshot::Deserialize(simulation.simulator->MakeSnapshot().Serialize());
      simulation = Make(scene.name, threads);
      simulation.simulator->Restore(snapshot);
    }
    if (!simulation.simulator->Step().moved()) break;
    hashes.push_back(simulation.simulator->CalcStateHash());
  }
  return hashes;
}

void AddRepeatability(bool quick, Progress* progress, int* done, Rows* rows) {
  int again = 0, threads = 0, restored = 0, scenes = 0;
  for (const RepeatedScene& scene : kRepeatedScenes) {
    progress->Show(++*done, fmt::format("{} again", scene.name));
    const int steps = quick ? scene.steps / 4 : scene.steps;
    const std::vector<std::uint64_t> first = CalcHashes(scene, steps, 1, false);
    again += CalcHashes(scene, steps, 1, false) != first;
    threads += CalcHashes(scene, steps, 2, false) != first;
    restored += CalcHashes(scene, steps, 1, true) != first;
    ++scenes;
  }
  const std::string of = fmt::format("of {}", scenes);
  rows->push_back(BenchRow::AtMost("repeated: scenes with another state_hash", again, of, 0));
  rows->push_back(BenchRow::AtMost("2 threads: scenes with another state_hash", threads, of, 0));
  rows->push_back(BenchRow::AtMost("restored half way: scenes with another state_hash", restored, of, 0));
}

void AddLarge(const LargeScene& scene, bool quick, Rows* rows) {
  const SceneSimulation simulation = Make(scene.name);
  const Simulator& simulator = *simulation.simulator;
  const int steps = quick ? scene.quick_steps : scene.steps;
  Log log;
  int not_finite = 0;
  const Timer timer;
  for (int k = 0; k < steps; ++k) {
    log.Add(simulation.simulator->Step());
    not_finite += !simulator.state().q.allFinite() || !simulator.state().v.allFinite();
  }
  const double seconds = timer.seconds();
  const std::string of = fmt::format("of {}", steps);
  const auto name = [&](const char* what) { return fmt::format("{}: {}", scene.name, what); };
  rows->push_back(BenchRow::AtMost(name("steps that did not move"), log.not_moved, of, 0));
  rows->push_back(BenchRow::AtMost(name("steps with numbers that are not finite"), not_finite, of, 0));
  rows->push_back(BenchRow::AtMost(name("contacts found too late"), log.missed, "", 0));
  rows->push_back(BenchRow::Measured(name("contact points merged"), static_cast<double>(log.merged), ""));
  rows->push_back(BenchRow::Measured(name("contacts, most"), log.most_contacts, ""));
  rows->push_back(BenchRow::Measured(name("residual, largest"), log.residual, ""));
  const double contact_bytes = static_cast<double>(simulator.CalcContactMemory());
  const double body_bytes = static_cast<double>(simulator.CalcMemory()) - contact_bytes;
  rows->push_back(BenchRow::Measured(name("memory per contact"), contact_bytes / log.most_contacts, "bytes"));
  rows->push_back(BenchRow::Measured(name("memory per body"), body_bytes / simulator.model().num_bodies(), "bytes"));
  rows->push_back(
      BenchRow::Measured(name("collision, median"), Quantile(log.stages[2], 0.5), "ms/step").WithSpread(log.stages[2]));
  rows->push_back(BenchRow::Measured(name("wall time"), seconds, "s"));
}

// Largest error of: change of momentum = weight and impulses of the world, relative to the sum of all of these. And the
// largest residual of the dynamics that the solver itself reported.
struct MomentumError {
  double error = 0, dynamics_residual = 0;
};

MomentumError CalcMomentumError(const char* scene, const std::string& solver, int steps) {
  const SceneSimulation simulation = Make(scene, 1, solver);
  Simulator& simulator = *simulation.simulator;
  const Vector3 weight =
      CalcMovingMass(simulator.model()) * simulator.settings().scheme.step * simulator.model().gravity();
  const auto fixed = [&](int object) { return simulator.objects()[static_cast<std::size_t>(object)].body < 0; };
  MomentumError out;
  for (int k = 0; k < steps; ++k) {
    const Vector3 before = CalcMomentum(simulator.model(), simulator.kinematics()).head<3>();
    const StepReport report = simulator.Step();
    const Vector3 after = CalcMomentum(simulator.model(), simulator.kinematics()).head<3>();
    Vector3 impulse = weight;
    double scale = weight.norm() + before.norm();
    for (const ContactState& c : simulator.contacts()) {
      if (!c.active || fixed(c.object_a) == fixed(c.object_b)) continue;
      impulse += fixed(c.object_b) ? c.impulse_W() : Vector3(-c.impulse_W());
      scale += c.impulse_W().norm();
    }
    const double error = (after - before - impulse).norm() / scale;
    out.error = std::max(out.error, std::isfinite(error) ? error : kNoBar);
    out.dynamics_residual = std::max(out.dynamics_residual, report.solve.residual.dynamics);
  }
  return out;
}

void AddMomentum(bool quick, Rows* rows) {
  constexpr double kBar = 1e-12;
  const int steps = quick ? 100 : 300;
  for (const char* solver : {"hybrid", "pgs"}) {
    MomentumError worst;
    for (const char* scene : kFreeBodyScenes) {
      const MomentumError error = CalcMomentumError(scene, solver, steps);
      worst.error = std::max(worst.error, error.error);
      worst.dynamics_residual = std::max(worst.dynamics_residual, error.dynamics_residual);
    }
    // The rounding of momentum itself comes on top of what the solver left.
    const double bar = std::string(solver) == "hybrid" ? kBar : kBar + worst.dynamics_residual;
    rows->push_back(BenchRow::AtMost(fmt::format("momentum of free bodies, {}: largest error of a step", solver),
                                     worst.error, "relative", bar));
    rows->push_back(BenchRow::Measured(fmt::format("momentum of free bodies, {}: dynamics residual", solver),
                                       worst.dynamics_residual, "relative"));
  }
}

}  // namespace

std::vector<BenchRow> RunSimulationSuite(const BenchSettings& settings) {
  Rows rows;
  int done = 0;
  Progress progress(
      2 + static_cast<int>(std::size(kStagedScenes) + std::size(kRepeatedScenes) + std::size(kLargeScenes)),
      Progress::Elsewhere::Lines);
  progress.Show(++done, "physics with known answers");
  AddPhysics(&rows);
  progress.Show(++done, "momentum");
  AddMomentum(settings.quick, &rows);
  AddRepeatability(settings.quick, &progress, &done, &rows);
  for (const StagedScene& scene : kStagedScenes) {
    progress.Show(++done, scene.name);
    AddStages(scene, settings.quick, &rows);
  }
  for (const LargeScene& scene : kLargeScenes) {
    progress.Show(++done, scene.name);
    AddLarge(scene, settings.quick, &rows);
  }
  return rows;
}

}  // namespace tactus::cli
