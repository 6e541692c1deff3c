// `tactus bench --compare A B` as scripts use it: what it finds, and its exit code.
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/common/cli_testing.h"

namespace tactus {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class BenchCompare : public CliTest {
 protected:
  // A result of one suite: two times, a residual without a bar and an error with one.
  void WriteRun(const std::string& file, double time, double step_time, double residual, double error) {
    const auto row = [](const char* name, double value, const char* unit) {
      return json{{"name", name}, {"value", value}, {"unit", unit}, {"bar", nullptr}, {"pass", true}};
    };
    json barred = row("b: error", error, "");
    barred["bar"] = 1e-6;
    barred["better"] = "lower";
    barred["pass"] = error <= 1e-6;
    const json run = {{"format", "tactus-bench-1"},
                      {"suite", "solvers"},
                      {"quick", true},
                      {"only", ""},
                      {"date", "2026-11-18T10:00:00Z"},
                      {"commit", "0123456789ab"},
                      {"version", "1"},
                      {"compiler", "a compiler"},
                      {"machine", {{"processor", "a processor"}, {"cores", 2}, {"simd", "v3"}}},
                      {"seconds", 1},
                      {"rows",
                       {row("a: time, median", time, "ms"), row("a: solver, median", step_time, "ms/step"),
                        row("a: residual, median", residual, ""), barred}}};
    const std::filesystem::path path = dir_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << run;
  }
};

TEST_F(BenchCompare, ExitCodeSaysWhetherAnythingIsWorse) {
  WriteRun("before.json", 1, 3, 1e-5, 1e-7);
  struct Case {
    double time, step_time, residual, error;
    int code;
    const char* says;
  };
  for (const Case& c : {Case{1, 3, 1e-5, 1e-7, 0, "0 of 0"}, Case{1.1, 2.8, 1.1e-5, 1.1e-7, 0, "0 of 0"},
                        Case{2, 3, 1e-5, 1e-7, 1, "slower"}, Case{1, 6, 1e-5, 1e-7, 1, "slower"},
                        Case{1, 3, 2e-5, 1e-7, 1, "worse"}, Case{1, 3, 1e-5, 5e-7, 1, "worse"},
                        Case{1, 3, 1e-5, 2e-6, 1, "fails now"}, Case{0.4, 1, 1e-6, 1e-8, 0, "faster"}}) {
    WriteRun("after.json", c.time, c.step_time, c.residual, c.error);
    const CommandResult r = Run("bench --compare before.json after.json 2>&1");
    EXPECT_EQ(r.code, c.code) << r.out;
    EXPECT_THAT(r.out, HasSubstr(c.says));
  }
  WriteRun("after.json", 2, 3, 1e-5, 1e-7);
  EXPECT_EQ(Run("bench --compare before.json after.json --noise 1.5").code, 0);
  const json list = json::parse(Run("bench --compare before.json after.json --json").out);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["name"], "a: time, median");
  EXPECT_EQ(list[0]["bad"], true);
}

TEST_F(BenchCompare, FoldersAreComparedSuiteBySuite) {
  WriteRun("old/2026-11-17/solvers-quick.json", 1, 3, 1e-5, 1e-7);
  WriteRun("new/2026-11-18/solvers-quick.json", 2.5, 3, 1e-5, 1e-7);
  EXPECT_EQ(Run("bench --compare old new").code, 1);
  EXPECT_EQ(Run("bench --compare old old").code, 0);
  EXPECT_EQ(Run("bench --compare new old").code, 0);
}

TEST_F(BenchCompare, BadInputIsRefused) {
  WriteRun("before.json", 1, 3, 1e-5, 1e-7);
  std::ofstream(dir_ / "nonsense.json") << "{";
  for (const char* arguments :
       {"--compare before.json missing.json", "--compare before.json nonsense.json", "--compare before.json",
        "solvers --compare before.json before.json", "--compare before.json before.json --noise -1"}) {
    const CommandResult r = Run(fmt::format("bench {} 2>&1", arguments));
    EXPECT_EQ(r.code, 2) << arguments << '\n' << r.out;
  }
}

}  // namespace
}  // namespace tactus
