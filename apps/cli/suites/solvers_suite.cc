// Suite `solvers`: what the accurate solvers must show on generated problems, and on FCLib files where they are at
// hand.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/bench_suite.h"
#include "apps/cli/statistics.h"
#include "apps/cli/suites/yardstick.h"
#include "apps/cli/terminal.h"
#include "tactus/contact/problem_file.h"
#include "tactus/generate/generator.h"
#include "tactus/solvers/registry.h"

namespace tactus::cli {

namespace {

using Rows = std::vector<BenchRow>;

// A family of problems: one kind, one set of parameters, many seeds.
struct Family {
  std::string name, kind;
  GeneratorParameters parameters;
};

struct Tally {
  int solved = 0, cases = 0, paper = 0;
  std::vector<double> time_ms, iterations, newton, residual;

  void Add(const SolveReport& report, double time) {
    ++cases;
    solved += report.solved();
    paper += report.residual.paper <= 1e-8;
    time_ms.push_back(1e3 * time);
    iterations.push_back(report.iterations);
    newton.push_back(report.newton_steps);
    residual.push_back(report.residual.natural_rho);
  }
  double median_ms() const { return Quantile(time_ms, 0.5); }
};

// Median processor time of a few repeats: the first also warms the caches.
SolveReport SolveRepeated(ContactSolver* solver, const ContactProblem& problem, const SolveSettings& settings,
                          const WarmStart& warm, int repeats, ContactSolution* solution, double* time) {
  SolveReport report;
  std::vector<double> times;
  for (int k = 0; k < repeats; ++k) {
    report = solver->Solve(problem, settings, warm, solution);
    times.push_back(report.cpu_time);  // steadier than the wall clock where the machine is shared
  }
  *time = Quantile(times, 0.5);
  return report;
}

// Seeds far from those that tests and examples use.
constexpr int kFirstSeed = 1001;

Tally RunFamily(const BenchSettings& bench, const Family& family, const std::string& solver_name, int seeds,
                int repeats, const SolveSettings& settings) {
  const std::unique_ptr<ContactSolver> solver = bench.make_solver(solver_name);
  Tally tally;
  for (int seed = kFirstSeed; seed < kFirstSeed + seeds; ++seed) {
    const ContactProblem problem = Generate(family.kind, family.parameters, seed);
    ContactSolution solution;
    double time = 0;
    const SolveReport report = SolveRepeated(solver.get(), problem, settings, WarmStart(), repeats, &solution, &time);
    tally.Add(report, time);
  }
  return tally;
}

// Two solvers on the same problems, in turns, so that both meet the same noise of the machine.
struct SideBySide {
  Tally first, second;
  std::vector<double> ratios;  // time of the second over that of the first
};

SideBySide CompareOnFamily(const BenchSettings& bench, const Family& family, const std::string& first_name,
                           const SolveSettings& first_settings, const std::string& second_name,
                           const SolveSettings& second_settings, int seeds) {
  constexpr int kTurns = 2, kRepeats = 5;
  const std::unique_ptr<ContactSolver> first = bench.make_solver(first_name), second = bench.make_solver(second_name);
  SideBySide result;
  for (int seed = kFirstSeed; seed < kFirstSeed + seeds; ++seed) {
    const ContactProblem problem = Generate(family.kind, family.parameters, seed);
    ContactSolution solution;
    SolveReport first_report, second_report;
    double first_time = 0, second_time = 0;
    for (int turn = 0; turn < kTurns; ++turn) {
      double time = 0;
      first_report = SolveRepeated(first.get(), problem, first_settings, WarmStart(), kRepeats, &solution, &time);
      first_time += time / kTurns;
      second_report = SolveRepeated(second.get(), problem, second_settings, WarmStart(), 1, &solution, &time);
      second_time += time / kTurns;
    }
    result.first.Add(first_report, first_time);
    result.second.Add(second_report, second_time);
    result.ratios.push_back(second_time / first_time);
  }
  return result;
}

// The next step of the same scene: random loads changed by 1 %, started from the last step's impulses.
Tally RunWarm(const BenchSettings& bench, const Family& family, int seeds, int repeats) {
  const std::unique_ptr<ContactSolver> solver = bench.make_solver("hybrid");
  Tally tally;
  GeneratorParameters next = family.parameters;
  for (const GeneratorParameter& p : FindGenerator(family.kind).parameters) {
    if (p.name == "wrench") next["wrench"] = 1.01 * p.value;
  }
  for (int seed = kFirstSeed; seed < kFirstSeed + seeds; ++seed) {
    ContactSolution before, after;
    const SolveReport first = solver->Solve(Generate(family.kind, family.parameters, seed), &before);
    if (!first.solved()) continue;
    WarmStart warm;
    warm.impulse = before.impulse;
    double time = 0;
    const SolveReport report =
        SolveRepeated(solver.get(), Generate(family.kind, next, seed), SolveSettings(), warm, repeats, &after, &time);
    tally.Add(report, time);
  }
  return tally;
}

// Bolts and dishes: all solved, quickly; the published method and Gauss-Seidel beside it.
void AddPaperScenes(const BenchSettings& settings, Progress* progress, int* step, Rows* rows) {
  const int seeds = settings.quick ? 20 : 100, repeats = 5;
  for (const char* kind : {"bolt", "dishes"}) {
    if (!settings.Wants(kind)) continue;
    const bool bolt = std::string(kind) == "bolt";
    std::vector<double> all_times, all_outers, all_newton, all_residuals;
    for (const double mu : {0.1, 0.3, 1.0}) {
      const Family family{fmt::format("{} mu={}", kind, mu), kind, {{"mu", mu}}};
      progress->Show(++*step, family.name);
      const Tally tally = RunFamily(settings, family, "hybrid", seeds, repeats, SolveSettings());
      const std::string of = fmt::format("of {}", tally.cases);
      rows->push_back(
          BenchRow::AtLeast(family.name + ": hybrid solves to natural_rho 1e-8", tally.solved, of, tally.cases));
      rows->push_back(
          BenchRow::AtLeast(family.name + ": hybrid's paper residual is at most 1e-8", tally.paper, of, tally.cases));
      all_times.insert(all_times.end(), tally.time_ms.begin(), tally.time_ms.end());
      all_outers.insert(all_outers.end(), tally.iterations.begin(), tally.iterations.end());
      all_newton.insert(all_newton.end(), tally.newton.begin(), tally.newton.end());
      all_residuals.insert(all_residuals.end(), tally.residual.begin(), tally.residual.end());

      SolveSettings limited;
      limited.time_budget = 1;
      const Tally canal = RunFamily(settings, family, "canal", settings.quick ? 10 : seeds, 1, limited);
      rows->push_back(BenchRow::Measured(family.name + ": published canal solves to 1e-8", canal.solved,
                                         fmt::format("of {}", canal.cases)));
    }
    rows->push_back(BenchRow::AtMost(fmt::format("{}: hybrid, cold, median", kind), Quantile(all_times, 0.5), "ms",
                                     bolt ? 0.15 : 0.7)
                        .WithSpread(all_times));
    rows->push_back(BenchRow::Measured(fmt::format("{}: hybrid, cold, slowest", kind), Quantile(all_times, 1), "ms"));
    rows->push_back(BenchRow::AtMost(fmt::format("{}: hybrid, cold, largest residual", kind),
                                     Quantile(all_residuals, 1), "", 1e-8));
    rows->push_back(
        BenchRow::Measured(fmt::format("{}: hybrid, median outer iterations", kind), Quantile(all_outers, 0.5), ""));
    rows->push_back(
        BenchRow::AtMost(fmt::format("{}: hybrid, median Newton steps", kind), Quantile(all_newton, 0.5), "", 41));
    rows->push_back(BenchRow::AtMost(fmt::format("{}: hybrid, most Newton steps", kind), Quantile(all_newton, 1), "",
                                     bolt ? 103 : 200));

    const Family middle{kind, kind, {}};
    const Tally warm = RunWarm(settings, middle, seeds, repeats);
    const std::string name = fmt::format("{}: hybrid, warm after a change of 1 %, median", kind);
    rows->push_back(bolt ? BenchRow::AtMost(name, warm.median_ms(), "ms", 0.04).WithSpread(warm.time_ms)
                         : BenchRow::Measured(name, warm.median_ms(), "ms").WithSpread(warm.time_ms));

    progress->Show(++*step, fmt::format("{}, pgs", kind));
    SolveSettings rough;
    rough.tolerance = 1e-4;
    rough.time_budget = 2;
    const SideBySide pair =
        CompareOnFamily(settings, middle, "hybrid", SolveSettings(), "pgs", rough, settings.quick ? 10 : seeds);
    rows->push_back(BenchRow::Measured(fmt::format("{}: pgs reaches 1e-4 within 2 s", kind), pair.second.solved,
                                       fmt::format("of {}", pair.second.cases)));
    rows->push_back(BenchRow::AtLeast(fmt::format("{}: hybrid to 1e-8 is faster than pgs to 1e-4 by (medians)", kind),
                                      pair.second.median_ms() / pair.first.median_ms(), "times", 40));
    rows->push_back(BenchRow::Measured(fmt::format("{}: the same, median of the ratios of each problem", kind),
                                       Quantile(pair.ratios, 0.5), "times"));
  }
}

void AddOtherScenes(const BenchSettings& settings, Progress* progress, int* step, Rows* rows) {
  const int seeds = settings.quick ? 5 : 20;
  const std::vector<Family> families = {{"chain", "chain", {}},
                                        {"pile of 20", "pile", {{"bodies", 20}}},
                                        {"random", "random", {}},
                                        {"known", "known", {}}};
  for (const Family& family : families) {
    if (!settings.Wants(family.name)) continue;
    progress->Show(++*step, family.name);
    SolveSettings limited;
    limited.time_budget = 10;
    const Tally tally = RunFamily(settings, family, "hybrid", seeds, 1, limited);
    const std::string name = family.name + ": hybrid solves to natural_rho 1e-8",
                      of = fmt::format("of {}", tally.cases);
    // Piles are open ground: the strict law has solutions there that no method we know finds every time.
    rows->push_back(family.kind == "pile" ? BenchRow::Measured(name, tally.solved, of)
                                          : BenchRow::AtLeast(name, tally.solved, of, tally.cases));
    rows->push_back(
        BenchRow::Measured(family.name + ": hybrid, median", tally.median_ms(), "ms").WithSpread(tally.time_ms));
    rows->push_back(BenchRow::Measured(family.name + ": hybrid, largest residual", Quantile(tally.residual, 1), ""));
  }
}

// Real problems, if a folder fclib of them is in ../shared or where TACTUS_SHARED says (as for the tests).
std::vector<std::string> FindFclibFiles() {
  namespace fs = std::filesystem;
  const char* named = std::getenv("TACTUS_SHARED");
  const fs::path root = fs::path(named ? named : "../shared") / "fclib";
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator it(root / "problems", error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".hdf5") continue;
    const fs::path symmetrised = root / "symmetrised" / (it->path().stem().string() + ".sym.hdf5");
    files.push_back(fs::exists(symmetrised) ? symmetrised.string() : it->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void AddFclib(const BenchSettings& settings, Progress* progress, int* step, Rows* rows) {
  const std::vector<std::string> files = FindFclibFiles();
  if (files.empty()) return;
  progress->Show(++*step, "FCLib files");
  const std::unique_ptr<ContactSolver> solver = settings.make_solver("hybrid");
  SolveSettings solve;
  solve.accept_natural = true;
  int solved = 0;
  double total = 0;
  for (const std::string& file : files) {
    const ProblemFile input = ReadProblemFile(file);
    ContactSolution solution;
    double time = 0;
    const SolveReport report =
        SolveRepeated(solver.get(), input.problem, solve, WarmStart(), settings.quick ? 3 : 9, &solution, &time);
    solved += report.solved() && report.residual.natural <= 1e-8 && report.residual.natural_rho <= 1e-8;
    total += time;
    if (input.problem.num_contacts() < 20) continue;
    rows->push_back(
        BenchRow::Measured("FCLib " + std::filesystem::path(file).stem().string() + ": hybrid", 1e3 * time, "ms"));
  }
  rows->push_back(BenchRow::AtLeast("FCLib: hybrid solves to natural and natural_rho 1e-8", solved,
                                    fmt::format("of {}", files.size()), static_cast<double>(files.size())));
  rows->push_back(BenchRow::Measured("FCLib: hybrid, all files", 1e3 * total, "ms"));
}

}  // namespace

std::vector<BenchRow> RunSolversSuite(const BenchSettings& settings) {
  Rows rows;
  Progress progress(14, Progress::Elsewhere::Lines);
  int step = 0;
  AddPaperScenes(settings, &progress, &step, &rows);
  AddOtherScenes(settings, &progress, &step, &rows);
  if (settings.Wants("FCLib")) AddFclib(settings, &progress, &step, &rows);
  if (settings.Wants("yardstick")) {
    progress.Show(++step, "yardstick");
    AddYardstickRows(settings, &rows);
  }
  return rows;
}

}  // namespace tactus::cli
