// What has changed from one result of a suite to another.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/bench_results.h"

namespace tactus::cli {

/// A row of both runs that differs beyond noise, or one that is in one of them only.
struct BenchChange {
  enum class Kind { Slower, Faster, LessAccurate, MoreAccurate, Fails, Passes, Gone, New };
  Kind kind;
  std::string name, unit;
  double before = 0, after = 0;
  bool bar = false;  ///< the row has one, or had

  bool bad() const { return kind == Kind::Slower || kind == Kind::LessAccurate || kind == Kind::Fails; }
  /// In one run only: nothing to judge.
  bool single() const { return kind == Kind::Gone || kind == Kind::New; }
};
const char* ToString(BenchChange::Kind kind);

/// Seconds and parts of them, also a step.
bool IsTimeUnit(const std::string& unit);

/// Which way a row gets better: as it says itself, or by its unit and name (times, residuals, errors, iterations,
/// counts of what is solved, ...). Unknown where it tells nothing: sizes of problems, shares of other engines.
BenchRow::Better FindBetter(const BenchRow& row);

/// Why rows of two runs of a suite say nothing about each other: other problems, or another extent (seeds, sizes).
/// Empty: they may be compared. That one is quick or a part is no reason: callers who want to know look at the names.
std::string FindIncomparable(const BenchRun& before, const BenchRun& after);

/// `noise`: relative change that counts as none. Of times it is at least the mean of both spreads, but never so much
/// that a factor of two were noise. Of counts ("of 20") it is that of the part that is missed. Of a kernel's shares of
/// the machine's limits only the larger counts, which is what limits it. Errors far below their bar, or
/// without a bar and at rounding, may do as they like.
std::vector<BenchChange> CompareBenchRuns(const BenchRun& before, const BenchRun& after, double noise);

}  // namespace tactus::cli
