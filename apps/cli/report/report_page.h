// One page of HTML about results of benchmarks: claims, tables that can be sorted, curves. No network. And the same in
// short as Markdown.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/cli/bench_results.h"

namespace tactus::cli {

/// By name of file.
using BenchRuns = std::map<std::string, BenchRun>;

/// A claim beside the row that measures it.
struct JudgedClaim {
  enum class Verdict { Agrees, Differs, NotRun, Laboratory, NotRebuilt };

  std::string paper, item, says;
  std::string why;  ///< empty where it agrees
  std::string run;  ///< that has the row; empty: none
  double theirs = 0, ours = 0;
  Verdict verdict = Verdict::NotRun;

  bool measured() const { return verdict == Verdict::Agrees || verdict == Verdict::Differs; }
};
const char* ToString(JudgedClaim::Verdict verdict);

/// All, in the papers' order. Of quick and whole runs that have the row the whole one counts.
std::vector<JudgedClaim> JudgeClaims(const BenchRuns& runs);

std::string MakeReportPage(const BenchRuns& runs);

/// A plot of the summary: a file in a folder beside it.
struct ReportFigure {
  std::string file, title, svg;
};
/// Of each suite the whole run's, or the quick one's where there is no other.
std::vector<ReportFigure> MakeReportFigures(const BenchRuns& runs);

/// `figures`: where those are, as links from the summary say it; empty: it has none.
std::string MakeReportMarkdown(const BenchRuns& runs, const std::string& figures = "");

}  // namespace tactus::cli
