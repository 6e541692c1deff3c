#include "apps/cli/fclib/fclib_race.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/generate/generator.h"

namespace tactus::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

fs::path MakeFolder(const std::string& name, const std::vector<std::string>& files) {
  const fs::path folder = fs::path(testing::TempDir()) / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const std::string& file : files) {
    fs::create_directories((folder / file).parent_path());
    std::ofstream(folder / file) << "x";
  }
  return folder;
}

TEST(FclibRace, FindsProblemsAndPrefersSymmetrisedCopies) {
  const fs::path folder = MakeFolder(
      "fclib_race", {"problems/b.hdf5", "problems/a.h5", "solutions/a.h5", "README.md", "symmetrised/b.sym.hdf5"});
  EXPECT_THAT(ListProblemFiles(folder), ElementsAre(folder / "problems/a.h5", folder / "symmetrised/b.sym.hdf5"));
}

TEST(FclibRace, RefusesFoldersThatAreNoneOrEmpty) {
  EXPECT_THROW(FindFclibFolder("/nowhere"), InputError);
  EXPECT_THROW(ListProblemFiles(MakeFolder("fclib_none", {"README.md"})), InputError);
}

TEST(FclibRace, JudgesOursByTheResidual) {
  const ContactProblem problem = Generate("pile", {{"bodies", 4}}, 1);
  const SolverTry solved = TryOurSolver("hybrid", "pile", problem, 1e-8, {1, 2});
  EXPECT_TRUE(solved.solved && solved.strict);
  EXPECT_LE(solved.residual, 1.001e-8);
  EXPECT_GT(solved.seconds, 0);
  // Another law: what it calls solved is not.
  EXPECT_FALSE(TryOurSolver("apgd", "pile", problem, 1e-8, {1, 1}).solved);
}

TEST(FclibRace, TakesTheQuickestStorageOfEachSiconosSolver) {
  const std::string text = R"({"problems": [{"name": "p", "siconos": [
    {"solver": "NSGS", "storage": "block", "natural": 1e-9, "natural_rho": 1e-7, "natural_rho_mean": 1e-9,
     "cpu_median_ms": 3, "cpu_min_ms": 2},
    {"solver": "NSGS", "storage": "dense", "natural": 2e-9, "natural_rho": 1e-9, "natural_rho_mean": 1e-9,
     "cpu_median_ms": 1, "cpu_min_ms": 1},
    {"solver": "NSGS", "storage": "sparse", "natural": null, "natural_rho": null, "natural_rho_mean": null,
     "cpu_median_ms": 0.1, "cpu_min_ms": 0.1},
    {"solver": "PROX", "storage": "block", "failure": "limit"}]}]})";
  const std::vector<SolverTry> tries = ParseSiconosTries(text, "p", 1e-8);
  ASSERT_EQ(tries.size(), 2u);
  EXPECT_EQ(tries[0].solver, "Siconos NSGS");
  EXPECT_TRUE(tries[0].solved && tries[0].strict && tries[0].siconos);
  EXPECT_DOUBLE_EQ(tries[0].seconds, 1e-3);
  EXPECT_FALSE(tries[1].solved);
  EXPECT_EQ(tries[1].failure, "limit");
}

TEST(FclibRace, SaysWhatIsWrongWithTheOutputOfSiconos) {
  for (const char* text : {"", "{}", "{\"problems\": []}", "{\"problems\": [{\"siconos\": [{}]}]}"}) {
    EXPECT_THROW(ParseSiconosTries(text, "p", 1e-8), InputError) << text;
  }
}

}  // namespace
}  // namespace tactus::cli
