#include "apps/cli/fclib/fclib_race.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <mutex>
#include <sstream>

#include <fmt/format.h>

#include "apps/cli/json_output.h"
#include "apps/cli/statistics.h"
#include "tactus/contact/ncp_residual.h"
#include "tactus/core/child_process.h"
#include "tactus/core/error.h"
#include "tactus/generate/generator.h"
#include "tactus/solvers/registry.h"

namespace tactus::cli {

namespace fs = std::filesystem;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// Solvers stop at an error equal to the tolerance by their own sums; rounding must not fail them.
constexpr double kRounding = 1.001;

bool IsProblemFile(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".hdf5" || ending == ".h5";
}

bool Enough(int count, double total, const RaceSettings& settings) {
  constexpr double kLong = 0.5, kShort = 0.02;  // [s]
  return total > kLong || (count >= settings.repeat && (total > kShort || count >= 20 * settings.repeat));
}

// What a child sends of each repeat; the impulses follow the first.
void SolveAgain(const std::string& name, const ContactProblem& problem, double tolerance, const RaceSettings& settings,
                const ChildWriter& write) {
  SolveSettings solve;
  solve.tolerance = tolerance;
  solve.accept_natural = true;
  solve.time_budget = settings.limit;
  double total = 0;
  for (int count = 0; count == 0 || !Enough(count, total, settings); ++count) {
    // A fresh one each time: nothing is kept from the last, as with Siconos.
    ContactSolution solution;
    const SolveReport report = MakeSolver(name)->Solve(problem, solve, {}, &solution);
    total += report.cpu_time;
    if (!write(&report.cpu_time, sizeof report.cpu_time)) return;
    if (count > 0) continue;
    VectorX impulse = VectorX::Zero(problem.size());
    if (solution.impulse.size() == impulse.size()) impulse = solution.impulse;
    if (!write(impulse.data(), sizeof(double) * static_cast<std::size_t>(impulse.size()))) return;
  }
}

SolverTry Better(const SolverTry& a, const SolverTry& b) {
  if (a.solved != b.solved) return a.solved ? a : b;
  return (a.solved ? a.seconds <= b.seconds : a.residual <= b.residual) ? a : b;
}

SolverTry ReadSiconosTry(const Json& json, const std::string& name, double tolerance) {
  SolverTry one;
  one.solver = "Siconos " + json.at("solver").get<std::string>();
  one.problem = name;
  one.siconos = true;
  one.tolerance = tolerance;
  one.residual = kInfinite;
  one.failure = json.value("failure", "");
  if (!one.failure.empty()) return one;
  const auto number = [&](const char* key) { return json.at(key).is_null() ? kInfinite : json.at(key).get<double>(); };
  one.residual = number("natural");
  one.solved = one.residual <= kRounding * tolerance;
  one.strict = std::max(number("natural_rho"), number("natural_rho_mean")) <= kRounding * tolerance;
  one.seconds = 1e-3 * number("cpu_median_ms");
  one.spread = 1e-3 * (number("cpu_median_ms") - number("cpu_min_ms"));
  return one;
}

}  // namespace

fs::path FindFclibFolder(const std::string& given) {
  if (!given.empty()) {
    Require(fs::is_directory(given), "--folder '" + given + "'", "is no folder", "a folder of FCLib files");
    return given;
  }
  const char* shared = std::getenv("TACTUS_SHARED");
  const fs::path folder = fs::path(shared == nullptr || *shared == '\0' ? "../shared" : shared) / "fclib";
  return fs::is_directory(folder) ? folder : fs::path();
}

std::vector<fs::path> ListProblemFiles(const fs::path& folder) {
  std::vector<fs::path> found;
  for (auto it = fs::recursive_directory_iterator(folder); it != fs::recursive_directory_iterator(); ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory() && (name == "solutions" || name == "symmetrised")) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file() && IsProblemFile(it->path())) {
      found.push_back(it->path());
    }
  }
  if (found.empty()) throw InputError("--folder '" + folder.string() + "'", "has no problem files", "*.hdf5 or *.h5");
  std::sort(found.begin(), found.end());
  for (fs::path& path : found) {
    for (const fs::path& above : {path.parent_path(), path.parent_path().parent_path()}) {
      const fs::path copy = above / "symmetrised" / (path.stem().string() + ".sym" + path.extension().string());
      if (fs::exists(copy)) path = copy;
    }
  }
  return found;
}

