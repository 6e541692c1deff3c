// Time per sweep of the first-order solvers against what their arithmetic must cost.
//
// sweep_ns     one sweep, the laws included, preparation and residual checks excluded
// product_ns   the products alone: all of sigma once (and, in velocity form, v once), with the same kernels
// moves_ns     the updates of sigma (or v) alone if every constraint moved; in a sweep only those do whose impulse
// changes bound_ns     2 flops per nonzero at the rate of a dot product that stays in the first-level cache x_bound
// sweep_ns / bound_ns
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "tactus/core/timer.h"
#include "tactus/generate/generator.h"
#include "tactus/solvers/pgs/pgs_solver.h"
#include "tactus/solvers/registry.h"

namespace tactus {
namespace {

// Nonzeros per second of three rows of 512 times a vector, again and again.
double CalcCachedRate() {
  RunMatrix rows;
  rows.BeginBlock(3);
  std::fill_n(rows.AddRun(0, 512), 3 * 512, 0.5);
  const std::vector<double> x(512, 1.0);
  double best = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Timer timer;
    double out[3];
    for (int k = 0; k < 2000; ++k) {
      rows.MultiplyBlock(0, x.data(), out);
      benchmark::DoNotOptimize(out);
      benchmark::ClobberMemory();
    }
    best = std::max(best, 2000 * 3 * 512 / timer.seconds());
  }
  return best;
}

// Processor time, not wall time: other programs may be running.
double CpuSecondsOf(PgsSolver* solver, const ContactProblem& problem, int sweeps) {
  SolveSettings settings;
  settings.tolerance = std::numeric_limits<double>::min();
  settings.max_iterations = sweeps;
  ContactSolution solution;
  const std::clock_t start = std::clock();
  const SolveReport report = solver->Solve(problem, settings, WarmStart(), &solution);
  benchmark::DoNotOptimize(report.iterations);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void BenchSweep(benchmark::State& state, const char* kind, const GeneratorParameters& parameters, SystemForm form,
                LocalRule rule) {
  const ContactProblem problem = Generate(kind, parameters, 1);
  PgsSettings pgs;
  pgs.form = form;
  pgs.rule = rule;
  pgs.check_interval = 1 << 20;
  PgsSolver solver(pgs);
  constexpr int kSweeps = 1000;
  double all = kInfinity, one = kInfinity;  // fastest of many runs
  for (auto _ : state) {
    const double seconds = CpuSecondsOf(&solver, problem, kSweeps + 1);
    state.SetIterationTime(seconds);
    all = std::min(all, seconds);
    one = std::min(one, CpuSecondsOf(&solver, problem, 1));
  }
  const double sweep = (all - one) / kSweeps;
  ImpulseSystem system;
  system.Prepare(problem, form, true);
  const VectorX lambda = VectorX::Ones(problem.size());
  VectorX sigma;
  double product = kInfinity;
  for (int repeat = 0; repeat < 500; ++repeat) {
    const Timer timer;
    system.Multiply(lambda, &sigma);
    benchmark::DoNotOptimize(sigma.data());
    product = std::min(product, timer.seconds());
  }
  const RunMatrix& columns = system.form() == SystemForm::Delassus ? system.W() : system.Y();
  VectorX moved = VectorX::Zero(std::max(problem.size(), problem.has_dynamics() ? problem.num_dofs() : 0));
  double moves = kInfinity;
  for (int repeat = 0; repeat < 500; ++repeat) {
    const Timer timer;
    for (int i = 0; i < problem.num_constraints(); ++i) {
      columns.AddTransposedBlock(i, lambda.data() + problem.offset(i), moved.data());
    }
    benchmark::DoNotOptimize(moved.data());
    moves = std::min(moves, timer.seconds());
  }
  const double bound = system.product_cost() / CalcCachedRate();
  state.counters["contacts"] = problem.num_contacts();
  state.counters["nonzeros"] = system.product_cost();
  state.counters["sweep_ns"] = 1e9 * sweep;
  state.counters["product_ns"] = 1e9 * product;
  state.counters["moves_ns"] = 1e9 * moves;
  state.counters["bound_ns"] = 1e9 * bound;
  state.counters["x_bound"] = sweep / bound;
}

double Median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// How many of 20 seeds a solver solves from cold to a tolerance, and the medians of iterations (of the solved ones),
// time and residuals (of all). These are the figures of docs/baselines.md.
void BenchSeeds(benchmark::State& state, const std::string& solver_name, const std::string& kind, double mu,
                double tolerance, int max_iterations) {
  constexpr int kSeeds = 20;
  const auto solver = MakeSolver(solver_name);
  SolveSettings settings;
  settings.tolerance = tolerance;
  settings.max_iterations = max_iterations;
  std::vector<double> iterations, milliseconds, residuals, papers;
  for (auto _ : state) {
    double seconds = 0;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const ContactProblem problem = Generate(kind, {{"mu", mu}}, static_cast<std::uint64_t>(seed));
      ContactSolution solution;
      const std::clock_t start = std::clock();
      const SolveReport report = solver->Solve(problem, settings, WarmStart(), &solution);
      const double used = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      seconds += used;
      milliseconds.push_back(1e3 * used);
      residuals.push_back(report.residual.natural_rho);
      papers.push_back(report.residual.paper);
      if (report.solved()) iterations.push_back(report.iterations);
    }
    state.SetIterationTime(seconds);
  }
  state.counters["solved"] = static_cast<double>(iterations.size());
  state.counters["iterations"] = Median(iterations);
  state.counters["ms"] = Median(milliseconds);
  state.counters["natural_rho"] = Median(residuals);
  state.counters["paper"] = Median(papers);
}

#define TACTUS_SWEEP(name, ...) \
  BENCHMARK_CAPTURE(BenchSweep, name, __VA_ARGS__)->UseManualTime()->Iterations(20)->Unit(benchmark::kMillisecond)
TACTUS_SWEEP(bolt_velocity, "bolt", {}, SystemForm::Velocity, LocalRule::Exact);
TACTUS_SWEEP(bolt_delassus, "bolt", {}, SystemForm::Delassus, LocalRule::Exact);
TACTUS_SWEEP(bolt_delassus_strict, "bolt", {}, SystemForm::Delassus, LocalRule::Strict);
TACTUS_SWEEP(dishes_velocity, "dishes", {}, SystemForm::Velocity, LocalRule::Exact);
TACTUS_SWEEP(dishes_delassus, "dishes", {}, SystemForm::Delassus, LocalRule::Exact);
TACTUS_SWEEP(pile_velocity, "pile", {}, SystemForm::Velocity, LocalRule::Exact);
TACTUS_SWEEP(pile_delassus, "pile", {}, SystemForm::Delassus, LocalRule::Exact);

[[maybe_unused]] const bool kSeedsRegistered = [] {
  struct Family {
    const char* kind;
    double mu;
  };
  struct Goal {
    const char* name;
    double tolerance;
    int max_iterations;
  };
  for (const Family& family : {Family{"bolt", 0.1}, {"bolt", 0.3}, {"dishes", 0.3}, {"dishes", 1}, {"pile", 0.5}}) {
    for (const char* solver : {"pgs", "pgs-ncg", "pj", "apgd", "fadmm", "soft-convex"}) {
      for (const Goal& goal :
           {Goal{"100_iterations", 1e-12, 100}, {"1e-4", 1e-4, 0}, {"1e-6", 1e-6, 0}, {"1e-8", 1e-8, 0}}) {
        char name[100];
        std::snprintf(name, sizeof(name), "Seeds/%s_mu%g/%s/%s", family.kind, family.mu, solver, goal.name);
        benchmark::RegisterBenchmark(name,
                                     [=](benchmark::State& state) {
                                       BenchSeeds(state, solver, family.kind, family.mu, goal.tolerance,
                                                  goal.max_iterations);
                                     })
            ->UseManualTime()
            ->Iterations(1)
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace tactus
