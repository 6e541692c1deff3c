#include "apps/cli/report/report_page.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/cli/report/claims.h"
#include "apps/cli/report/report_charts.h"

namespace tactus::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

BenchRuns MakeRuns() {
  BenchRun run = MakeBenchRun("subadmm", {});
  run.rows = {BenchRow::AtLeast("8 laikagos: no-sub over subadmm", 5.5, "", 2.78),
              BenchRow::AtLeast("27 laikagos: no-sub over subadmm", 3.2, "", 3.63),
              BenchRow::Measured("stir, pgs-ncg, 60 iterations: time, mean", 3, "ms"),
              BenchRow::Measured("stir, subadmm, 60 iterations: time, mean", 0.5, "ms"),
              BenchRow::Measured("</script> in a name", 1, "ms")};
  for (const int size : {10, 100, 1000}) {
    run.rows.push_back(BenchRow::Measured(
        "granular-stir with particles=" + std::to_string(size) + ", 60 iterations: of the processor, mean", 2.0 * size,
        "ms"));
  }
  BenchRun quick = run;
  quick.settings.quick = true;
  quick.rows[0].value = 1;
  return {{"subadmm", run}, {"subadmm-quick", quick}};
}

JudgedClaim FindClaim(const std::string& paper, const std::string& says, const BenchRuns& runs = MakeRuns()) {
  for (const JudgedClaim& claim : JudgeClaims(runs)) {
    if (claim.paper == paper && claim.says == says) return claim;
  }
  ADD_FAILURE() << paper << ": " << says;
  return {};
}

TEST(ReportPage, JudgesClaimsByWholeRuns) {
  const JudgedClaim eight = FindClaim("000", "8 Laikagos, 100 iterations: No Sub over SubADMM");
  EXPECT_EQ(eight.ours, 5.5);
  EXPECT_EQ(eight.run, "subadmm");
  EXPECT_EQ(eight.verdict, JudgedClaim::Verdict::Agrees);
  EXPECT_TRUE(eight.why.empty());
  const JudgedClaim many = FindClaim("000", "27 Laikagos: No Sub over SubADMM");
  EXPECT_EQ(many.verdict, JudgedClaim::Verdict::Differs);
  EXPECT_FALSE(many.why.empty());
}

TEST(ReportPage, ClaimsMayBeRatiosAndMayNotHaveBeenRun) {
  EXPECT_EQ(FindClaim("002", "stir: PGS's time over SubADMM's, at 60").ours, 6);
  const JudgedClaim fadmm = FindClaim("002", "stir: FADMM's time over SubADMM's, at 60");
  EXPECT_EQ(fadmm.verdict, JudgedClaim::Verdict::NotRun);
  EXPECT_THAT(fadmm.why, HasSubstr("tactus bench subadmm"));
}

// What `tactus bench papers` is to rebuild; an item may be one of several of a line.
TEST(ReportPage, HasEveryItemOfThePapers) {
  const std::map<std::string, std::vector<std::string>> items = {
      {"000", {"Fig. 7", "Fig. 9", "Fig. 11", "Fig. 14", "Table II", "Table III"}},
      {"001",
       {"Table I", "Table II", "Table III", "Table IV", "Table V", "Table VI", "Table VII", "Table VIII", "Table IX",
        "Fig. 6", "Fig. 7", "Fig. 8", "Fig. 9", "Fig. 10", "Fig. 11", "Fig. 12", "Fig. 13", "Fig. 14"}},
      {"002", {"Table I", "Fig. 2"}},
      {"003", {"Fig. 2"}},
      {"004",
       {"Table II", "Table III", "Table IV", "Fig. 6", "Fig. 7", "Fig. 9", "Fig. 10", "Fig. 12", "Fig. 14", "Fig. 15"}},
  };
  const std::vector<JudgedClaim> claims = JudgeClaims(MakeRuns());
  for (const auto& [paper, list] : items) {
    for (const std::string& item : list) {
      // Not of "Table I" in "Table II", nor of "Fig. 1" in "Fig. 11".
      const std::regex whole("(^|.*, )" + std::regex_replace(item, std::regex("\\."), "\\.") + "($|,.*|[a-e].*)");
      EXPECT_TRUE(
          std::any_of(claims.begin(), claims.end(),
                      [&](const JudgedClaim& c) { return c.paper == paper && std::regex_match(c.item, whole); }))
          << paper << ", " << item;
    }
  }
}

