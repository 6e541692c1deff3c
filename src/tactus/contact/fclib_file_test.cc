#include <cstdlib>
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/contact/ncp_residual.h"
#include "tactus/contact/problem_file.h"
#include "tactus/contact/problem_file_testing.h"

namespace tactus {
namespace {

// Contacts as in the README of the problems.
const std::map<std::string, int> kContacts = {{"CubeH8", 1},
                                              {"FrictionContact3D_1c", 1},
                                              {"GFC3D_Example00", 1},
                                              {"GFC3D_Example00_badly_scaled", 1},
                                              {"GFC3D_OneContact", 1},
                                              {"Rover11035", 1},
                                              {"Rover4396", 2},
                                              {"FC3D_Example1", 3},
                                              {"Rover1039", 4},
                                              {"Rover4144", 4},
                                              {"Rover1040", 5},
                                              {"Rover1041", 5},
                                              {"Rover3865", 5},
                                              {"NESpheres_10_1", 9},
                                              {"OneObject-i1028-138", 23},
                                              {"OneObject-i100000-499", 24},
                                              {"BoxesStack1-i100000-32", 52},
                                              {"Confeti-ex03-Fc3D-SBM", 54},
                                              {"Capsules-i101-404", 225},
                                              {"Capsules-i100-1090", 276},
                                              {"Capsules-i122-1617", 296},
                                              {"Spheres-i099-356-679", 356},
                                              {"KaplasTower-i1061-4", 570}};

std::filesystem::path SharedProblems() {
  const char* shared = std::getenv("TACTUS_SHARED");
  const std::filesystem::path root(shared != nullptr ? shared : TACTUS_PROJECT_DIR "/../shared");
  return root / "fclib";
}

class RealFclibFiles : public TemporaryFolder {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(SharedProblems())) GTEST_SKIP() << SharedProblems() << " is not there";
  }
};

TEST_F(RealFclibFiles, AllAreReadWithTheRightSizes) {
  for (const auto& [name, contacts] : kContacts) {
    SCOPED_TRACE(name);
    const ProblemFile file = ReadProblemFile((SharedProblems() / "problems" / (name + ".hdf5")).string());
    EXPECT_EQ(file.problem.num_contacts(), contacts);
    EXPECT_EQ(file.problem.num_rows(), 0);
    EXPECT_TRUE(file.foreign());
    EXPECT_EQ(file.problem.has_dynamics(), file.format == ProblemFormat::FclibGlobal);
    EXPECT_FALSE(file.problem.name.empty());
  }
}

TEST_F(RealFclibFiles, StoredSolutionsSolveThem) {
  for (const auto& entry : kContacts) {
    const std::string& name = entry.first;
    SCOPED_TRACE(name);
    const ProblemFile file = ReadProblemFile((SharedProblems() / "problems" / (name + ".hdf5")).string());
    const VectorX r = ReadSolutionFile((SharedProblems() / "solutions" / (name + ".sol.hdf5")).string(), file);
    const NcpResidual residual = CalcNcpResidual(file.problem, r);
    // The tolerance they were solved with.
    EXPECT_LT(residual.natural, 1e-8);
    EXPECT_LT(residual.natural_rho_mean, 1e-8);
    EXPECT_LT(residual.natural_rho, 1e-8);
  }
}

TEST_F(RealFclibFiles, SurviveARoundTripThroughBothFormats) {
  for (const auto& entry : kContacts) {
    SCOPED_TRACE(entry.first);
    const ProblemFile file = ReadProblemFile((SharedProblems() / "problems" / (entry.first + ".hdf5")).string());
    WriteFclibFile(Path("f.hdf5"), file.problem);
    ExpectIdentical(file.problem, ReadProblemFile(Path("f.hdf5")).problem);
    WriteProblemFile(Path("t.hdf5"), file.problem);
    ExpectIdentical(file.problem, ReadProblemFile(Path("t.hdf5")).problem);
  }
}

}  // namespace
}  // namespace tactus
