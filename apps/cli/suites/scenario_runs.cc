#include "apps/cli/suites/scenario_runs.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/cli/scene_library.h"
#include "tactus/core/timer.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/goals.h"
#include "tactus/scene/scene_file.h"

namespace tactus::cli {

namespace {

// A scene as a plan wants it, ready to step.
struct PlannedRun {
  SceneDescription scene;
  SceneSimulation simulation;
  int steps = 0;

  PlannedRun(const std::string& name, const RunPlan& plan) {
    SceneFileSettings files;
    files.overrides = plan.set;
    files.seed = plan.seed;
    files.trial = plan.trial;
    scene = LoadScene(FindScene(name), files);
    SimulatorSettings settings = MakeSettings(scene.settings);
    settings.solver = plan.solver;
    settings.solve.time_budget = plan.time_budget;
    settings.solve.max_iterations = plan.iterations;
    settings.threads = plan.threads;
    if (plan.tolerance) settings.solve.tolerance = *plan.tolerance;
    if (plan.time_step) settings.scheme.step = *plan.time_step;
    if (plan.linearizations) settings.linearizations = *plan.linearizations;
    simulation = MakeSimulation(scene, settings);
    steps = plan.steps > 0 ? plan.steps : static_cast<int>(std::lround(scene.duration / settings.scheme.step));
  }
};

// Bytes that the program has asked for and not given back: what is resident also has what the C library keeps.
double HeapInUse() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
#else
  return std::numeric_limits<double>::quiet_NaN();
#endif
}

}  // namespace

void RunOutcome::Add(const StepReport& report) {
  ++steps;
  solved += report.solve.residual.natural_rho <= 1e-8 ? 1 : 0;
  paper += report.solve.residual.paper <= 1e-8 ? 1 : 0;
  errors += report.moved() && report.solve.status != SolveStatus::NumericalError ? 0 : 1;
  most_contacts = std::max(most_contacts, report.contacts);
  penetration = std::max(penetration, report.max_penetration);
  seconds.push_back(1e3 * report.solver_time);
  cpu_seconds.push_back(1e3 * report.solver_cpu_time);
  residuals.push_back(report.solve.residual.worst());
  iterations.push_back(report.solver_iterations);
}

void RunScene(const std::string& name, const RunPlan& plan, RunOutcome* out,
              const std::function<void(const Simulator& simulator)>& observe) {
  const PlannedRun run(name, plan);
  Simulator& simulator = *run.simulation.simulator;
  GoalJudge judge(run.scene, simulator);
  out->linearizations = simulator.settings().linearizations;
  bool moved = true;
  VectorX before = simulator.state().v;
  const double begin = simulator.time();
  for (int k = 0; k < run.steps && moved; ++k) {
    const Timer timer;
    const ThreadCpuTimer cpu_timer;
    const StepReport report = simulator.Step();
    out->step_cpu_seconds.push_back(1e3 * cpu_timer.seconds());
    out->wall_time += timer.seconds();
    out->Add(report);
    judge.Observe(simulator, report);
    if (observe) observe(simulator);
    out->jitter.push_back((simulator.state().v - before).norm());
    before = simulator.state().v;
    moved = report.moved();
  }
  out->simulated += simulator.time() - begin;
  const std::vector<GoalResult> goals = judge.Judge(simulator);
  ++out->runs;
  out->done += moved && std::all_of(goals.begin(), goals.end(), [](const GoalResult& g) { return g.met; }) ? 1 : 0;
}

std::vector<ContactProblem> CollectProblems(const std::string& name, const RunPlan& plan, int first, int every) {
  const PlannedRun run(name, plan);
  Simulator& simulator = *run.simulation.simulator;
  std::vector<ContactProblem> problems;
  for (int k = 1; k <= run.steps && simulator.Step().moved(); ++k) {
    if (k >= first && (k - first) % every == 0 && simulator.problem().num_contacts() > 0) {
      problems.push_back(simulator.problem());
    }
  }
  return problems;
}

SolveSettings Iterations(int count) {
  SolveSettings settings;
  settings.tolerance = 1e-15;
  settings.max_iterations = count;
  return settings;
}

SceneMemory MeasureSceneMemory(const std::string& name, const RunPlan& plan) {
  const double before = HeapInUse();
  const PlannedRun run(name, plan);
  Simulator& simulator = *run.simulation.simulator;
  for (int k = 0; k < run.steps && simulator.Step().moved(); ++k) {
  }
  SceneMemory out;
  out.bytes = HeapInUse() - before;
  out.bodies = simulator.model().num_bodies();
  out.dofs = simulator.problem().num_dofs();
  out.contacts = simulator.problem().num_contacts();
  return out;
}

}  // namespace tactus::cli