std::vector<fs::path> WriteGeneratedProblems(const fs::path& folder, bool quick) {
  struct Kind {
    const char* kind;
    GeneratorParameters parameters;
    int seeds;
  };
  const std::vector<Kind> kinds = {{"pile", {{"bodies", 8}}, quick ? 2 : 4},
                                   {"pile", {{"bodies", quick ? 16.0 : 40.0}}, quick ? 1 : 4},
                                   {"dishes", {}, quick ? 2 : 4}};
  std::vector<fs::path> out;
  for (const Kind& kind : kinds) {
    for (int seed = 1; seed <= kind.seeds; ++seed) {
      const ContactProblem problem = Generate(kind.kind, kind.parameters, static_cast<std::uint64_t>(seed));
      out.push_back(folder / fmt::format("{}-{}-{}.hdf5", kind.kind, problem.num_contacts(), seed));
      WriteFclibFile(out.back().string(), problem);
    }
  }
  return out;
}

SolverTry TryOurSolver(const std::string& solver, const std::string& name, const ContactProblem& problem,
                       double tolerance, const RaceSettings& settings) {
  SolverTry one{solver, name, false, tolerance, false, false, kInfinite, 0, 0, ""};
  ChildLimits limits;
  limits.seconds = 2 * settings.limit + 1;  // for those that do not look at their budget
  std::mutex nothing;
  const ChildOutcome outcome = RunInChild(
      limits, &nothing, [&](const ChildWriter& write) { SolveAgain(solver, problem, tolerance, settings, write); });
  const auto count = static_cast<std::size_t>(problem.size()) + 1;
  std::vector<double> numbers(outcome.output.size() / sizeof(double));
  std::memcpy(numbers.data(), outcome.output.data(), numbers.size() * sizeof(double));
  if (numbers.size() < count) {
    one.failure = outcome.ok ? "ended without an answer" : outcome.failure;
    return one;
  }
  const NcpResidual residual = CalcNcpResidual(problem, Eigen::Map<const VectorX>(numbers.data() + 1, problem.size()));
  one.residual = residual.natural;
  one.solved = residual.natural <= kRounding * tolerance;
  one.strict = std::max(residual.natural_rho, residual.natural_rho_mean) <= kRounding * tolerance;
  numbers.erase(numbers.begin() + 1, numbers.begin() + static_cast<std::ptrdiff_t>(count));
  one.seconds = Median(numbers);
  one.spread = Quantile(numbers, 0.75) - Quantile(numbers, 0.25);
  return one;
}

fs::path FindSiconosProgram() {
  if (const char* named = std::getenv("TACTUS_SICONOS_COMPARE"); named != nullptr && *named != '\0') return named;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path built = self.parent_path().parent_path() / "bench-bin" / "siconos_compare";
  return !error && fs::exists(built) ? built : fs::path();
}

std::vector<SolverTry> ParseSiconosTries(const std::string& text, const std::string& name, double tolerance) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  std::vector<SolverTry> out;
  try {
    for (const Json& item : json.at("problems").at(0).at("siconos")) {
      const SolverTry one = ReadSiconosTry(item, name, tolerance);
      const auto same =
          std::find_if(out.begin(), out.end(), [&](const SolverTry& other) { return other.solver == one.solver; });
      if (same == out.end()) {
        out.push_back(one);
      } else {
        *same = Better(*same, one);  // the same solver with W stored in another way
      }
    }
  } catch (const Json::exception& error) {
    throw InputError("output of siconos_compare", error.what(), "measurements of one problem");
  }
  return out;
}

std::vector<SolverTry> TrySiconos(const fs::path& program, const std::string& name, const fs::path& file,
                                  double tolerance, const RaceSettings& settings, const fs::path& scratch) {
  const fs::path result = scratch / "siconos.json";
  fs::remove(result);
  ChildLimits limits;
  limits.seconds = 600;
  const ChildOutcome outcome = RunProgram(
      limits, program.string(),
      {file.string(), "--tol", fmt::format("{:g}", tolerance), "--repeat", std::to_string(settings.repeat), "--limit-s",
       fmt::format("{:g}", settings.limit), "--whole-limit", "--once", "--json", result.string()});
  if (!outcome.ok || outcome.exit_code != 0) {
    throw InputError(program.string(),
                     outcome.ok ? std::string(outcome.output.begin(), outcome.output.end()) : outcome.failure,
                     "a program built of bench/siconos");
  }
  std::ifstream in(result);
  std::stringstream text;
  text << in.rdbuf();
  return ParseSiconosTries(text.str(), name, tolerance);
}

}  // namespace tactus::cli
