// Real problems of other people's simulators (FCLib). They are not part of this project: the tests look for them beside
// it and skip where they are not there.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/contact/problem_file.h"
#include "tactus/generate/disguise.h"
#include "tactus/solvers/registry.h"
#include "tests/common/honesty.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

fs::path FclibFolder() {
  const char* shared = std::getenv("TACTUS_SHARED");
  return (shared ? fs::path(shared) : fs::path(TACTUS_PROJECT_DIR) / ".." / "shared") / "fclib";
}

// Every problem, in its symmetrised copy where there is one.
std::vector<fs::path> ProblemFiles() {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(FclibFolder() / "problems", error)) {
    if (entry.path().extension() != ".hdf5") continue;
    const fs::path symmetrised = FclibFolder() / "symmetrised" / (entry.path().stem().string() + ".sym.hdf5");
    files.push_back(fs::exists(symmetrised) ? symmetrised : entry.path());
  }
  std::sort(files.begin(), files.end(),
            [](const fs::path& a, const fs::path& b) { return a.filename() < b.filename(); });
  return files;
}

class Fclib : public testing::Test {
 protected:
  void SetUp() override {
    if (ProblemFiles().empty()) GTEST_SKIP() << "no FCLib problems at " << FclibFolder().lexically_normal();
  }

  static SolveSettings Foreign() {
    SolveSettings s;
    s.accept_natural = true;
    return s;
  }
};

TEST_F(Fclib, HybridSolvesEveryProblem) {
  const auto solver = MakeSolver("hybrid");
  for (const fs::path& file : ProblemFiles()) {
    const ContactProblem p = ReadProblemFile(file.string()).problem;
    ContactSolution solution;
    const SolveReport report = solver->Solve(p, Foreign(), WarmStart(), &solution);
    ExpectHonest(p, Foreign(), report, solution, file.filename().string());
    const NcpResidual residual = CalcNcpResidual(p, solution.impulse);
    EXPECT_TRUE(report.solved()) << file.filename() << ": " << ToString(report.status) << " " << report.message;
    EXPECT_LE(residual.natural, 1e-8) << file.filename();
    EXPECT_LE(residual.natural_rho, 1e-8) << file.filename();
    EXPECT_LE(residual.natural_rho_mean, 1e-8) << file.filename();
  }
}

// `natural` depends on units: it is asked for in the file's own, so disguises that change units are asked for the rest.
TEST_F(Fclib, HybridSolvesThemInDisguise) {
  const auto solver = MakeSolver("hybrid");
  for (const fs::path& file : ProblemFiles()) {
    const ContactProblem p = ReadProblemFile(file.string()).problem;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      DisguiseSettings units;
      units.mass_unit = seed == 1 ? 1 : (seed == 2 ? 1e3 : 1e-3);
      units.time_unit = seed == 1 ? 1 : (seed == 2 ? 1e-2 : 1e2);
      const DisguisedProblem d = Disguise(p, seed, units);
      SolveSettings settings;
      settings.accept_natural = seed == 1;
      ContactSolution solution;
      const SolveReport report = solver->Solve(d.problem, settings, WarmStart(), &solution);
      const std::string what = file.filename().string() + ", disguise " + std::to_string(seed);
      ExpectHonest(d.problem, settings, report, solution, what);
      EXPECT_TRUE(report.solved()) << what << ": " << ToString(report.status) << " " << report.message << "\n"
                                   << report.residual.Summary();
      EXPECT_LE(CalcNcpResidual(p, d.Restore(solution.impulse)).natural_rho, 1.1e-8) << what;
    }
  }
}

// The stored answers are of the file as dumped; where that is symmetric, our answer moves contacts the same way.
TEST_F(Fclib, JudgeAgreesWithStoredSolutions) {
  int compared = 0;
  for (const fs::path& file : ProblemFiles()) {
    const fs::path stored = FclibFolder() / "solutions" / (file.stem().string() + ".sol.hdf5");
    if (!fs::exists(stored)) continue;
    const ProblemFile input = ReadProblemFile(file.string());
    VectorX impulse;
    try {
      impulse = ReadSolutionFile(stored.string(), input);
    } catch (const InputError& e) {
      ADD_FAILURE() << stored.filename() << ": " << e.what();
      continue;
    }
    ++compared;
    EXPECT_LE(CalcNcpResidual(input.problem, impulse).natural, 1e-6) << file.filename();
  }
  std::printf("%d stored solutions judged\n", compared);
}

}  // namespace
}  // namespace tactus
