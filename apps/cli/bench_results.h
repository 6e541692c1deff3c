// Results of benchmarks as files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/cli/bench_suite.h"

namespace tactus::cli {

/// A suite as it was run once: what, where, when, with which program.
struct BenchRun {
  std::string suite;
  BenchSettings settings;
  std::string date;    ///< 2026-11-17T21:05:00Z
  std::string commit;  ///< of the source tree the program finds its data in, or "unknown"
  std::string version, compiler, processor, simd;
  int cores = 0;
  double seconds = 0;
  std::string how;  ///< what was run, and what a whole run has more (DescribeBenchRun); empty in older files
  std::vector<std::string> problems;  ///< names of files that were solved; empty: the suite makes its own
  std::vector<BenchRow> rows;
  std::vector<BenchTrace> traces;  ///< a few hundred points a line; summaries go without
};

/// The commit that a source tree is at, its first twelve digits, by the files of git alone; "unknown" if it is none.
std::string FindCommit(const std::filesystem::path& tree);

/// Notes what the suite ran on: `problems`, in `how`, and the folder in the settings.
void KeepProblems(const BenchProblems& problems, BenchRun* run);
/// `how` but for which problems there were.
std::string DescribeExtent(const BenchRun& run);

/// Everything but the rows, of now and here.
BenchRun MakeBenchRun(const std::string& suite, const BenchSettings& settings);

/// Its suite, "-quick" and "-<part>" appended.
std::string MakeBenchRunName(const BenchRun& run);

/// Throws InputError unless the run could be written below `folder`, which it makes.
void CheckBenchFolder(const BenchRun& run, const std::filesystem::path& folder);
/// FOLDER/<day>/<name of the run>.json; overwrites what was measured earlier that day. Returns the path.
std::filesystem::path WriteBenchRun(const BenchRun& run, const std::filesystem::path& folder);
/// Throws InputError that names the file, the member and what was expected.
BenchRun ReadBenchRun(const std::filesystem::path& file);

/// What a machine is called in the history: "intel-xeon-processor-2-cores".
std::string MakeMachineName(const BenchRun& run);

/// The history of a project: FOLDER/<machine>/<day>-<commit>.json holds runs of one machine in short, a line a row,
/// numbers to five digits; day and commit are those of the newest. Overwrites a summary of that name. Returns the path;
/// throws InputError where there are no runs or they are of several machines.
std::filesystem::path WriteBenchSummary(const std::vector<BenchRun>& runs, const std::filesystem::path& folder);

/// The runs in a file (a run, or a summary of several), or below a folder: of each name the newest, in the order of
/// names. Throws as ReadBenchRun does, and where there is none.
std::vector<BenchRun> ReadBenchRuns(const std::filesystem::path& path);

}  // namespace tactus::cli
