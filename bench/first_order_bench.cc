// Time per sweep of the first-order solvers against what their arithmetic must cost.
//
// sweep_ns     one sweep, the laws included, preparation and residual checks excluded
// product_ns   the products alone: all of sigma once (and, in velocity form, v once), with the same kernels
// bound_ns     2 flops per nonzero at the rate of a dot product that stays in the first-level cache
// x_bound      sweep_ns / bound_ns
#include <algorithm>
#include <ctime>
#include <limits>
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
  const double bound = system.product_cost() / CalcCachedRate();
  state.counters["contacts"] = problem.num_contacts();
  state.counters["nonzeros"] = system.product_cost();
  state.counters["sweep_ns"] = 1e9 * sweep;
  state.counters["product_ns"] = 1e9 * product;
  state.counters["bound_ns"] = 1e9 * bound;
  state.counters["x_bound"] = sweep / bound;
}

void BenchSolve(benchmark::State& state, const char* solver_name, const char* kind, double tolerance) {
  const ContactProblem problem = Generate(kind, {}, 1);
  const auto solver = MakeSolver(solver_name);
  SolveSettings settings;
  settings.tolerance = tolerance;
  SolveReport report;
  ContactSolution solution;
  for (auto _ : state) {
    report = solver->Solve(problem, settings, WarmStart(), &solution);
    state.SetIterationTime(report.time);
  }
  state.counters["contacts"] = problem.num_contacts();
  state.counters["iterations"] = report.iterations;
  state.counters["natural_rho"] = report.residual.natural_rho;
  state.counters["solved"] = report.solved();
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

#define TACTUS_SOLVE(label, solver, kind) \
  BENCHMARK_CAPTURE(BenchSolve, label, solver, kind, 1e-4)->UseManualTime()->Unit(benchmark::kMillisecond)
TACTUS_SOLVE(bolt_pgs, "pgs", "bolt");
TACTUS_SOLVE(bolt_pgs_ncg, "pgs-ncg", "bolt");
TACTUS_SOLVE(bolt_pj, "pj", "bolt");
TACTUS_SOLVE(bolt_apgd, "apgd", "bolt");
TACTUS_SOLVE(bolt_fadmm, "fadmm", "bolt");
TACTUS_SOLVE(bolt_soft_convex, "soft-convex", "bolt");
TACTUS_SOLVE(dishes_pgs, "pgs", "dishes");
TACTUS_SOLVE(dishes_pgs_ncg, "pgs-ncg", "dishes");
TACTUS_SOLVE(dishes_pj, "pj", "dishes");
TACTUS_SOLVE(dishes_apgd, "apgd", "dishes");
TACTUS_SOLVE(dishes_fadmm, "fadmm", "dishes");
TACTUS_SOLVE(dishes_soft_convex, "soft-convex", "dishes");

}  // namespace
}  // namespace tactus
