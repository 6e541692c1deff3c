#include "apps/cli/bench_options.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/error.h"

namespace tactus::cli {
namespace {

using testing::HasSubstr;

std::string Complaint(const std::string& option, BenchMode mode, const std::string& suite = "") {
  try {
    CheckBenchOptions({option}, mode, suite);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(BenchOptions, MustMeanSomething) {
  EXPECT_EQ(Complaint("--only", BenchMode::Run, "micro"), "");
  EXPECT_EQ(Complaint("--quick", BenchMode::Run, "dynamics"), "");
  EXPECT_EQ(Complaint("--json", BenchMode::List), "");
  EXPECT_EQ(Complaint("--noise", BenchMode::Compare), "");
  EXPECT_EQ(Complaint("--history", BenchMode::Summarize), "");
  // A group has what one of its suites has.
  EXPECT_EQ(Complaint("--trials", BenchMode::Run, "papers"), "");

  EXPECT_THAT(Complaint("--noise", BenchMode::Run, "micro"), HasSubstr("--compare only"));
  EXPECT_THAT(Complaint("--quick", BenchMode::Compare), HasSubstr("a suite only"));
  EXPECT_THAT(Complaint("--data", BenchMode::Run, "micro"), HasSubstr("inverse, inverse-soft"));
  EXPECT_THAT(Complaint("--folder", BenchMode::Run, "peers"), HasSubstr("suite fclib"));
  EXPECT_THAT(Complaint("--only", BenchMode::Run, "dynamics"), HasSubstr("solvers, micro"));
  EXPECT_NE(Complaint("--only", BenchMode::Run, "papers"), "");
  EXPECT_NE(Complaint("--folder", BenchMode::Run, "papers"), "");
}

}  // namespace
}  // namespace tactus::cli
