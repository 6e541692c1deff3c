// tactus report [RESULTS]
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
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

// Of each suite the newest: days sort by name.
BenchRuns FindRuns(const fs::path& folder) {
  Require(fs::is_directory(folder), "results '" + folder.string() + "'", "is not a folder",
          "what `tactus bench SUITE` wrote, or a folder of such days");
  BenchRuns runs;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) runs[file.stem().string()] = ReadBenchRun(file);
  Require(!runs.empty(), "results '" + folder.string() + "'", "has no results",
          "files that `tactus bench SUITE` wrote");
  return runs;
}

void WriteText(const std::string& path, const std::string& text) {
  OutputFile out(path);
  out.Write(text);
  out.Commit();
}

// Links go from the summary's folder to that of its figures.
void WriteSummary(const ReportOptions& options, const BenchRuns& runs) {
  std::string link;
  if (!options.figures.empty()) {
    std::error_code error;
    fs::create_directories(options.figures, error);
    const std::vector<ReportFigure> figures = MakeReportFigures(runs);
    for (const ReportFigure& figure : figures)
      WriteText((fs::path(options.figures) / figure.file).string(), figure.svg);
    link = fs::absolute(options.figures).lexically_relative(fs::absolute(options.markdown).parent_path()).string();
    fmt::print("{}: {} figures\n", options.figures, figures.size());
  }
  WriteText(options.markdown, MakeReportMarkdown(runs, link));
  fmt::print("{}\n", options.markdown);
}

void PrintClaims(const std::vector<JudgedClaim>& claims) {
  int agree = 0, measured = 0;
  for (const JudgedClaim& claim : claims) {
    agree += claim.verdict == JudgedClaim::Verdict::Agrees ? 1 : 0;
    if (!claim.measured()) continue;
    ++measured;
    fmt::print("  {:<4} {} {:<20} {}: {:.4g} (paper {:.4g})\n", ToString(claim.verdict), claim.paper, claim.item,
               claim.says, claim.ours, claim.theirs);
  }
  fmt::print("{} claims of the papers, {} measured in these results, {} agree\n", claims.size(), measured, agree);
}

int RunReport(const ReportOptions& options) {
  CheckDistinct({{"--html", options.html}, {"--markdown", options.markdown}});
  Require(options.figures.empty() || !options.markdown.empty(), "--figures", "has nothing that shows them",
          "--markdown OUT.md beside it");
  const BenchRuns runs = FindRuns(options.results);
  WriteText(options.html, MakeReportPage(runs));
  fmt::print("{}: {} suites, open it in a browser\n", options.html, runs.size());
  if (!options.markdown.empty()) WriteSummary(options, runs);
  PrintClaims(JudgeClaims(runs));
  return kAllSolved;
}

}  // namespace

CommandRun AddReportCommand(CLI::App* app) {
  const auto options = std::make_shared<ReportOptions>();
  app->add_option("results", options->results, "folder that `tactus bench` wrote; of each suite the newest is taken")
      ->type_name("DIR")
      ->capture_default_str();
  app->add_option("--html", options->html, "the page")->type_name("OUT.html")->capture_default_str();
  app->add_option("--markdown", options->markdown, "a summary for docs, too")->type_name("OUT.md");
  app->add_option("--figures", options->figures, "folder for the summary's plots as SVG, which it then shows")
      ->type_name("DIR");
  return [options] { return RunReport(*options); };
}

}  // namespace tactus::cli
