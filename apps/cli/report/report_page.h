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
  enum class Verdict {
    Agrees,
    Differs,
    SmallerCase,  ///< a time of a quick run, whose case is not the paper's size
    AtRounding,   ///< a ratio to a number that is rounding
    OtherUnits,
    Laboratory,
    NotRebuilt,
    NotRun,
  };

  std::string paper, item, says;
  std::string mark;  ///< "ours", "as 000": a line that does not count; empty: the paper's
  std::string why;   ///< empty where it agrees
  std::string run;   ///< that has the row; empty: none
  double theirs = 0, ours = 0;
  Verdict verdict = Verdict::NotRun;

  bool judged() const { return verdict == Verdict::Agrees || verdict == Verdict::Differs; }
  bool counts() const { return mark.empty(); }
  /// Ours over theirs; NaN where that says nothing.
  double ratio() const;
  /// As tables show it: the verdict, and the mark of a line that does not count.
  std::string verdict_text() const;
};
const char* ToString(JudgedClaim::Verdict verdict);
/// As tables list them.
extern const std::vector<JudgedClaim::Verdict> kVerdicts;

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
