// Our solvers beside those of Siconos on the same files, on one thread, cold, judged by the same residual.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/siconos/measure.h"
#include "bench/siconos/report.h"
#include "bench/siconos/siconos_solve.h"
#include "tactus/contact/problem_file.h"
#include "tactus/solvers/registry.h"

namespace tactus::bench {
namespace {

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> solvers = {"hybrid"};
  MeasureSettings measure;
  bool without_siconos = false;
  bool whole_limit = false;  // every solver of Siconos gets it, however slow beside ours
  bool once = false;         // the quickest are not timed again
  std::string json;
};

// A fresh solver each time: memory kept from the last solve would be an advantage Siconos does not have.
Measurement MeasureOurs(const ContactProblem& problem, const std::string& name, const MeasureSettings& settings) {
  SolveSettings solve;
  solve.tolerance = settings.tolerance;
  solve.accept_natural = true;
  solve.time_budget = settings.limit;
  const auto run = [&] {
    const std::unique_ptr<ContactSolver> solver = MakeSolver(name);
    ContactSolution solution;
    const SolveReport report = solver->Solve(problem, solve, {}, &solution);
    return Attempt{solution.impulse, report.time, report.cpu_time, report.iterations, report.solved()};
  };
  // The budget above ends a solve with its best iterate; the limit of the child is for those that do not look at it.
  MeasureSettings patient = settings;
  patient.limit = 2 * settings.limit + 1;
  Measurement result = Measure(problem, patient, run, [](const NcpResidual& r) {
    return std::max({r.natural, r.natural_rho, r.natural_rho_mean});
  });
  result.solver = name;
  return result;
}

bool Better(const Measurement& a, const Measurement& b) {
  if (a.solved != b.solved) return a.solved;
  if (a.failure.empty() != b.failure.empty()) return a.failure.empty();
  return a.solved ? a.cpu_median() < b.cpu_median() : a.score < b.score;
}

Measurement MeasureSiconos(const ContactProblem& problem, const SiconosInput& input, const SiconosSolver& solver,
                           SiconosStorage storage, const MeasureSettings& settings) {
  Measurement m = Measure(
      problem, settings, [&] { return input.Solve(solver, storage, settings.tolerance); },
      [](const NcpResidual& r) { return r.natural; });
  m.solver = solver.name;
  m.variant = ToString(storage);
  return m;
}

constexpr SiconosStorage kStorages[] = {SiconosStorage::Block, SiconosStorage::Sparse, SiconosStorage::Dense};

// Times those that decide the ratios again, in turns, so that all of them meet the same noise of the machine.
void MeasureWinnersAgain(const ContactProblem& problem, const SiconosInput& input, const MeasureSettings& settings,
                         ProblemRow* row) {
  constexpr int kRounds = 3;
  const std::vector<const Measurement*> winners = {row->virtual_best(), row->virtual_best(false)};
  for (int round = 0; round < kRounds; ++round) {
    row->ours.front().Append(MeasureOurs(problem, row->ours.front().solver, settings));
    for (std::size_t k = 0; k < row->all_siconos.size(); ++k) {
      Measurement& m = row->all_siconos[k];
      if (std::find(winners.begin(), winners.end(), &m) == winners.end()) continue;
      m.Append(MeasureSiconos(problem, input, SiconosSolvers()[k / std::size(kStorages)],
                              kStorages[k % std::size(kStorages)], settings));
    }
  }
}

bool AnySolved(const std::vector<Measurement>& list) {
  return std::any_of(list.begin(), list.end(), [](const Measurement& m) { return m.solved; });
}

// Every solver in every storage: what counts is the quickest one, so that no choice of ours holds Siconos back. Those
// that take 20 times as long as ours cannot be that one; only if all do, they get the whole limit.
void MeasureAllOfSiconos(const ContactProblem& problem, const Options& options, ProblemRow* row) {
  const MeasureSettings& settings = options.measure;
  const SiconosInput input(problem);
  MeasureSettings brief = settings;
  if (row->ours.front().solved && !options.whole_limit)
    brief.limit = std::clamp(20 * row->ours.front().cpu_median(), 0.3, settings.limit);
  for (const MeasureSettings& limited : {brief, settings}) {
    row->all_siconos.clear();
    for (const SiconosSolver& solver : SiconosSolvers()) {
      for (const SiconosStorage storage : kStorages) {
        row->all_siconos.push_back(MeasureSiconos(problem, input, solver, storage, limited));
      }
    }
    if (options.whole_limit || AnySolved(row->all_siconos)) break;
  }
  if (!options.once) MeasureWinnersAgain(problem, input, settings, row);
  for (std::size_t k = 0; k < row->all_siconos.size(); k += std::size(kStorages)) {
    const auto first = row->all_siconos.begin() + static_cast<std::ptrdiff_t>(k);
    row->siconos.push_back(*std::min_element(first, first + std::size(kStorages), Better));
  }
}

ProblemRow MeasureFile(const ProblemFile& file, const Options& options) {
  ProblemRow row;
  row.name = std::filesystem::path(file.path).filename().replace_extension().replace_extension().string();
  row.contacts = file.problem.num_contacts();
  row.assembled = file.problem.has_dynamics();
  for (const std::string& name : options.solvers) {
    row.ours.push_back(MeasureOurs(file.problem, name, options.measure));
  }
  if (!options.without_siconos) MeasureAllOfSiconos(file.problem, options, &row);
  return row;
}

Options ParseOptions(int argc, char** argv) {
  Options options;
  CLI::App app("Our solvers beside those of Siconos, one thread, cold, judged by our residuals", "siconos_compare");
  app.add_option("files", options.files, "problem files")->required()->type_name("FILE");
  app.add_option("--solvers", options.solvers, "ours, by name, the first is compared with Siconos; or all")
      ->delimiter(',')
      ->type_name("NAME,...");
  app.add_option("--tol", options.measure.tolerance, "tolerance on `natural`")->check(CLI::Range(1e-15, 0.1));
  app.add_option("--repeat", options.measure.repeat, "least number of solves")->check(CLI::Range(1, 1000));
  app.add_option("--limit-s", options.measure.limit, "processor time of a solve, seconds")
      ->check(CLI::Range(0.01, 3600.));
  app.add_flag("--whole-limit", options.whole_limit, "for every solver of Siconos, however slow beside ours");
  app.add_flag("--once", options.once, "do not time the quickest again");
  app.add_flag("--without-siconos", options.without_siconos, "ours only");
  app.add_option("--json", options.json, "write every number to a file")->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  if (options.solvers == std::vector<std::string>{"all"}) {
    options.solvers.clear();
    for (const SolverEntry& entry : Solvers()) options.solvers.emplace_back(entry.name);
  }
  for (const std::string& name : options.solvers) MakeSolver(name);  // names that do not exist are refused at once
  return options;
}

void PrintTables(const std::vector<ProblemRow>& rows, const Options& options) {
  constexpr int kMinContacts = 20;
  fmt::print("Median processor times in ms, tolerance {:.0e}.\n\n", options.measure.tolerance);
  if (!options.without_siconos) {
    fmt::print("Siconos against ours; of global problems Siconos gets W assembled by us, outside the times:\n\n{}\n",
               FormatComparison(rows));
    fmt::print("{}\n{}\n{}\n", FormatTotals(rows, kMinContacts, true), FormatTotals(rows, kMinContacts, false),
               FormatTotals(rows, 1, true));
    fmt::print("Siconos's solvers (b: W in blocks, s: sparse, d: dense):\n\n{}\n", FormatSiconos(rows));
  }
  if (options.without_siconos || options.solvers.size() > 1) fmt::print("Our solvers:\n\n{}", FormatOurs(rows));
}

// BLAS reads these when it is loaded, which is before main: start again with them.
void UseOneThread(char** argv) {
  const char* now = std::getenv("OPENBLAS_NUM_THREADS");
  if (now && std::string(now) == "1") return;
  setenv("OMP_NUM_THREADS", "1", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  execv("/proc/self/exe", argv);
}

int Run(int argc, char** argv) {
  UseOneThread(argv);
  const Options options = ParseOptions(argc, argv);
  // All are read first: a file that cannot be used must not cost an hour of measurements.
  std::vector<ProblemFile> files;
  for (const std::string& path : options.files) {
    files.push_back(ReadProblemFile(path));
    if (!options.without_siconos) SiconosInput::Check(path, files.back().problem);
  }
  std::vector<ProblemRow> rows;
  for (const ProblemFile& file : files) {
    fmt::print(stderr, "{}\n", file.path);
    rows.push_back(MeasureFile(file, options));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.contacts < b.contacts; });
  PrintTables(rows, options);
  if (!options.json.empty()) {
    std::ofstream out(options.json);
    out << MakeJson(rows, options.measure).dump(2) << '\n';
    Require(out.good(), options.json, "could not be written", "a writable path");
  }
  return 0;
}

}  // namespace
}  // namespace tactus::bench

int main(int argc, char** argv) {
  try {
    return tactus::bench::Run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "siconos_compare: {}\n", error.what());
    return 2;
  }
}
