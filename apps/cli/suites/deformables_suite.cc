// Suite `deformables`: the scenes of papers 001 and 002 with random parameters, and the indices of 001's Tables II,
// III, V and VI on contact problems out of them. Scenes run with their own solver; the others get the problem of every
// so many steps, cold, to the paper's thresholds, and are compared with a converged answer of the same problem. So
// errors are those of one step, and do not add up as they would along trajectories of their own.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/bench_suite.h"
#include "apps/cli/scene_library.h"
#include "apps/cli/suites/cond_runs.h"
#include "apps/cli/suites/scenario_runs.h"
#include "apps/cli/terminal.h"
#include "tactus/core/timer.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/goals.h"
#include "tactus/scene/scene_file.h"
#include "tactus/solvers/registry.h"

namespace tactus::cli {

namespace {

using Rows = std::vector<BenchRow>;

struct Trial {
  const char* scene;
  std::vector<std::string> set, quick;  // overrides; those of --quick come on top
  double threshold;                     // the paper's, here of natural_rho
  int samples;                          // problems a trial
  bool whole = true;                    // to the scene's end, so that its goals can be judged
  const char* figure = "";              // the paper's curve
};

const std::vector<Trial>& Trials() {
  static const std::vector<Trial> trials = {
      {"soft-mat", {"vary=1"}, {"cells=8"}, 1e-4, 6, true, " (001, Fig. 7b)"},
      {"soft-ball", {"vary=1"}, {"edge=0.01"}, 1e-5, 6, true, " (001, Fig. 8b)"},
      // Two turns of 55 s; a trial is the first 12 s of them.
      {"cable-winding", {"vary=1", "duration=12"}, {"links=60", "duration=9"}, 1e-4, 6, false, " (001, Fig. 9b)"},
      {"soft-gripper", {"vary=1"}, {"fine=3"}, 1e-6, 6, true, " (001, Fig. 10b)"},
      {"beam-insertion", {}, {"cells=2", "along=16"}, 1e-4, 6},
      {"collaborative-cable", {}, {"links=60"}, 1e-4, 6},
  };
  return trials;
}

// Sums over the problems of all trials, of one step each: MP and DE (the farthest dof) in millimetres, IE and FE (all
// contact forces, through J^T) in newtons.
struct SolverIndices {
  int count = 0, solved = 0;
  double penetration = 0, internal_error = 0, force_error = 0, displacement_error = 0, iterations = 0;
  std::vector<double> times;  // [ms]
};

// What the material of a deformable does at q (+) h v_hat: b/h of a step from rest there, without gravity.
VectorX CalcInternalForce(const Simulator& simulator, int k, const VectorX& v_hat) {
  const Deformable& body = simulator.deformables().body(k);
  const DeformableState& state = simulator.previous_state().deformables[static_cast<std::size_t>(k)];
  const DeformableState& after = simulator.state().deformables[static_cast<std::size_t>(k)];
  const double h = simulator.settings().scheme.step;
  const int first = simulator.model().nv() + simulator.deformables().first_dof(k);
  VectorX q = state.q;
  body.Integrate(v_hat.segment(first, body.nv()), &after.held_velocity, h, &q);
  const VectorX rest = VectorX::Zero(body.nv());
  DeformableInput input;
  input.q = &q;
  input.v = &rest;
  const auto data = body.MakeData();
  SparseMatrix A = body.pattern();
  VectorX b(body.nv());
  if (!body.Assemble({h, 0}, input, nullptr, data.get(), &A, &b)) b.setConstant(std::nan(""));
  return b / h;
}

double CalcInternalForceError(const Simulator& simulator, const VectorX& v, const VectorX& reference) {
  double squared = 0;
  for (int k = 0; k < simulator.deformables().size(); ++k) {
    squared += (CalcInternalForce(simulator, k, v) - CalcInternalForce(simulator, k, reference)).squaredNorm();
  }
  return std::sqrt(squared);
}

double CalcContactForceError(const ContactProblem& problem, VectorX impulse_error) {
  impulse_error.tail(impulse_error.size() - 3 * problem.num_contacts()).setZero();
  VectorX force = VectorX::Zero(problem.num_dofs());
  problem.AddMultiplyJT(impulse_error, &force);
  return force.norm();
}

void Compare(const Simulator& simulator, const std::string& name, double threshold, const ContactSolution& reference,
             SolverIndices* out) {
  SolveSettings settings;
  settings.tolerance = threshold;
  ContactSolution solution;
  // Factors are part of the time of those who need them.
  const SolveReport report =
      MakeSolver(name)->Solve(WithoutFactors(simulator.problem()), settings, WarmStart(), &solution);
  double deepest = 0;
  for (int i = 0; i < simulator.problem().num_contacts(); ++i) deepest = std::max(deepest, -solution.sigma[3 * i + 2]);
  ++out->count;
  out->solved += report.solved() ? 1 : 0;
  const double h = simulator.settings().scheme.step;
  out->penetration += 1e3 * h * deepest;
  out->internal_error += CalcInternalForceError(simulator, solution.velocity, reference.velocity);
  out->force_error += CalcContactForceError(simulator.problem(), solution.impulse - reference.impulse) / h;
  out->displacement_error += 1e3 * h * (solution.velocity - reference.velocity).lpNorm<Eigen::Infinity>();
  out->times.push_back(1e3 * report.cpu_time);
  out->iterations += report.iterations;
}

// Of all trials of a scene.
struct SceneIndices {
  PlotSeries depth;  // over the time of the first trial [mm]
  int runs = 0, done = 0, steps = 0, unsolved = 0;
  double penetration = 0, deepest = 0, iterations = 0;
  std::vector<double> dynamics, solver;  // of each step [ms]
  std::vector<SolverIndices> solvers;
};

const std::vector<std::string>& Compared() {
  static const std::vector<std::string> names = {"cond", "apgd", "pgs"};
  return names;
}

// Of a trial in a quick run, which therefore tells nothing of goals.
constexpr double kQuickShare = 0.4;

void RunTrial(const Trial& trial, std::uint64_t seed, bool quick, SceneIndices* out) {
  SceneFileSettings files;
  files.seed = seed;
  files.overrides = trial.set;
  if (quick) files.overrides.insert(files.overrides.end(), trial.quick.begin(), trial.quick.end());
  const SceneDescription scene = LoadScene(FindScene(trial.scene), files);
  const SceneSimulation simulation = MakeSimulation(scene);
  Simulator& simulator = *simulation.simulator;
  GoalJudge judge(scene, simulator);
  const double share = quick ? kQuickShare : 1;
  const int steps = static_cast<int>(std::lround(share * scene.duration / simulator.settings().scheme.step));
  const int every = std::max(steps / (quick ? 2 : trial.samples), 1);
  const auto reference_solver = MakeSolver("hybrid");
  for (int k = 1; k <= steps; ++k) {
    const ThreadCpuTimer timer;
    const StepReport report = simulator.Step();
    out->dynamics.push_back(1e3 * (timer.seconds() - report.solver_cpu_time));
    out->solver.push_back(1e3 * report.solver_cpu_time);
    out->iterations += report.solver_iterations;
    out->penetration += 1e3 * report.max_penetration;
    out->deepest = std::max(out->deepest, 1e3 * report.max_penetration);
    out->unsolved += report.status == StepStatus::Ok ? 0 : 1;
    ++out->steps;
    if (out->runs == 0) out->depth.points.emplace_back(simulator.time(), 1e3 * report.max_penetration);
    judge.Observe(simulator, report);
    if (!report.moved()) break;
    if (k % every != 0 || simulator.problem().num_contacts() == 0) continue;
    SolveSettings tight;
    tight.tolerance = 1e-9;
    ContactSolution reference;
    static_cast<void>(reference_solver->Solve(simulator.problem(), tight, WarmStart(), &reference));
    for (std::size_t s = 0; s < Compared().size(); ++s) {
      Compare(simulator, Compared()[s], trial.threshold, reference, &out->solvers[s]);
    }
  }
  const std::vector<GoalResult> results = judge.Judge(simulator);
  ++out->runs;
  out->done += std::all_of(results.begin(), results.end(), [](const GoalResult& r) { return r.met; }) ? 1 : 0;
}

void AddRows(const Trial& trial, const SceneIndices& all, bool quick, Rows* rows) {
  const std::string name = fmt::format("{}, {} trials: ", trial.scene, all.runs);
  const double steps = std::max(all.steps, 1);
  if (trial.whole && !quick) rows->push_back(BenchRow::Measured(name + "done", all.done, ""));
  rows->push_back(BenchRow::Measured(name + "steps not solved", all.unsolved, ""));
  rows->push_back(BenchRow::Measured(name + "penetration, mean of steps", all.penetration / steps, "mm"));
  rows->push_back(BenchRow::Measured(name + "penetration, most", all.deepest, "mm"));
  rows->push_back(BenchRow::Measured(name + "dynamics time", Mean(all.dynamics), "ms").WithSpread(all.dynamics));
  rows->push_back(BenchRow::Measured(name + "solver time", Mean(all.solver), "ms").WithSpread(all.solver));
  for (std::size_t s = 0; s < Compared().size(); ++s) {
    const SolverIndices& i = all.solvers[s];
    const double n = std::max(i.count, 1);
    const std::string of = fmt::format("{}, {} to {:g}: ", trial.scene, Compared()[s], trial.threshold);
    rows->push_back(BenchRow::Measured(of + "solved", 100 * i.solved / n, "%"));
    rows->push_back(BenchRow::Measured(of + "MP", i.penetration / n, "mm"));
    rows->push_back(BenchRow::Measured(of + "IE", i.internal_error / n, "N"));
    rows->push_back(BenchRow::Measured(of + "FE", i.force_error / n, "N"));
    rows->push_back(BenchRow::Measured(of + "DE", i.displacement_error / n, "mm"));
    rows->push_back(BenchRow::Measured(of + "ST", Mean(i.times), "ms").WithSpread(i.times));
    rows->push_back(BenchRow::Measured(of + "IN", i.iterations / n, ""));
  }
}

}  // namespace

std::vector<BenchRow> RunDeformablesSuite(const BenchSettings& settings) {
  Rows rows;
  const std::uint64_t trials = settings.trials > 0 ? settings.trials : settings.quick ? 1 : 20;
  const auto wanted =
      std::count_if(Trials().begin(), Trials().end(), [&](const Trial& trial) { return settings.Wants(trial.scene); });
  Progress progress(static_cast<int>(trials) * static_cast<int>(wanted), Progress::Elsewhere::Lines);
  int done = 0;
  for (const Trial& trial : Trials()) {
    if (!settings.Wants(trial.scene)) continue;
    SceneIndices all;
    all.solvers.resize(Compared().size());
    for (std::uint64_t seed = 1; seed <= trials; ++seed) {
      progress.Show(++done, fmt::format("{}, trial {}", trial.scene, seed));
      RunTrial(trial, seed, settings.quick, &all);
    }
    AddRows(trial, all, settings.quick, &rows);
    if (settings.traces == nullptr) continue;
    all.depth.name = "the scene's own solver";
    settings.traces->push_back(
        {fmt::format("{}, first trial{}", trial.scene, trial.figure), {{"penetration [mm]", true, {all.depth}}}});
  }
  return rows;
}

}  // namespace tactus::cli
