#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/bench_suite.h"
#include "apps/cli/terminal.h"
#include "tactus/generate/generator.h"
#include "tactus/solvers/registry.h"

namespace tactus::cli {

namespace {

double Quantile(std::vector<double> x, double q) {
  if (x.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(x.begin(), x.end());
  return x[static_cast<std::size_t>(q * static_cast<double>(x.size() - 1) + 0.5)];
}

bool IsRegistered(const std::string& name) {
  const auto& table = Solvers();
  return std::any_of(table.begin(), table.end(), [&](const SolverEntry& s) { return name == s.name; });
}

// A family of problems: one kind, one set of parameters, many seeds.
struct Family {
  const char* name;
  const char* kind;
  GeneratorParameters parameters;
};

const std::vector<Family>& Families() {
  static const std::vector<Family> table = {
      {"bolt mu=0.1", "bolt", {{"mu", 0.1}}},   {"bolt mu=0.3", "bolt", {{"mu", 0.3}}},
      {"bolt mu=1", "bolt", {{"mu", 1}}},       {"dishes mu=0.3", "dishes", {{"mu", 0.3}}},
      {"dishes mu=1", "dishes", {{"mu", 1}}},   {"chain", "chain", {}},
      {"pile of 20", "pile", {{"bodies", 20}}}, {"random", "random", {}},
  };
  return table;
}

struct Tally {
  int solved = 0, cases = 0;
  std::vector<double> time_ms, iterations, residual;
};

Tally RunFamily(const Family& family, const std::string& solver_name, int seeds, double time_budget) {
  const std::unique_ptr<ContactSolver> solver = MakeSolver(solver_name);
  SolveSettings settings;
  settings.time_budget = time_budget;
  Tally tally;
  // Seeds far from those that tests and examples use.
  for (int seed = 1001; seed < 1001 + seeds; ++seed) {
    const ContactProblem problem = Generate(family.kind, family.parameters, seed);
    ContactSolution solution;
    const SolveReport report = solver->Solve(problem, settings, WarmStart(), &solution);
    ++tally.cases;
    tally.solved += report.solved();
    tally.time_ms.push_back(1e3 * report.time);
    tally.iterations.push_back(report.iterations);
    tally.residual.push_back(report.residual.natural_rho);
  }
  return tally;
}

}  // namespace

std::vector<BenchRow> RunSolversSuite(const BenchSettings& settings) {
  std::vector<BenchRow> rows;
  if (Solvers().empty()) return {BenchRow::AtLeast("solvers built in", 0, "", 1)};
  const std::string main_solver = Solvers().front().name;
  const int seeds = settings.quick ? 5 : 20;
  Progress progress(static_cast<int>(Families().size()));
  for (std::size_t k = 0; k < Families().size(); ++k) {
    const Family& family = Families()[k];
    progress.Show(static_cast<int>(k) + 1, family.name);
    const Tally tally = RunFamily(family, main_solver, seeds, 10);
    const std::string prefix = fmt::format("{}, {}: ", family.name, main_solver);
    rows.push_back(
        BenchRow::AtLeast(prefix + "solved to 1e-8", tally.solved, fmt::format("of {}", tally.cases), tally.cases));
    rows.push_back(BenchRow::Measured(prefix + "median time", Quantile(tally.time_ms, 0.5), "ms"));
    rows.push_back(BenchRow::Measured(prefix + "worst time", Quantile(tally.time_ms, 1), "ms"));
    rows.push_back(BenchRow::Measured(prefix + "worst iterations", Quantile(tally.iterations, 1), ""));
    // How far a simple method gets when it has ten times as long.
    if (!IsRegistered("pgs") || main_solver == "pgs") continue;
    const Tally simple = RunFamily(family, "pgs", seeds, 1e-2 * Quantile(tally.time_ms, 0.5));
    rows.push_back(BenchRow::Measured(fmt::format("{}, pgs: median residual in 10 x that time", family.name),
                                      Quantile(simple.residual, 0.5), ""));
    rows.push_back(BenchRow::Measured(fmt::format("{}, pgs: solved to 1e-8 in 10 x that time", family.name),
                                      simple.solved, fmt::format("of {}", simple.cases)));
  }
  return rows;
}

}  // namespace tactus::cli
