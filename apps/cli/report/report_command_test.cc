// `tactus report` as the program runs it.
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include "apps/cli/bench_results.h"
#include "apps/cli/command.h"
#include "tactus/core/error.h"

namespace tactus::cli {
namespace {

namespace fs = std::filesystem;

class ReportCommand : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("tactus_report_test_" + std::to_string(getpid()));
    fs::create_directories(dir_);
    BenchRun run = MakeBenchRun("subadmm", {});
    run.rows = {BenchRow::Measured("8 laikagos: no-sub over subadmm", 5.5, "")};
    WriteBenchRun(run, dir_ / "results");
    summary_ = WriteBenchSummary({run}, dir_ / "history");
  }
  void TearDown() override { fs::remove_all(dir_); }

  int Report(const std::vector<std::string>& arguments) {
    CLI::App app;
    const CommandRun run = AddReportCommand(&app);
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    return run();
  }
  std::string At(const std::string& name) const { return (dir_ / name).string(); }

  fs::path dir_, summary_;
};

TEST_F(ReportCommand, ReadsDaysAndSummaries) {
  for (const std::string& results : {At("results"), At("history"), summary_.string()}) {
    EXPECT_EQ(Report({results, "--html", At("page.html")}), 0) << results;
    EXPECT_TRUE(fs::remove(At("page.html"))) << results;
  }
}

TEST_F(ReportCommand, WritesNothingWhereOneOutputCannotBe) {
  fs::create_directories(dir_ / "folder");
  EXPECT_THROW(Report({At("results"), "--html", At("page.html"), "--markdown", At("folder")}), InputError);
  EXPECT_FALSE(fs::exists(At("page.html")));
  EXPECT_THROW(
      Report({At("results"), "--html", At("page.html"), "--markdown", At("page.md"), "--figures", summary_.string()}),
      InputError);
  EXPECT_FALSE(fs::exists(At("page.html")));
  EXPECT_FALSE(fs::exists(At("page.md")));
}

}  // namespace
}  // namespace tactus::cli
