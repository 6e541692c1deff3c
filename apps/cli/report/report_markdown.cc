// The summary for docs.
#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "apps/cli/report/claims.h"
#include "apps/cli/report/report_charts.h"
#include "apps/cli/report/report_page.h"

namespace tactus::cli {

namespace {

using Verdict = JudgedClaim::Verdict;

constexpr const char* kIntroduction = R"(# Results

What the papers claim beside what we measure, and every bar that was missed. This page is written by

    tactus bench papers                    # and fclib, peers, ...: each keeps results/<day>/<suite>.json
    tactus report results --html report.html --markdown docs/results.md --figures docs/images/results

and `report.html` is the same in full: all rows, tables to sort, plots to point at, in one file without network. How suites
measure is in [benchmarks.md](benchmarks.md), scenes and baselines are in [scenarios.md](scenarios.md), [baselines.md](baselines.md),
[deformables.md](deformables.md) and [inverse.md](inverse.md).

How to read it: *theirs* is the figure of the paper's table, or the number its text names for a figure; *ours* is one row of a suite, or the ratio of two.
A claim *agrees* if ours is at least as good as the claim says (or within a quarter, where the paper's figure is not a matter of better or worse).
Absolute times are of other machines there and of one thread here; ratios of two methods on one machine are what can be compared. A line that does not agree
has one sentence why: what differs between the papers' measurement and ours, as far as we know; few of these sentences were measured one by one. Files called `-quick` are of
smaller cases, and prove less: absolute times out of them are a *smaller case*, neither yes nor no. A ratio to a number that rounding left is *at rounding*.
Lines marked *ours* are of methods that the papers do not have, those marked *as 000* show rows of that paper again; neither counts.
)";

std::string Escape(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string Format(double x) { return std::isnan(x) ? "" : fmt::format("{:.4g}", x); }

std::string MakeRunTable(const BenchRuns& runs) {
  std::string out =
      "\n## What was run\n\n| suite | date | commit | machine | time [s] | bars | met |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const auto& [name, run] : runs) {
    const auto bars =
        std::count_if(run.rows.begin(), run.rows.end(), [](const BenchRow& r) { return r.bar.has_value(); });
    const auto met = std::count_if(run.rows.begin(), run.rows.end(), [](const BenchRow& r) { return r.bar && r.pass; });
    out += fmt::format("| {} | {} | {} | {}, {} cores | {:.0f} | {} | {} |\n", name, run.date.substr(0, 10), run.commit,
                       run.processor, run.cores, run.seconds, bars, met);
  }
  std::string how;
  for (const auto& [name, run] : runs) {
    if (!run.how.empty()) how += fmt::format("- {}: {}\n", name, run.how);
  }
  return how.empty() ? out : out + "\nHow much of it:\n\n" + how;
}

std::string MakeVerdictTable(const std::vector<JudgedClaim>& claims) {
  std::string out = "\n## What the papers claim\n\n| paper |", rule = "| --- |";
  for (const Verdict verdict : kVerdicts) {
    out += fmt::format(" {} |", verdict == Verdict::Agrees    ? "agrees"
                                : verdict == Verdict::Differs ? "does not"
                                                              : ToString(verdict));
    rule += " --- |";
  }
  out += " not counted: ours, as 000 |\n" + rule + " --- |\n";
  for (const PaperClaims& paper : AllClaims()) {
    const auto count = [&](const auto& wanted) {
      return std::count_if(claims.begin(), claims.end(),
                           [&](const JudgedClaim& c) { return c.paper == paper.paper && wanted(c); });
    };
    out += fmt::format("| {} |", paper.paper);
    for (const Verdict verdict : kVerdicts) {
      out += fmt::format(" {} |", count([&](const JudgedClaim& c) { return c.counts() && c.verdict == verdict; }));
    }
    out += fmt::format(" {} |\n", count([](const JudgedClaim& c) { return !c.counts(); }));
  }
  return out;
}

std::string MakeClaimTables(const std::vector<JudgedClaim>& claims) {
  std::string out, paper;
  for (const JudgedClaim& c : claims) {
    if (c.paper != paper) {
      paper = c.paper;
      out += fmt::format(
          "\n### Paper {}\n\n| item | claim | theirs | ours | ratio | agrees | why | run |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
          paper);
    }
    const bool differs = c.counts() && c.verdict == Verdict::Differs;
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", c.item, Escape(c.says), Format(c.theirs),
                       Format(c.ours), Format(c.ratio()), differs ? "**no**" : c.verdict_text(), Escape(c.why), c.run);
  }
  return out;
}

// Rows whose name matches as a table: the first group of the pattern is its line, the second its column.
std::string MakePivot(const BenchRun& run, const std::string& pattern, const std::string& head) {
  const std::regex regex(pattern);
  std::vector<std::string> lines, columns;
  std::map<std::pair<std::string, std::string>, double> cells;
  const auto note = [](const std::string& name, std::vector<std::string>* list) {
    if (std::find(list->begin(), list->end(), name) == list->end()) list->push_back(name);
  };
  for (const BenchRow& row : run.rows) {
    std::smatch m;
    if (!std::regex_match(row.name, m, regex)) continue;
    note(m[1], &lines);
    note(m[2], &columns);
    cells[{m[1], m[2]}] = row.value;
  }
  if (lines.empty()) return "";
  std::string out = fmt::format("| {} |", head), rule = "| --- |";
  for (const std::string& column : columns) {
    out += fmt::format(" {} |", Escape(column));
    rule += " --- |";
  }
  out += fmt::format("\n{}\n", rule);
  for (const std::string& line : lines) {
    out += fmt::format("| {} |", Escape(line));
    for (const std::string& column : columns) {
      const auto found = cells.find({line, column});
      out += fmt::format(" {} |", found == cells.end() ? "" : Format(found->second));
    }
    out += "\n";
  }
  return out;
}

std::string MakeOtherTables(const BenchRuns& runs) {
  std::string out;
  for (const auto& [name, run] : runs) {
    if (run.suite == "fclib") {
      const std::string table = MakePivot(run, "at 1e-0?8: (.+): part within (\\S+) times the best", "solver");
      if (table.empty()) continue;
      out += fmt::format(
                 "\n## FCLib ({})\n\nPart of the problems solved to 1e-8 within so many times the time of the "
                 "quickest solver; more in [benchmarks.md](benchmarks.md).\n\n",
                 name) +
             table;
    }
    if (run.suite == "peers") {
      const std::string table = MakePivot(run, "(.+?): (.+): time a step", "scene");
      if (table.empty()) continue;
      out += fmt::format(
                 "\n## Other engines on the same scenes ({})\n\nMedian time of a step [ms]; the errors that go "
                 "with it are on the page and in [peers.md](peers.md).\n\n",
                 name) +
             table;
    }
  }
  return out;
}

std::string MakeMissedList(const BenchRuns& runs) {
  std::string out;
  for (const auto& [name, run] : runs) {
    for (const BenchRow& row : run.rows) {
      if (row.pass || !row.bar) continue;
      out += fmt::format("- {}: {} is {:.4g}{} (bar {:.4g})\n", name, row.name, row.value,
                         row.unit.empty() ? "" : " " + row.unit, *row.bar);
    }
  }
  return "\n## Bars missed\n\n" + (out.empty() ? "None.\n" : out);
}

}  // namespace