TEST(ReportPage, EveryClaimSaysWhyItMayDiffer) {
  for (const PaperClaims& paper : AllClaims()) {
    for (const Claim& claim : paper.claims) {
      EXPECT_STRNE(claim.why, "") << claim.says;
      const bool measured = claim.test != Claim::Test::Laboratory && claim.test != Claim::Test::NotRebuilt;
      EXPECT_EQ(claim.row[0] != '\0', measured) << claim.says;
    }
  }
}

// Of suites that the history has a whole run of, every row that a claim names is there, in it or in runs of parts: a
// claim whose row was renamed would be "not run" for ever.
TEST(ReportPage, EveryClaimHasItsRow) {
  std::map<std::string, std::vector<std::string>> rows;
  std::set<std::string> whole;
  const std::filesystem::path history = std::filesystem::path(TACTUS_PROJECT_DIR) / "bench/results";
  for (const auto& file : std::filesystem::recursive_directory_iterator(history)) {
    if (file.path().extension() != ".json") continue;
    for (const BenchRun& run : ReadBenchRuns(file.path())) {
      if (run.settings.quick) continue;
      if (run.settings.only.empty()) whole.insert(run.suite);
      for (const BenchRow& row : run.rows) rows[run.suite].push_back(row.name);
    }
  }
  EXPECT_TRUE(whole.contains("inverse"));
  for (const PaperClaims& paper : AllClaims()) {
    for (const Claim& claim : paper.claims) {
      if (!whole.contains(claim.suite)) continue;
      const std::vector<std::string>& names = rows[claim.suite];
      for (const char* pattern : {claim.row, claim.over}) {
        if (pattern[0] == '\0') continue;
        EXPECT_TRUE(std::any_of(names.begin(), names.end(),
                                [&](const std::string& name) { return MatchesPattern(pattern, name.c_str()); }))
            << paper.paper << ", " << claim.suite << ": " << pattern;
      }
    }
  }
}

TEST(ReportPage, PatternsStandForAnyText) {
  EXPECT_TRUE(MatchesPattern("a*c", "abbc"));
  EXPECT_TRUE(MatchesPattern("a*c", "ac"));
  EXPECT_FALSE(MatchesPattern("a*c", "acd"));
  EXPECT_FALSE(MatchesPattern("", "a"));
}

TEST(ReportPage, IsOneFileAndNamesDoNotEndItsScript) {
  const std::string page = MakeReportPage(MakeRuns());
  EXPECT_THAT(page, HasSubstr("27 laikagos"));
  EXPECT_THAT(page, HasSubstr("needs laboratory measurements"));
  EXPECT_THAT(page, Not(HasSubstr("</script> in a name")));
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(page, Not(HasSubstr("/*DATA*/")));
  EXPECT_THAT(page, Not(HasSubstr("/*PLOTS*/")));
  EXPECT_THAT(page, HasSubstr("Performance profile at"));
}

TEST(ReportPage, VerdictsAreChosenApartFromTheText) {
  const std::string page = MakeReportPage(MakeRuns());
  EXPECT_THAT(page, HasSubstr("every verdict"));
  EXPECT_THAT(page, HasSubstr(R"("verdicts":["yes","no","smaller case",)"));
}

TEST(ReportPage, SummaryNamesWhatIsMissed) {
  const std::string text = MakeReportMarkdown(MakeRuns());
  EXPECT_THAT(text, HasSubstr("27 laikagos: no-sub over subadmm is 3.2"));
  EXPECT_THAT(text, HasSubstr("| **no** |"));
  EXPECT_THAT(text, Not(HasSubstr("![")));
}

