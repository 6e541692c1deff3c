#include "apps/cli/bench_results.h"

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "apps/cli/bench_compare.h"
#include "tactus/core/error.h"
#include "tactus/core/work_folder.h"

namespace tactus::cli {
namespace {

BenchRun MakeRun(std::vector<BenchRow> rows) {
  BenchRun run = MakeBenchRun("solvers", {});
  run.rows = std::move(rows);
  return run;
}

TEST(BenchResults, AreReadAsWritten) {
  BenchRun run = MakeRun({BenchRow::AtMost("error", 1e-9, "", 1e-8), BenchRow::AtLeast("ratio", 3.5, "", 4),
                          BenchRow::Measured("time", std::nan(""), "ms")});
  run.rows[1].spread = 0.25;
  run.settings.quick = true;
  run.settings.trials = 7;
  run.settings.only = "a b";
  run.settings.soft_problems = 12;
  run.how = "7 seeds";
  KeepProblems({"2 files of there", "there", {"x", "y"}}, &run);
  run.traces = {{"a run", {{"height [m]", true, {{"body", {{0, 1}, {0.5, std::nan("")}}}}}}}};
  const std::filesystem::path folder = testing::TempDir() + "bench_results";
  const std::filesystem::path path = WriteBenchRun(run, folder);
  EXPECT_EQ(path.filename(), "solvers-quick-a_b.json");
  const BenchRun read = ReadBenchRun(path);
  EXPECT_EQ(read.suite, "solvers");
  EXPECT_EQ(read.commit, run.commit);
  EXPECT_EQ(read.cores, run.cores);
  EXPECT_TRUE(read.settings.quick);
  EXPECT_EQ(read.settings.trials, 7);
  EXPECT_EQ(read.settings.only, "a b");
  EXPECT_EQ(read.settings.soft_problems, 12);
  EXPECT_EQ(read.settings.folder, "there");
  EXPECT_EQ(read.how, "7 seeds; on 2 files of there");
  EXPECT_EQ(DescribeExtent(read), "7 seeds");
  EXPECT_EQ(read.problems, (std::vector<std::string>{"x", "y"}));
  ASSERT_EQ(read.traces.size(), 1u);
  EXPECT_EQ(read.traces[0].title, "a run");
  ASSERT_EQ(read.traces[0].panels.size(), 1u);
  EXPECT_TRUE(read.traces[0].panels[0].logarithmic);
  ASSERT_EQ(read.traces[0].panels[0].series.at(0).points.size(), 2u);
  EXPECT_EQ(read.traces[0].panels[0].series[0].points[0].second, 1);
  EXPECT_TRUE(std::isnan(read.traces[0].panels[0].series[0].points[1].second));
  ASSERT_EQ(read.rows.size(), 3u);
  EXPECT_EQ(read.rows[0].value, 1e-9);
  EXPECT_EQ(read.rows[0].better, BenchRow::Better::Lower);
  EXPECT_FALSE(read.rows[1].pass);
  EXPECT_EQ(*read.rows[1].bar, 4);
  EXPECT_EQ(read.rows[1].spread, 0.25);
  EXPECT_FALSE(read.rows[0].spread.has_value());
  EXPECT_TRUE(std::isnan(read.rows[2].value));
  EXPECT_TRUE(CompareBenchRuns(run, read, 0).empty());
}

TEST(BenchResults, NonsenseIsRefused) {
  const std::string path = testing::TempDir() + "nonsense.json";
  for (const char* text : {"", "{", "[]", "{\"format\": \"other\"}", "{\"format\": 3}",
                           "{\"format\": \"tactus-bench-1\", \"suite\": 5}"}) {
    std::ofstream(path) << text;
    EXPECT_THROW(ReadBenchRun(path), InputError) << text;
  }
  EXPECT_THROW(ReadBenchRun("no/such/file.json"), InputError);
}

// So that the history compares with what fclib writes now.
TEST(BenchResults, OlderCountsAndProblemsAreUnderstood) {
  const std::string path = testing::TempDir() + "older.json";
  std::ofstream(path) << R"({"format": "tactus-bench-1", "suite": "fclib", "quick": true, "only": "",
    "date": "2026-11-01T10:00:00Z", "commit": "0", "version": "1", "compiler": "", "seconds": 1,
    "machine": {"processor": "", "cores": 2, "simd": "v3"}, "rows": [
    {"name": "at 1e-08: hybrid: solved of 6", "value": 5, "unit": "", "pass": true},
    {"name": "at 1e-06: CubeH8: hybrid", "value": 1, "unit": "ms", "pass": true},
    {"name": "at 1e-08: CubeH8: hybrid", "value": 1, "unit": "ms", "pass": true}]})";
  const BenchRun run = ReadBenchRun(path);
  EXPECT_EQ(run.rows.at(0).name, "at 1e-08: hybrid: solved");
  EXPECT_EQ(run.rows.at(0).unit, "of 6");
  EXPECT_EQ(run.problems, std::vector<std::string>{"CubeH8"});
}

