// `tactus bench` as people and scripts use it: what it says, and its exit code.
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
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

class BenchCompare : public CliTest {
 protected:
  // A result of one suite: two times, a residual without a bar and an error with one. `changes` go into its head.
  void WriteRun(const std::string& file, double time, double step_time, double residual, double error,
                const json& changes = json::object()) {
    const auto row = [](const char* name, double value, const char* unit) {
      return json{{"name", name}, {"value", value}, {"unit", unit}, {"bar", nullptr}, {"pass", true}};
    };
    json barred = row("b: error", error, "");
    barred["bar"] = 1e-6;
    barred["better"] = "lower";
    barred["pass"] = error <= 1e-6;
    json run = {{"format", "tactus-bench-1"},
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
    run.update(changes);
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

TEST_F(BenchCompare, RowsOfOneSideAreToldButAreNotWorse) {
  WriteRun("before.json", 1, 3, 1e-5, 1e-7);
  WriteRun("after.json", 1, 3, 1e-5, 1e-7,
           {{"rows", {{{"name", "other"}, {"value", 1}, {"unit", "ms"}, {"bar", nullptr}, {"pass", true}}}}});
  const CommandResult r = Run("bench --compare before.json after.json");
  EXPECT_EQ(r.code, 0) << r.out;
  EXPECT_THAT(r.out, HasSubstr("gone: 4 rows: "));
  EXPECT_THAT(r.out, HasSubstr("bars that are gone: 1: b: error"));
  EXPECT_THAT(r.out, HasSubstr("new: 1 row: other"));
  EXPECT_THAT(r.out, HasSubstr("0 of 0 changes"));
}

TEST_F(BenchCompare, OtherProblemsAreNotCompared) {
  const auto on = [](std::vector<std::string> names) { return json{{"suite", "fclib"}, {"problems", names}}; };
  WriteRun("old/fclib.json", 1, 3, 1e-5, 1e-7, on({"CubeH8", "Rover"}));
  WriteRun("new/fclib.json", 9, 3, 1e-5, 1e-7, on({"pile-1"}));
  const CommandResult nothing = Run("bench --compare old new 2>&1");
  EXPECT_EQ(nothing.code, 2) << nothing.out;
  EXPECT_THAT(nothing.out, HasSubstr("not compared: other problems: 2 (CubeH8, Rover) -> 1 (pile-1)"));
  // Other suites still are, and those of one side are named.
  WriteRun("old/solvers.json", 1, 3, 1e-5, 1e-7);
  WriteRun("new/solvers.json", 1, 3, 1e-5, 1e-7);
  WriteRun("new/cond.json", 1, 3, 1e-5, 1e-7, {{"suite", "cond"}});
  const CommandResult r = Run("bench --compare old new 2>&1");
  EXPECT_EQ(r.code, 0) << r.out;
  EXPECT_THAT(r.out, HasSubstr("not compared"));
  EXPECT_THAT(r.out, HasSubstr("only in new: cond-quick"));
}

// Files alone may be of other parts of a suite, which is said, but not of other suites.
TEST_F(BenchCompare, FilesAloneAreOfOneSuite) {
  WriteRun("quick.json", 1, 3, 1e-5, 1e-7);
  WriteRun("whole.json", 1, 3, 1e-5, 1e-7, {{"quick", false}});
  WriteRun("micro.json", 1, 3, 1e-5, 1e-7, {{"suite", "micro"}});
  const CommandResult same = Run("bench --compare quick.json whole.json");
  EXPECT_EQ(same.code, 0);
  EXPECT_THAT(same.out, HasSubstr("solvers is compared with solvers-quick"));
  const CommandResult other = Run("bench --compare quick.json micro.json 2>&1");
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.out, HasSubstr("no suite in common"));
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

using Bench = CliTest;

TEST_F(Bench, PartsAreListedOneALine) {
  const CommandResult text = Run("bench deformables --only '?' 2>&1");
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, StartsWith("soft-mat\nsoft-ball\n"));
  EXPECT_EQ(text.out.find("soft-mat\n", 1), std::string::npos) << text.out;
  const json list = json::parse(Run("bench deformables --only '?' --json").out);
  EXPECT_EQ(list.at(1), "soft-ball");
  const CommandResult none = Run("bench deformables --only nonsense 2>&1");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.out, HasSubstr("\n  soft-mat\n  soft-ball\n"));
}

TEST_F(Bench, EndsWithWhatWasMissed) {
  const CommandResult r = RunQuietly("bench solvers --quick --only known --results ''");
  const std::string last = r.out.substr(r.code == 0 ? r.out.rfind('\n', r.out.size() - 2) + 1 : 0);
  EXPECT_THAT(last,
              ContainsRegex(r.code == 0 ? "^(all [0-9]+ bars|the one bar) met" : "[0-9]+ of [0-9]+ bars missed:\n  "));
  EXPECT_TRUE(json::parse(RunQuietly("bench solvers --quick --only known --results '' --json").out).is_array());
}

TEST_F(Bench, SaysWhatItCannotDoBeforeItMeasures) {
  std::ofstream(dir_ / "file") << "x";
  for (const char* arguments :
       {"subadmm --results file", "micro --noise -1", "micro --data x.csv", "dynamics --only x", "--quick",
        "inverse --data file/x.csv", "papers --folder .", "--summarize results --quick"}) {
    const CommandResult r = Run(fmt::format("bench {} 2>&1", arguments), "timeout 10");
    EXPECT_EQ(r.code, 2) << arguments << '\n' << r.out;
  }
}

TEST_F(Bench, InterruptedSaysWhatIsLost) {
  const CommandResult r = Run("bench subadmm 2>&1", "timeout --preserve-status -s INT 2");
  EXPECT_EQ(r.code, 130);
  EXPECT_THAT(r.out, HasSubstr("interrupted: the rows of subadmm are lost; no suite was kept before"));
}

// Results say which problems there were, so that a comparison knows.
TEST_F(Bench, FclibKeepsItsProblems) {
  std::filesystem::create_directories(dir_ / "files");
  ASSERT_EQ(Run("generate chain --out files/a.h5 2>&1").code, 0);
  const CommandResult r = RunQuietly("bench fclib --quick --folder files");
  EXPECT_EQ(r.out.find("nan"), std::string::npos) << r.out;
  json kept;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_ / "results")) {
    if (entry.path().filename() == "fclib-quick.json") kept = json::parse(std::ifstream(entry.path()));
  }
  ASSERT_FALSE(kept.is_null()) << r.out;
  EXPECT_EQ(kept["folder"], "files");
  EXPECT_EQ(kept["problems"], json{"a"});
  EXPECT_THAT(kept["how"].get<std::string>(), HasSubstr("; on every file of files (1)"));
  for (const json& row : kept["rows"]) {
    if (row["name"] == "at 1e-08: hybrid: solved") {
      EXPECT_EQ(row["unit"], "of 1");
    }
    // There where Siconos is installed: a chain has joints, which it knows nothing of.
    if (row["name"] == "problems that Siconos cannot be given") {
      EXPECT_EQ(row["value"], 1);
    }
  }
}

}  // namespace
}  // namespace tactus
