#include "tactus/contact/problem_file.h"

#include <cstdlib>
#include <filesystem>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/contact/ncp_residual.h"
#include "tactus/contact/problem_file_testing.h"

namespace tactus {
namespace {

class ProblemFileTest : public TemporaryFolder {};

TEST_F(ProblemFileTest, EveryKindComesBackBitForBit) {
  const ContactProblem problem = MakeRichProblem(true);
  WriteProblemFile(Path("rich.hdf5"), problem);
  const ProblemFile file = ReadProblemFile(Path("rich.hdf5"));
  EXPECT_EQ(file.format, ProblemFormat::Tactus);
  EXPECT_EQ(file.path, Path("rich.hdf5"));
  EXPECT_TRUE(file.problem.has_geometry());
  ExpectIdentical(problem, file.problem);
}

TEST_F(ProblemFileTest, ContactsKnownAsRowsComeBackBitForBit) {
  const ContactProblem problem = MakeRichProblem(false);
  WriteProblemFile(Path("rows.hdf5"), problem);
  const ProblemFile file = ReadProblemFile(Path("rows.hdf5"));
  EXPECT_FALSE(file.problem.has_geometry());
  ExpectIdentical(problem, file.problem);
}

TEST_F(ProblemFileTest, DelassusPairsComeBackBitForBit) {
  const ContactProblem problem = MakeDelassusProblem(true);
  WriteProblemFile(Path("pair.hdf5"), problem);
  ExpectIdentical(problem, ReadProblemFile(Path("pair.hdf5")).problem);
}

TEST_F(ProblemFileTest, AProblemWithoutConstraintsOrDofsComesBack) {
  ContactProblemBuilder builder;
  ContactProblem empty = builder.Build();
  WriteProblemFile(Path("empty.hdf5"), empty);
  ExpectIdentical(empty, ReadProblemFile(Path("empty.hdf5")).problem);
}

TEST_F(ProblemFileTest, TheSameProblemGivesTheSameBytes) {
  const ContactProblem problem = MakeRichProblem(true);
  WriteProblemFile(Path("a.hdf5"), problem);
  WriteProblemFile(Path("b.hdf5"), problem);
  EXPECT_EQ(ReadBytes(Path("a.hdf5")), ReadBytes(Path("b.hdf5")));
}

TEST_F(ProblemFileTest, NothingButTheFileRemains) {
  WriteProblemFile(Path("a.hdf5"), MakeDelassusProblem(false));
  EXPECT_THROW(WriteFclibFile(Path("b.hdf5"), MakeRichProblem(true)), InputError);
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    EXPECT_EQ(entry.path().filename(), "a.hdf5");
    ++count;
  }
  EXPECT_EQ(count, 1);
}

TEST_F(ProblemFileTest, APathThatCannotBeWrittenIsNamed) {
  try {
    WriteProblemFile(Path("no/such/folder/x.hdf5"), MakeDelassusProblem(false));
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no/such/folder/x.hdf5: cannot be written"));
  }
}

TEST_F(ProblemFileTest, SolutionsComeBackInTheOrderOfEveryFormat) {
  const ContactProblem problem = MakeDelassusProblem(true);
  VectorX impulse = VectorX::LinSpaced(problem.size(), 1, 2), sigma;
  problem.CalcSigma(impulse, &sigma);
  for (const ProblemFormat format : {ProblemFormat::Tactus, ProblemFormat::FclibLocal}) {
    ProblemFile file;
    file.problem = problem;
    file.format = format;
    WriteSolutionFile(Path("s.hdf5"), file, impulse, sigma, VectorX());
    EXPECT_EQ(ReadSolutionFile(Path("s.hdf5"), file), impulse);
    // The file says in which order it is, whatever the problem came from.
    file.format = ProblemFormat::Tactus;
    EXPECT_EQ(ReadSolutionFile(Path("s.hdf5"), file), impulse);
  }
}

TEST_F(ProblemFileTest, ASolutionOfAnotherProblemIsRefused) {
  ProblemFile file;
  file.problem = MakeDelassusProblem(false);
  const VectorX zero = VectorX::Zero(file.problem.size());
  WriteSolutionFile(Path("s.hdf5"), file, zero, zero, VectorX());
  file.problem = MakeRichProblem(true);
  try {
    ReadSolutionFile(Path("s.hdf5"), file);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("/solution/r"));
  }
}

}  // namespace
}  // namespace tactus
