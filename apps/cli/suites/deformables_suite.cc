// Suite `deformables`: the scenes of papers 001 and 002 with random parameters, and the indices of 001's Tables II,
// III, V and VI on contact problems out of them. Scenes run with their own solver; the others get the problem of every
// so many steps, and are compared with a converged answer of the same problem. So errors are those of one step, and do
// not add up as they would along trajectories of their own. They get it twice: cold, to the paper's thresholds of a
// true residual; and as the paper does, from the velocities (COND) or impulses (the others) of the step before, until
// an iteration moves velocities by less than the threshold.
#include <algorithm>
#include <cmath>
#include <memory>
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
#include "tactus/simulation/warm_memory.h"
#include "tactus/solvers/apgd/apgd_solver.h"
#include "tactus/solvers/pgs/pgs_solver.h"
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
  std::vector<double> velocity_errors;
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

void Count(const Simulator& simulator, const SolveReport& report, const ContactSolution& solution,
           const ContactSolution& reference, SolverIndices* out) {
  double deepest = 0;
  for (int i = 0; i < simulator.problem().num_contacts(); ++i) deepest = std::max(deepest, -solution.sigma[3 * i + 2]);
  ++out->count;
  out->solved += report.solved() ? 1 : 0;
  const double h = simulator.settings().scheme.step;
  out->penetration += 1e3 * h * deepest;
  out->internal_error += CalcInternalForceError(simulator, solution.velocity, reference.velocity);
  out->force_error += CalcContactForceError(simulator.problem(), solution.impulse - reference.impulse) / h;
  out->displacement_error += 1e3 * h * (solution.velocity - reference.velocity).lpNorm<Eigen::Infinity>();
  out->velocity_errors.push_back(CalcVelocityError(simulator.problem(), solution.velocity, reference.velocity, true));
  out->times.push_back(1e3 * report.cpu_time);
  out->iterations += report.iterations;
}

// A tolerance, so that nothing but the other test ends a solve.
constexpr double kNeverMet = 1e-15;

// Cold, to a true residual. Factors are part of the time of those who need them.
void Compare(const Simulator& simulator, const std::string& name, double threshold, const ContactSolution& reference,
             SolverIndices* out) {
  SolveSettings settings;
  settings.tolerance = threshold;
  ContactSolution solution;
  const SolveReport report =
      MakeSolver(name)->Solve(WithoutFactors(simulator.problem()), settings, WarmStart(), &solution);
  Count(simulator, report, solution, reference, out);
}

// What a step leaves for the next one to start from, as the paper has it.
struct Before {
  WarmMemory memory;
  ContactSolution solution;
};

std::unique_ptr<ContactSolver> MakeStopping(const std::string& name, double still) {
  if (name == "cond") {
    CondSettings settings;
    settings.still = still;
    return std::make_unique<CondSolver>(settings);
  }
  if (name == "apgd") {
    ApgdSettings settings;
    settings.still = still;
    return std::make_unique<ApgdSolver>(settings);
  }
  PgsSettings settings;
  settings.still = still;
  return std::make_unique<PgsSolver>(settings);
}

// The start of the paper's section V-A: velocities of the step before for COND, impulses of contacts that were there
// before for the others. Rows (attachments, drives) are the same ones in the same order, or start from nothing.
WarmStart MakePaperStart(const Simulator& simulator, const Before& before, bool of_velocities) {
  const ContactProblem& p = simulator.problem();
  WarmStart start;
  start.impulse = VectorX::Zero(p.size());
  before.memory.Recall(simulator.contacts(), {}, &start.impulse);
  const Eigen::Index rows =
      before.solution.impulse.size() - 3 * static_cast<Eigen::Index>(before.solution.modes.size());
  if (rows == p.num_rows()) start.impulse.tail(rows) = before.solution.impulse.tail(rows);
  if (of_velocities && before.solution.velocity.size() == p.num_dofs()) start.velocity = before.solution.velocity;
  return start;
}

// As the paper starts and stops. The test costs the others a product with the inverse of A in each iteration: they are
// timed without it, for as many iterations as it let them make.
void CompareAsPublished(const Simulator& simulator, const std::string& name, double threshold, const Before& before,
                        const ContactSolution& reference, SolverIndices* out) {
  const WarmStart start = MakePaperStart(simulator, before, name == "cond");
  SolveSettings settings;
  settings.tolerance = kNeverMet;
  ContactSolution solution;
  const SolveReport stopped =
      MakeStopping(name, threshold)->Solve(WithoutFactors(simulator.problem()), settings, start, &solution);
  const int count = std::max(stopped.iterations, 1);
  const SolveReport timed =
      MakeSolver(name)->Solve(WithoutFactors(simulator.problem()), IterationsOnly(count), start, &solution);
  Count(simulator, timed, solution, reference, out);
}

// Of all trials of a scene.
struct SceneIndices {
  PlotSeries depth;  // over the time of the first trial [mm]
  int runs = 0, done = 0, steps = 0, unsolved = 0;
  double penetration = 0, deepest = 0, iterations = 0;
  std::vector<double> dynamics, solver;           // of each step [ms]
  std::vector<SolverIndices> solvers, published;  // to a true residual, and as the paper starts and stops
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
  Before before;
  for (int k = 1; k <= steps; ++k) {
    const bool sampled = k % every == 0;
    if (sampled) before = {simulator.MakeSnapshot().warm, simulator.solution()};
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
    if (!sampled || simulator.problem().num_contacts() == 0) continue;
    SolveSettings tight;
    tight.tolerance = 1e-9;
    ContactSolution reference;
    static_cast<void>(reference_solver->Solve(simulator.problem(), tight, WarmStart(), &reference));
    for (std::size_t s = 0; s < Compared().size(); ++s) {
      Compare(simulator, Compared()[s], trial.threshold, reference, &out->solvers[s]);
      CompareAsPublished(simulator, Compared()[s], trial.threshold, before, reference, &out->published[s]);
    }
  }
  const std::vector<GoalResult> results = judge.Judge(simulator);
  ++out->runs;
  out->done += std::all_of(results.begin(), results.end(), [](const GoalResult& r) { return r.met; }) ? 1 : 0;
}

void AddIndices(const std::string& of, const SolverIndices& i, Rows* rows) {
  const double n = std::max(i.count, 1);
  rows->push_back(BenchRow::Measured(of + "MP", i.penetration / n, "mm"));
  rows->push_back(BenchRow::Measured(of + "IE", i.internal_error / n, "N"));
  rows->push_back(BenchRow::Measured(of + "FE", i.force_error / n, "N"));
  rows->push_back(BenchRow::Measured(of + "DE", i.displacement_error / n, "mm"));
  rows->push_back(BenchRow::Measured(of + "ST", Mean(i.times), "ms").WithSpread(i.times));
  rows->push_back(BenchRow::Measured(of + "IN", i.iterations / n, ""));
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
    const std::string of = fmt::format("{}, {} to {:g}: ", trial.scene, Compared()[s], trial.threshold);
    rows->push_back(BenchRow::Measured(of + "solved", 100.0 * i.solved / std::max(i.count, 1), "%"));
    AddIndices(of, i, rows);
  }
  for (std::size_t s = 0; s < Compared().size(); ++s) {
    const SolverIndices& i = all.published[s];
    const std::string of = fmt::format("{}, {} as published to {:g}: ", trial.scene, Compared()[s], trial.threshold);
    AddIndices(of, i, rows);
    rows->push_back(BenchRow::Measured(of + "error of velocities, median", Quantile(i.velocity_errors, 0.5), ""));
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
    all.published.resize(Compared().size());
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
