// Results of benchmarks as files, and what has changed from one to another.
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
  std::vector<BenchRow> rows;
};

/// Everything but the rows, of now and here.
BenchRun MakeBenchRun(const std::string& suite, const BenchSettings& settings);

/// FOLDER/<day>/<suite>.json, "-quick" and "-<part>" appended to the name; overwrites what was measured earlier that
/// day. Returns the path.
std::filesystem::path WriteBenchRun(const BenchRun& run, const std::filesystem::path& folder);
/// Throws InputError that names the file, the member and what was expected.
BenchRun ReadBenchRun(const std::filesystem::path& file);

/// A row of both runs that differs beyond noise, or one that is in one of them only.
struct BenchChange {
  enum class Kind { Slower, Faster, LessAccurate, MoreAccurate, Fails, Passes, Gone, New };
  Kind kind;
  std::string name, unit;
  double before = 0, after = 0;

  bool bad() const {
    return kind == Kind::Slower || kind == Kind::LessAccurate || kind == Kind::Fails || kind == Kind::Gone;
  }
};
const char* ToString(BenchChange::Kind kind);

/// `noise`: relative change of times and figures that counts as none. Rows without a bar count if they are times.
/// Errors far below their bar are rounding, and may do as they like.
std::vector<BenchChange> CompareBenchRuns(const BenchRun& before, const BenchRun& after, double noise);

}  // namespace tactus::cli
