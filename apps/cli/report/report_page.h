// One page of HTML about results of benchmarks: tables that can be sorted, curves, claims. No network.
#pragma once

#include <map>
#include <string>

#include "apps/cli/bench_results.h"

namespace tactus::cli {

/// By name of file.
using BenchRuns = std::map<std::string, BenchRun>;

/// A claim beside the row that measures it.
struct JudgedClaim {
  std::string source, says, why, run;
  double theirs = 0, ours = 0;
  bool agrees = false;
};
/// Those whose rows are there. Of quick and whole runs the whole one counts.
std::vector<JudgedClaim> JudgeClaims(const BenchRuns& runs);

std::string MakeReportPage(const BenchRuns& runs);
/// The same in short, for docs.
std::string MakeReportMarkdown(const BenchRuns& runs);

}  // namespace tactus::cli