TEST(ReportPage, SummaryHasTablesOfPeersAndProfiles) {
  BenchRun peers = MakeBenchRun("peers", {}), fclib = MakeBenchRun("fclib", {});
  peers.rows = {BenchRow::Measured("spheres: tactus: time a step", 1, "ms"),
                BenchRow::Measured("spheres: drake: time a step", 3, "ms"),
                BenchRow::Measured("spheres: drake: mean time a step", 4, "ms")};
  fclib.rows = {BenchRow::Measured("at 1e-08: hybrid: part within 2 times the best", 0.5, "")};
  const std::string text = MakeReportMarkdown({{"peers", peers}, {"fclib", fclib}});
  EXPECT_THAT(text, HasSubstr("| scene | tactus | drake |\n| --- | --- | --- |\n| spheres | 1 | 3 |"));
  EXPECT_THAT(text, HasSubstr("| solver | 2 |\n| --- | --- |\n| hybrid | 0.5 |"));
}

TEST(ReportPage, CurvesAreFitted) {
  const std::vector<ReportChart> charts = MakeReportCharts(MakeRuns().at("subadmm"));
  ASSERT_EQ(charts.size(), 1u);
  ASSERT_EQ(charts[0].lines.size(), 1u);
  const auto [exponent, factor] = FitPower(charts[0].lines[0].points);
  EXPECT_NEAR(exponent, 1, 1e-12);
  EXPECT_NEAR(factor, 2, 1e-9);
  EXPECT_THAT(MakeChartSvg(charts[0]), HasSubstr("fit, exponent 1.000"));
  const std::vector<ReportFigure> figures = MakeReportFigures(MakeRuns());
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_THAT(MakeReportMarkdown(MakeRuns(), "images/here"), HasSubstr("](images/here/" + figures[0].file + ")"));
}

TEST(ReportPage, SaysHowMuchWasRun) {
  BenchRuns runs = MakeRuns();
  runs.at("subadmm").how = "whole: up to 9,261 spheres";
  EXPECT_THAT(MakeReportPage(runs), HasSubstr("whole: up to 9,261 spheres"));
  EXPECT_THAT(MakeReportMarkdown(runs), HasSubstr("- subadmm: whole: up to 9,261 spheres\n"));
  EXPECT_THAT(MakeReportMarkdown(MakeRuns()), Not(HasSubstr("How much of it")));
}

TEST(ReportPage, CurvesOverTimeAreDrawn) {
  BenchRun run = MakeBenchRun("scenarios", {});
  run.traces = {{"dish-sliding (000, Fig. 14)", {{"height [mm]", false, {{"canal(5)", {{0, 1}, {1, -2}, {2, 3}}}}}}}};
  const BenchRuns runs = {{"scenarios", run}};
  EXPECT_THAT(MakeReportPage(runs), HasSubstr(R"("label":"height [mm]")"));
  const std::vector<ReportFigure> figures = MakeReportFigures(runs);
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(figures[0].file, "scenarios-dish-sliding-000-fig-14.svg");
  EXPECT_THAT(figures[0].svg, HasSubstr("canal(5)"));
}

TEST(ReportPage, ResidualsAreDrawnOverTime) {
  BenchRun run = MakeBenchRun("scenarios", {});
  for (const int k : {1, 2, 3}) {
    const std::string name = "dish-step, canal after " + std::to_string(k) + " iterations: ";
    run.rows.push_back(BenchRow::Measured(name + "residual (paper), median", 1.0 / k, ""));
    run.rows.push_back(BenchRow::Measured(name + "time, median", 5 * k, "ms"));
  }
  const std::vector<ReportChart> charts = MakeReportCharts(run);
  ASSERT_EQ(charts.size(), 2u);
  EXPECT_EQ(charts[0].title, "dish-step: residual over time");
  EXPECT_EQ(charts[0].lines[0].points[1], std::pair(10.0, 0.5));
  EXPECT_EQ(charts[1].title, "dish-step: time over iterations");
}

}  // namespace
}  // namespace tactus::cli