std::vector<ReportFigure> MakeReportFigures(const BenchRuns& runs) {
  std::map<std::string, ReportFigure> by_file;
  std::vector<std::string> order;
  std::set<std::string> whole;
  // As the papers come.
  std::vector<const BenchRun*> sorted;
  for (const char* suite : {"scenarios", "subadmm", "cond", "baselines", "deformables", "inverse"}) {
    for (const auto& [name, run] : runs) {
      if (run.suite == suite) sorted.push_back(&run);
    }
  }
  for (const BenchRun* entry : sorted) {
    const BenchRun& run = *entry;
    const auto add = [&](const std::string& id, const std::string& title, const std::string& svg) {
      const std::string file = id + ".svg";
      if (by_file.count(file) == 0) order.push_back(file);
      if (whole.count(file) > 0 && run.settings.quick) return;
      if (!run.settings.quick) whole.insert(file);
      by_file[file] = {file, title, svg};
    };
    for (const ReportChart& chart : MakeReportCharts(run)) add(chart.id, chart.title, MakeChartSvg(chart));
    for (const BenchTrace& trace : run.traces) {
      add(MakeChartId(run.suite + " " + trace.title), trace.title,
          MakeTracePlot(trace.title, "time [s]", trace.panels));
    }
  }
  std::vector<ReportFigure> out;
  for (const std::string& file : order) out.push_back(by_file.at(file));
  return out;
}

std::string MakeReportMarkdown(const BenchRuns& runs, const std::string& figures) {
  const std::vector<JudgedClaim> claims = JudgeClaims(runs);
  std::string out = kIntroduction + MakeRunTable(runs) + MakeVerdictTable(claims);
  if (!figures.empty()) {
    out += "\n## Curves\n\nBoth axes are logarithmic but where one is time; fits are power laws by least squares.\n\n";
    for (const ReportFigure& figure : MakeReportFigures(runs)) {
      out += fmt::format("![{}]({}/{})\n\n", figure.title, figures, figure.file);
    }
    out.pop_back();
  }
  out += "\n## Claim by claim\n" + MakeClaimTables(claims);
  return out + MakeOtherTables(runs) + MakeMissedList(runs);
}

}  // namespace tactus::cli
