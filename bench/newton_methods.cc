// The Newton-type methods on generated problems: how often they stall, how many iterations they take, and paper 000's
// Table II again. One benchmark iteration is one solve of each of 100 seeds; the counters are what docs/baselines.md
// shows.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "tactus/generate/generator.h"
#include "tactus/solvers/canal/canal_solver.h"
#include "tactus/solvers/damped_newton/damped_newton_solver.h"
#include "tactus/solvers/registry.h"
#include "tactus/solvers/tr_dogleg/tr_dogleg_solver.h"

namespace {

using tactus::ContactSolver;

constexpr int kSeeds = 100;

using Maker = std::function<std::unique_ptr<ContactSolver>()>;

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

std::vector<tactus::ContactProblem> MakeProblems(const std::string& kind, double mu) {
  std::vector<tactus::ContactProblem> problems;
  problems.reserve(kSeeds);
  for (int seed = 0; seed < kSeeds; ++seed) problems.push_back(tactus::Generate(kind, {{"mu", mu}}, seed));
  return problems;
}

// Sums over the seeds of one run.
struct Tally {
  double solved = 0, almost = 0, stalled = 0, inner_solves = 0, inner_failures = 0, failed_cases = 0, log_residual = 0,
         seconds = 0;
  std::vector<double> residuals;          // natural_rho of all cases
  std::vector<double> iterations, steps;  // of solved cases, or of all if `all`

  void Add(const tactus::SolveReport& report, bool all) {
    solved += report.solved();
    almost += report.status == tactus::SolveStatus::AlmostSolved;
    stalled += report.status == tactus::SolveStatus::Stalled;
    inner_solves += report.iterations;
    inner_failures += report.inner_failures;
    failed_cases += report.inner_failures > 0;
    log_residual += -std::log10(std::max(report.residual.paper, 1e-16));
    seconds += report.time;
    residuals.push_back(report.residual.natural_rho);
    if (!all && !report.solved()) return;
    iterations.push_back(report.iterations);
    steps.push_back(report.newton_steps);
  }
};

// Solves to 1e-8 from cold: stalls, and the medians of the solved cases.
void SolveAll(benchmark::State& state, const Maker& make, const std::string& kind, double mu) {
  const auto problems = MakeProblems(kind, mu);
  Tally tally;
  for (auto _ : state) {
    tally = Tally();
    const auto solver = make();
    tactus::ContactSolution solution;
    for (const auto& problem : problems) tally.Add(solver->Solve(problem, &solution), false);
  }
  state.counters["solved"] = tally.solved;
  state.counters["almost"] = tally.almost;
  state.counters["stalled"] = tally.stalled;
  state.counters["al_median"] = Median(tally.iterations);
  state.counters["newton_median"] = Median(tally.steps);
  state.counters["newton_max"] = tally.steps.empty() ? 0 : *std::max_element(tally.steps.begin(), tally.steps.end());
  state.counters["inner_failures"] = tally.inner_failures;
  state.counters["-log10_rho"] = -std::log10(std::max(Median(tally.residuals), 1e-16));
  state.counters["ms_per_solve"] = 1e3 * tally.seconds / kSeeds;
}

// Table II: ten AL loops whatever the residual.
void TenLoops(benchmark::State& state, const Maker& make, const std::string& kind, double mu) {
  const auto problems = MakeProblems(kind, mu);
  tactus::SolveSettings settings;
  settings.tolerance = 1e-15;
  settings.max_iterations = 10;
  Tally tally;
  for (auto _ : state) {
    tally = Tally();
    const auto solver = make();
    tactus::ContactSolution solution;
    for (const auto& problem : problems) tally.Add(solver->Solve(problem, settings, {}, &solution), true);
  }
  double steps = 0;
  for (const double s : tally.steps) steps += s;
  state.counters["inner_mean"] = steps / kSeeds;
  state.counters["inner_median"] = Median(tally.steps);
  state.counters["failed_inner_%"] = 100 * tally.inner_failures / std::max(1.0, tally.inner_solves);
  state.counters["failed_cases_%"] = 100 * tally.failed_cases / kSeeds;
  state.counters["-log10_paper"] = tally.log_residual / kSeeds;
}

// A solver with the outer loop's constants as published (absolute beta, Euclidean norms) or as ours.
template <typename Solver, typename Settings>
Maker WithConstants(bool published) {
  return [published] {
    Settings settings;
    if (published) {
      settings.scale_beta = settings.energy_norm = false;
      settings.beta_max = 1e8;
    }
    return std::unique_ptr<ContactSolver>(new Solver(settings));
  };
}

void RegisterOne(const std::string& name, const Maker& make) {
  for (const std::string kind : {"dishes", "bolt"}) {
    for (const double mu : {0.1, 0.3, 1.0}) {
      const std::string label = fmt::format("/{}/{}/mu:{:.1f}", name, kind, mu);
      benchmark::RegisterBenchmark(("Solve" + label).c_str(),
                                   [=](benchmark::State& state) { SolveAll(state, make, kind, mu); })
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
      if (kind == "dishes" && name != "nnewton" && name != "hybrid") {
        benchmark::RegisterBenchmark(("TenLoops" + label).c_str(),
                                     [=](benchmark::State& state) { TenLoops(state, make, kind, mu); })
            ->Iterations(1)
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
}

const bool registered = [] {
  for (const bool published : {false, true}) {
    const std::string suffix = published ? "-published" : "";
    RegisterOne("canal" + suffix, WithConstants<tactus::CanalSolver, tactus::CanalSettings>(published));
    RegisterOne("tr-dogleg" + suffix, WithConstants<tactus::TrDoglegSolver, tactus::TrDoglegSettings>(published));
    RegisterOne("damped-newton" + suffix,
                WithConstants<tactus::DampedNewtonSolver, tactus::DampedNewtonSettings>(published));
  }
  RegisterOne("nnewton", [] { return tactus::MakeSolver("nnewton"); });
  RegisterOne("damped-newton-climb", [] {
    tactus::DampedNewtonSettings settings;
    settings.climb = true;
    return std::unique_ptr<ContactSolver>(new tactus::DampedNewtonSolver(settings));
  });
  RegisterOne("hybrid", [] { return tactus::MakeSolver("hybrid"); });
  return true;
}();

}  // namespace