// Before hours of measuring, not after.
TEST(BenchResults, AFolderThatCannotBeWrittenIsRefused) {
  const WorkFolder folder("unwritable");
  std::ofstream(folder.path() / "file") << "x";
  const BenchRun run = MakeRun({});
  EXPECT_THROW(CheckBenchFolder(run, folder.path() / "file"), InputError);
  EXPECT_THROW(CheckBenchFolder(run, folder.path() / "file" / "below"), InputError);
  EXPECT_NO_THROW(CheckBenchFolder(run, folder.path() / "new"));
  EXPECT_THROW((void)ReadBenchRuns(folder.path() / "new"), InputError);  // nothing is left behind
}

// A clone, a clone whose branches are packed, and a worktree, where `.git` is a file.
TEST(BenchResults, KnowTheCommit) {
  namespace fs = std::filesystem;
  const WorkFolder folder("commit");
  const auto write = [](const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  };
  const fs::path clone = folder.path() / "clone", tree = folder.path() / "tree";
  EXPECT_EQ(FindCommit(clone), "unknown");
  write(clone / ".git/HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(FindCommit(clone), "unknown");
  write(
      clone / ".git/packed-refs",
      "# pack-refs with: peeled\n0000000000000000 refs/heads/not/refs/heads/main\n123456789abcdef0 refs/heads/main\n");
  EXPECT_EQ(FindCommit(clone), "123456789abc");
  write(clone / ".git/refs/heads/main", "fedcba9876543210\n");
  EXPECT_EQ(FindCommit(clone), "fedcba987654");

  const fs::path own = clone / ".git/worktrees/tree";
  write(own / "HEAD", "ref: refs/heads/side\n");
  write(own / "commondir", "../..\n");
  write(clone / ".git/refs/heads/side", "aaaabbbbccccdddd\n");
  for (const std::string& place : {own.string(), std::string("../clone/.git/worktrees/tree")}) {
    write(tree / ".git", "gitdir: " + place + "\n");
    EXPECT_EQ(FindCommit(tree), "aaaabbbbcccc");
  }
  write(own / "HEAD", "ffffeeeeddddcccc\n");  // no branch
  EXPECT_EQ(FindCommit(tree), "ffffeeeedddd");
}

TEST(BenchResults, MachinesHaveNames) {
  BenchRun run;
  run.processor = "Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz";
  run.cores = 2;
  EXPECT_EQ(MakeMachineName(run), "intel-xeon-platinum-8380-cpu-2-30ghz-2-cores");
  run.processor = "../../etc";
  EXPECT_EQ(MakeMachineName(run), "etc-2-cores");
}

// The newest of each suite, short, and compared as the results themselves are.
TEST(BenchResults, AreSummarized) {
  const WorkFolder folder("summary");
  const std::filesystem::path results = folder.path() / "results", history = folder.path() / "history";
  BenchRun run = MakeRun({BenchRow::AtMost("error", 1.23456789e-9, "", 1e-8), BenchRow::AtLeast("ratio", 3.5, "", 4),
                          BenchRow::Measured("time", 2, "ms"), BenchRow::Measured("none", std::nan(""), "")});
  run.rows[2].spread = 0.125;
  run.commit = "0123456789ab";
  run.date = "2026-11-01T10:00:00Z";
  (void)WriteBenchRun(run, results);
  run.date = "2026-11-02T10:00:00Z";
  run.rows[2].value = 3;
  (void)WriteBenchRun(run, results);
  BenchRun other = run;
  other.settings.quick = true;
  other.date = "2026-11-01T10:00:00Z";
  (void)WriteBenchRun(other, results);

  const std::filesystem::path path = WriteBenchSummary(ReadBenchRuns(results), history);
  EXPECT_EQ(path, history / MakeMachineName(run) / "2026-11-02-0123456789ab.json");
  const std::vector<BenchRun> read = ReadBenchRuns(path);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(MakeBenchRunName(read[0]), "solvers");
  EXPECT_EQ(read[0].date, "2026-11-02T10:00:00Z");
  EXPECT_EQ(MakeBenchRunName(read[1]), "solvers-quick");
  ASSERT_EQ(read[0].rows.size(), 4u);
  EXPECT_EQ(read[0].rows[0].value, 1.2346e-9);
  EXPECT_EQ(read[0].rows[0].bar, 1e-8);
  EXPECT_EQ(read[0].rows[0].better, BenchRow::Better::Lower);
  EXPECT_FALSE(read[0].rows[1].pass);
  EXPECT_EQ(read[0].rows[2].value, 3);
  EXPECT_EQ(read[0].rows[2].spread, 0.125);
  EXPECT_TRUE(std::isnan(read[0].rows[3].value));
  EXPECT_TRUE(CompareBenchRuns(run, read[0], 1e-4).empty());

  // A summary is one of runs: it can be summarized again, and stays what it is.
  EXPECT_EQ(WriteBenchSummary(ReadBenchRuns(path), folder.path() / "again").filename(), path.filename());
  EXPECT_THROW((void)WriteBenchSummary({}, history), InputError);
  other.processor = "another";
  EXPECT_THROW((void)WriteBenchSummary({run, other}, history), InputError);
  std::filesystem::create_directories(folder.path() / "none");
  EXPECT_THROW((void)ReadBenchRuns(folder.path() / "none"), InputError);
  std::ofstream(folder.path() / "bad.json") << R"({"format": "tactus-bench-summary-1", "runs": [{"format": 1}]})";
  EXPECT_THROW((void)ReadBenchRuns(folder.path() / "bad.json"), InputError);
}

}  // namespace
}  // namespace tactus::cli
