// tactus report [RESULTS]
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/command.h"
#include "apps/cli/output_paths.h"
#include "apps/cli/report/report_page.h"
#include "tactus/core/error.h"
#include "tactus/core/output_file.h"

namespace tactus::cli {

namespace fs = std::filesystem;

namespace {

struct ReportOptions {
  std::string results = "results", html = "report.html", markdown, figures;
};

// Of each suite, or part of one, the newest: of days that `tactus bench` wrote and of summaries alike.
BenchRuns FindRuns(const fs::path& path) {
  Require(fs::exists(path), "results '" + path.string() + "'", "are not there",
          "what `tactus bench SUITE` wrote, or a folder of such days");
  BenchRuns runs;
  for (BenchRun& run : ReadBenchRuns(path)) {
    const std::string name = MakeBenchRunName(run);
    runs[name] = std::move(run);
  }
  return runs;
}

void WriteText(const std::string& path, const std::string& text) {
  OutputFile out(path);
  out.Write(text);
  out.Commit();
}

// Before any is written, so that a report is there as a whole or not at all.
void CheckOutputs(const ReportOptions& options, const std::vector<ReportFigure>& figures) {
  CheckDistinct({{"--html", options.html}, {"--markdown", options.markdown}});
  CheckOutput("--html", options.html);
  CheckOutput("--markdown", options.markdown);
  if (options.figures.empty()) return;
  std::error_code error;
  fs::create_directories(options.figures, error);
  Require(fs::is_directory(options.figures), "--figures '" + options.figures + "'", "is no folder and cannot be made",
          "a folder, or the name of a new one");
  for (const ReportFigure& figure : figures) {
    CheckOutput("--figures", (fs::path(options.figures) / figure.file).string());
  }
}

// Links go from the summary's folder to that of its figures.
void WriteSummary(const ReportOptions& options, const BenchRuns& runs, const std::vector<ReportFigure>& figures) {
  std::string link;
  if (!options.figures.empty()) {
    for (const ReportFigure& figure : figures)
      WriteText((fs::path(options.figures) / figure.file).string(), figure.svg);
    link = fs::absolute(options.figures).lexically_relative(fs::absolute(options.markdown).parent_path()).string();
    fmt::print("{}: {} figures\n", options.figures, figures.size());
  }
  WriteText(options.markdown, MakeReportMarkdown(runs, link));
  fmt::print("{}\n", options.markdown);
}

void PrintClaims(const std::vector<JudgedClaim>& claims) {
  int all = 0, agree = 0, judged = 0;
  for (const JudgedClaim& claim : claims) {
    all += claim.counts() ? 1 : 0;
    if (!claim.judged()) continue;
    if (claim.counts()) {
      ++judged;
      agree += claim.verdict == JudgedClaim::Verdict::Agrees ? 1 : 0;
    }
    fmt::print("  {:<12} {} {:<20} {}: {:.4g} (paper {:.4g})\n", claim.verdict_text(), claim.paper, claim.item,
               claim.says, claim.ours, claim.theirs);
  }
  fmt::print("{} claims of the papers, {} measured in these results, {} agree\n", all, judged, agree);
}

int RunReport(const ReportOptions& options) {
  Require(options.figures.empty() || !options.markdown.empty(), "--figures", "has nothing that shows them",
          "--markdown OUT.md beside it");
  const BenchRuns runs = FindRuns(options.results);
  const std::vector<ReportFigure> figures =
      options.figures.empty() ? std::vector<ReportFigure>() : MakeReportFigures(runs);
  CheckOutputs(options, figures);
  WriteText(options.html, MakeReportPage(runs));
  fmt::print("{}: {} suites, open it in a browser\n", options.html, runs.size());
  if (!options.markdown.empty()) WriteSummary(options, runs, figures);
  PrintClaims(JudgeClaims(runs));
  return kAllSolved;
}

}  // namespace

CommandRun AddReportCommand(CLI::App* app) {
  const auto options = std::make_shared<ReportOptions>();
  app->add_option("results", options->results,
                  "folder that `tactus bench` wrote, or its summaries; of each suite the newest is taken")
      ->type_name("DIR")
      ->capture_default_str();
  app->add_option("--html", options->html, "the page")->type_name("OUT.html")->capture_default_str();
  app->add_option("--markdown", options->markdown, "a summary for docs, too")->type_name("OUT.md");
  app->add_option("--figures", options->figures, "folder for the summary's plots as SVG, which it then shows")
      ->type_name("DIR");
  return [options] { return RunReport(*options); };
}

}  // namespace tactus::cli
