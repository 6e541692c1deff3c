#include "apps/cli/bench_results.h"

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "tactus/core/error.h"

namespace tactus::cli {
namespace {

using Kind = BenchChange::Kind;

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
  run.settings.only = "a b";
  const std::filesystem::path folder = testing::TempDir() + "bench_results";
  const std::filesystem::path path = WriteBenchRun(run, folder);
  EXPECT_EQ(path.filename(), "solvers-quick-a_b.json");
  const BenchRun read = ReadBenchRun(path);
  EXPECT_EQ(read.suite, "solvers");
  EXPECT_EQ(read.commit, run.commit);
  EXPECT_EQ(read.cores, run.cores);
  EXPECT_TRUE(read.settings.quick);
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

// A solver that takes twice as long, or is less accurate, is found; noise and rounding are not.
TEST(BenchResults, FindWhatIsWorse) {
  const BenchRun before =
      MakeRun({BenchRow::Measured("a: time", 1, "ms"), BenchRow::Measured("b: time", 1, "ms"),
               BenchRow::AtMost("a: error", 5e-9, "", 1e-8), BenchRow::AtMost("b: error", 1e-15, "", 1e-8),
               BenchRow::AtLeast("ratio", 8, "", 2), BenchRow::AtLeast("bar", 2.1, "", 2),
               BenchRow::Measured("contacts", 100, ""), BenchRow::Measured("old", 1, "")});
  const BenchRun after =
      MakeRun({BenchRow::Measured("a: time", 2, "ms"), BenchRow::Measured("b: time", 1.1, "ms"),
               BenchRow::AtMost("a: error", 9e-9, "", 1e-8), BenchRow::AtMost("b: error", 8e-15, "", 1e-8),
               BenchRow::AtLeast("ratio", 4, "", 2), BenchRow::AtLeast("bar", 1.9, "", 2),
               BenchRow::Measured("contacts", 300, ""), BenchRow::Measured("new", 1, "")});
  std::vector<std::pair<std::string, Kind>> found;
  for (const BenchChange& change : CompareBenchRuns(before, after, 0.25)) found.emplace_back(change.name, change.kind);
  const std::vector<std::pair<std::string, Kind>> expected = {{"a: time", Kind::Slower},
                                                              {"a: error", Kind::LessAccurate},
                                                              {"ratio", Kind::LessAccurate},
                                                              {"bar", Kind::Fails},
                                                              {"new", Kind::New},
                                                              {"old", Kind::Gone}};
  EXPECT_EQ(found, expected);
  EXPECT_EQ(CompareBenchRuns(after, before, 0.25).front().kind, Kind::Faster);
}

}  // namespace
}  // namespace tactus::cli
