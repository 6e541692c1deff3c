#include "tactus/inverse/qpcc_file.h"

#include <filesystem>
#include <fstream>
#include <limits>

#include <unistd.h>

#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/inverse/qpcc_solver.h"
#include "tactus/inverse/random_qpcc.h"

namespace tactus {
namespace {

class QpccFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tactus_qpcc_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Path(const char* name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

void ExpectIdentical(const QpccProblem& a, const QpccProblem& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.A, b.A);
  EXPECT_EQ(a.B, b.B);
  EXPECT_EQ(a.b, b.b);
  EXPECT_EQ(a.C, b.C);
  EXPECT_EQ(a.D, b.D);
  EXPECT_EQ(a.g, b.g);
  EXPECT_EQ(a.lower, b.lower);
  EXPECT_EQ(a.upper, b.upper);
  EXPECT_EQ(a.compliance, b.compliance);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.provenance, b.provenance);
  if (a.kind != QpccKind::Lcp) {
    EXPECT_EQ(a.mu, b.mu);
  }
}

TEST_F(QpccFileTest, ProblemsComeBackBitForBit) {
  for (const QpccKind kind : {QpccKind::Lcp, QpccKind::Planar, QpccKind::Ncp}) {
    for (const int contacts : {0, 3}) {
      QpccProblem p = MakeRandomQpcc({.kind = kind, .contacts = contacts}, 4);
      p.upper[0] = std::numeric_limits<double>::infinity();
      if (contacts > 0) p.compliance.setLinSpaced(p.num_rows(), 0, 1e-3);
      WriteQpccFile(Path("p.h5"), p);
      ExpectIdentical(p, ReadQpccFile(Path("p.h5")));
    }
  }
}

TEST_F(QpccFileTest, SolutionsComeBackForAWarmStart) {
  const QpccProblem p = MakeRandomQpcc({.contacts = 2}, 4);
  QpccSolution x;
  const QpccReport report = SolveQpcc(p, {}, &x);
  WriteQpccSolutionFile(Path("s.h5"), x, report);
  const QpccSolution y = ReadQpccSolutionFile(Path("s.h5"), p);
  EXPECT_EQ(x.actuation, y.actuation);
  EXPECT_EQ(x.y_sigma, y.y_sigma);
  EXPECT_EQ(x.modes, y.modes);
  const QpccProblem other = MakeRandomQpcc({.contacts = 3}, 4);
  EXPECT_THROW((void)ReadQpccSolutionFile(Path("s.h5"), other), InputError);
}

TEST_F(QpccFileTest, RefusesOtherAndBrokenFiles) {
  const QpccProblem p = MakeRandomQpcc({.contacts = 2}, 4);
  QpccSolution x;
  WriteQpccSolutionFile(Path("s.h5"), x, {});
  EXPECT_THROW((void)ReadQpccFile(Path("s.h5")), InputError);
  EXPECT_THROW((void)ReadQpccFile(Path("none.h5")), InputError);
  std::ofstream(Path("text.h5")) << "not HDF5";
  EXPECT_THROW((void)ReadQpccFile(Path("text.h5")), InputError);
  QpccProblem bad = p;
  bad.D(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(WriteQpccFile(Path("bad.h5"), bad), InputError);
  EXPECT_FALSE(std::filesystem::exists(Path("bad.h5")));
}

TEST_F(QpccFileTest, NamesWhatIsWrong) {
  WriteQpccFile(Path("p.h5"), MakeRandomQpcc({.contacts = 2}, 4));
  Hdf5Tree tree = ReadHdf5Tree(Path("p.h5"));
  Hdf5Tree other = tree;
  other.arrays["/contact/kind"].integers[0] = 7;
  EXPECT_THROW((void)ParseQpcc(other), InputError);
  other = tree;
  other.arrays.erase("/task/B");
  EXPECT_THROW((void)ParseQpcc(other), InputError);
  other = tree;
  other.arrays["/contact/D"].shape = {4, 9};
  EXPECT_THROW((void)ParseQpcc(other), InputError);
  other = tree;
  other.arrays["/contact/mu"].reals[1] = -0.5;
  try {
    (void)ParseQpcc(other);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("mu(1)"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("p.h5"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tactus
