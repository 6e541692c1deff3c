// tactus bench fclib: all solvers on a folder of FCLib files, and how they compare (docs/benchmarks.md).
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "apps/cli/bench_suite.h"
#include "apps/cli/fclib/fclib_race.h"
#include "tactus/core/error.h"
#include "tactus/core/timer.h"
#include "tactus/solvers/registry.h"

namespace tactus::cli {

namespace {

namespace fs = std::filesystem;
using Rows = std::vector<BenchRow>;

constexpr double kTolerances[] = {1e-4, 1e-6, 1e-8};
constexpr double kRatios[] = {1, 1.5, 2, 3, 5, 10, 30, 100, 1000};

struct NamedProblem {
  std::string name;
  fs::path file;
  ContactProblem problem;
};

std::string NameOf(const fs::path& file) {
  fs::path name = file.filename().replace_extension();
  return (name.extension() == ".sym" ? name.replace_extension() : name).string();
}

// Those that cannot be read fail a row, each by its name.
std::vector<NamedProblem> ReadAll(const std::vector<fs::path>& files, Rows* rows) {
  std::vector<NamedProblem> out;
  int unread = 0;
  for (const fs::path& file : files) {
    try {
      out.push_back({NameOf(file), file, ReadProblemFile(file.string()).problem});
    } catch (const InputError& error) {
      fmt::print(stderr, "fclib: {}\n", error.what());
      ++unread;
    }
  }
  if (out.empty()) throw InputError("--folder", "none of its files can be read", "FCLib files");
  rows->push_back(BenchRow::AtMost("files that cannot be read", unread, "", 0));
  std::stable_sort(out.begin(), out.end(), [](const NamedProblem& a, const NamedProblem& b) {
    return a.problem.num_contacts() < b.problem.num_contacts();
  });
  return out;
}

// A few of all sizes up to 60 contacts, for --quick.
void KeepSome(std::vector<NamedProblem>* problems) {
  constexpr std::size_t kMost = 6;
  const auto large = std::remove_if(problems->begin(), problems->end(),
                                    [](const NamedProblem& p) { return p.problem.num_contacts() > 60; });
  if (large != problems->begin()) problems->erase(large, problems->end());
  std::vector<NamedProblem> kept;
  const std::size_t count = std::min(kMost, problems->size());
  for (std::size_t k = 0; k < count; ++k) {
    kept.push_back(std::move((*problems)[count == 1 ? 0 : k * (problems->size() - 1) / (count - 1)]));
  }
  *problems = std::move(kept);
}

// Why Siconos cannot be given the problem, or nothing.
std::string WhyNotForSiconos(const ContactProblem& problem) {
  if (problem.num_rows() > 0) return fmt::format("{} scalar rows", problem.num_rows());
  if (problem.num_contacts() == 0) return "no contacts";
  for (int c = 0; c < problem.num_contacts(); ++c) {
    if (!problem.friction(c).isotropic()) return "an elliptic friction cone";
  }
  return "";
}

// For the result: which problems there were.
void Describe(const fs::path& folder, std::size_t files, const std::vector<NamedProblem>& problems, bool siconos,
              BenchProblems* out) {
  for (const NamedProblem& p : problems) out->names.push_back(p.name);
  const std::size_t count = problems.size();
  out->folder = folder.string();
  out->what = folder.empty()   ? fmt::format("{} generated problems", count)
              : count == files ? fmt::format("every file of {} ({})", folder.string(), files)
                               : fmt::format("{} of the {} files of {}", count, files, folder.string());
  if (!siconos) out->what += ", without Siconos";
}

// Whether the solver failed on the problem at a looser tolerance: then it is not asked again.
bool FailedBefore(const std::vector<SolverTry>& tries, const std::string& solver, const std::string& problem) {
  return std::any_of(tries.begin(), tries.end(), [&](const SolverTry& one) {
    return one.solver == solver && one.problem == problem && !one.solved;
  });
}

void RaceOne(const NamedProblem& problem, const fs::path& siconos, bool quick, const RaceSettings& settings,
             const fs::path& scratch, std::vector<SolverTry>* tries) {
  for (const double tolerance : kTolerances) {
    for (const SolverEntry& entry : Solvers()) {
      if (FailedBefore(*tries, entry.name, problem.name)) {
        SolverTry lost{
            entry.name, problem.name, false, tolerance, false, false, 1, 0, 0, "failed at a looser tolerance"};
        tries->push_back(lost);
        continue;
      }
      tries->push_back(TryOurSolver(entry.name, problem.name, problem.problem, tolerance, settings));
    }
    if (siconos.empty() || (quick && tolerance > 1e-8)) continue;
    if (!WhyNotForSiconos(problem.problem).empty()) continue;
    const std::vector<SolverTry> theirs = TrySiconos(siconos, problem.name, problem.file, tolerance, settings, scratch);
    tries->insert(tries->end(), theirs.begin(), theirs.end());
  }
}

void AddProfileRows(const PerformanceProfile& profile, double tolerance, Rows* rows) {
  const std::string at = fmt::format("at {:g}", tolerance), of_all = fmt::format("of {}", profile.num_problems());
  for (const std::string& solver : profile.solvers()) {
    rows->push_back(BenchRow::Measured(fmt::format("{}: {}: solved", at, solver), profile.CountSolved(solver), of_all));
    rows->push_back(BenchRow::Measured(fmt::format("{}: {}: solved in every measure", at, solver),
                                       profile.CountStrict(solver), of_all));
    for (const double ratio : kRatios) {
      rows->push_back(BenchRow::Measured(fmt::format("{}: {}: part within {:g} times the best", at, solver, ratio),
                                         profile.Fraction(solver, ratio), ""));
    }
  }
}

// The bar: nowhere in the profile is Siconos's best single solver above our default.
void AddComparison(const PerformanceProfile& profile, const std::string& at, bool compare, Rows* rows) {
  const std::string ours = Solvers().front().name, theirs = profile.BestSingle(true);
  if (theirs.empty()) return;
  double least = 1;
  for (double ratio = 1; ratio <= 1000; ratio *= 1.05) {
    least = std::min(least, profile.Fraction(ours, ratio) - profile.Fraction(theirs, ratio));
  }
  const std::string name = fmt::format("{}{} above {} in the profile, at least by", at, ours, theirs);
  rows->push_back(compare ? BenchRow::AtLeast(name, least, "", 0) : BenchRow::Measured(name, least, ""));
  for (const std::string& solver : profile.solvers()) {
    if (!profile.siconos(solver)) continue;
    rows->push_back(BenchRow::Measured(fmt::format("{}area under the profile, {} over {}", at, ours, solver),
                                       profile.Area(ours) / profile.Area(solver), ""));
  }
  for (const std::string& problem : profile.problems()) {
    rows->push_back(BenchRow::Measured(fmt::format("{}{}: {} over {}", at, problem, theirs, ours),
                                       profile.Ratio(theirs, problem) / profile.Ratio(ours, problem), ""));
  }
}

// Those of problems that Siconos was given: where it cannot take part, it does not lose.
std::vector<SolverTry> OfSharedProblems(const std::vector<SolverTry>& tries) {
  std::set<std::string> shared;
  for (const SolverTry& one : tries) {
    if (one.siconos) shared.insert(one.problem);
  }
  std::vector<SolverTry> out;
  std::copy_if(tries.begin(), tries.end(), std::back_inserter(out),
               [&](const SolverTry& one) { return shared.count(one.problem) > 0; });
  return out;
}

// Our default solves everything, and Siconos is nowhere above it.
void AddBars(const std::vector<SolverTry>& tries, double tolerance, const std::string& at, bool compare, Rows* rows) {
  const std::string ours = Solvers().front().name;
  rows->push_back(BenchRow::AtLeast(at + ours + ": part solved",
                                    PerformanceProfile(tries, tolerance).Fraction(ours, 1e300), "", 1));
  AddComparison(PerformanceProfile(OfSharedProblems(tries), tolerance), at, compare, rows);
}

constexpr int kLarge = 20;

std::vector<SolverTry> OfLargeProblems(const std::vector<SolverTry>& tries, const std::vector<NamedProblem>& problems) {
  std::vector<SolverTry> out;
  for (const SolverTry& one : tries) {
    const bool large = std::any_of(problems.begin(), problems.end(), [&](const NamedProblem& p) {
      return p.name == one.problem && p.problem.num_contacts() >= kLarge;
    });
    if (large) out.push_back(one);
  }
  return out;
}

void AddTimes(const std::vector<SolverTry>& tries, Rows* rows) {
  const std::string ours = Solvers().front().name;
  for (const SolverTry& one : tries) {
    if (one.solver != ours) continue;
    BenchRow row = BenchRow::Measured(fmt::format("at {:g}: {}: {}", one.tolerance, one.problem, ours),
                                      one.solved ? 1e3 * one.seconds : std::nan(""), "ms");
    row.better = BenchRow::Better::Lower;
    row.spread = 1e3 * one.spread;
    rows->push_back(row);
  }
}

void AddNotForSiconos(const std::vector<NamedProblem>& problems, Rows* rows) {
  int count = 0;
  for (const NamedProblem& p : problems) {
    const std::string why = WhyNotForSiconos(p.problem);
    if (why.empty()) continue;
    fmt::print(stderr, "fclib: {} goes without Siconos: has {} (expected: circular contacts only)\n", p.name, why);
    ++count;
  }
  rows->push_back(
      BenchRow::Measured("problems that Siconos cannot be given", count, fmt::format("of {}", problems.size())));
}

}  // namespace

std::vector<BenchRow> RunFclibSuite(const BenchSettings& settings) {
  const fs::path scratch = fs::temp_directory_path() / fmt::format("tactus-fclib-{}", getpid());
  fs::create_directories(scratch);
  const struct Remove {
    fs::path path;
    ~Remove() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } remove{scratch};
  Rows rows;
  const fs::path folder = FindFclibFolder(settings.folder);
  if (folder.empty()) {
    fmt::print(stderr, "fclib: no --folder and no $TACTUS_SHARED/fclib or ../shared/fclib: generated problems\n");
  }
  const std::vector<fs::path> files =
      folder.empty() ? WriteGeneratedProblems(scratch, settings.quick) : ListProblemFiles(folder);
  std::vector<NamedProblem> problems = ReadAll(files, &rows);
  RaceSettings race;
  if (settings.quick) {
    race = {0.05, 1};
    KeepSome(&problems);
  }
  const fs::path siconos = FindSiconosProgram();
  if (siconos.empty()) {
    fmt::print(stderr,
               "fclib: Siconos is skipped: siconos_compare is not built (it is where Debian's libsiconos-numerics-dev "
               "is installed)\n");
    rows.push_back(BenchRow::Measured("Siconos is missing and skipped", 0, "there"));
  }
  if (!siconos.empty()) AddNotForSiconos(problems, &rows);
  if (settings.problems != nullptr) Describe(folder, files.size(), problems, !siconos.empty(), settings.problems);
  std::vector<SolverTry> tries;
  const Timer timer;
  int done = 0;
  for (const NamedProblem& p : problems) {
    const double left = timer.seconds() / std::max(done, 1) * (static_cast<double>(problems.size()) - done);
    fmt::print(stderr, "fclib: {}/{} {} ({} contacts){}\n", done + 1, problems.size(), p.name, p.problem.num_contacts(),
               done > 0 ? fmt::format(", about {:.0f} s left", left) : "");
    RaceOne(p, siconos, settings.quick, race, scratch, &tries);
    ++done;
  }
  for (const double tolerance : kTolerances) {
    const PerformanceProfile profile(tries, tolerance);
    // Of a few files in a hurry the profile says little.
    AddBars(tries, tolerance, fmt::format("at {:g}: ", tolerance), !settings.quick, &rows);
    // Where a solve takes microseconds, what is measured is how a call begins.
    const std::vector<SolverTry> large = OfLargeProblems(tries, problems);
    if (!large.empty()) {
      AddBars(large, tolerance, fmt::format("at {:g}, {} contacts or more: ", tolerance, kLarge), !settings.quick,
              &rows);
    }
    AddProfileRows(profile, tolerance, &rows);
  }
  AddTimes(tries, &rows);
  return rows;
}

}  // namespace tactus::cli
