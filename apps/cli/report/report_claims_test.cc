// Verdicts: what counts as agreement, and what is neither yes nor no.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/cli/report/claims.h"
#include "apps/cli/report/report_page.h"

namespace tactus::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using Verdict = JudgedClaim::Verdict;

BenchRuns MakeRun(const std::string& suite, bool quick, std::vector<BenchRow> rows) {
  BenchSettings settings;
  settings.quick = quick;
  BenchRun run = MakeBenchRun(suite, settings);
  run.rows = std::move(rows);
  return {{MakeBenchRunName(run), run}};
}

JudgedClaim FindClaim(const std::string& paper, const std::string& says, const BenchRuns& runs) {
  for (const JudgedClaim& claim : JudgeClaims(runs)) {
    if (claim.paper == paper && claim.says == says) return claim;
  }
  ADD_FAILURE() << paper << ": " << says;
  return {};
}

// In the paper SubADMM is nearer than PGS; a PGS that is much better than the paper's is no agreement.
TEST(ReportClaims, BaselinesThatWinDoNotAgree) {
  const std::string error = " iterations: -log10 error (002), mean";
  const BenchRuns runs = MakeRun("baselines", false,
                                 {BenchRow::Measured("cable, subadmm-icra, 60" + error, 5.3, ""),
                                  BenchRow::Measured("cable, pgs-ncg, 60" + error, 9.0, ""),
                                  BenchRow::Measured("cable, fadmm, 60" + error, 4.6, "")});
  const JudgedClaim pgs = FindClaim("002", "cable: SubADMM's error beside PGS's, at 60, ratio of -log10", runs);
  EXPECT_EQ(pgs.verdict, Verdict::Differs);
  EXPECT_THAT(pgs.why, HasSubstr("contacts"));
  const JudgedClaim fadmm = FindClaim("002", "cable: SubADMM's error beside FADMM's, at 60, ratio of -log10", runs);
  EXPECT_EQ(fadmm.verdict, Verdict::Agrees);
}

TEST(ReportClaims, LargerErrorsOfJacobiAgree) {
  const std::string error = ", 30 iterations: -log10 error (002), mean";
  const BenchRuns runs =
      MakeRun("subadmm", false,
              {BenchRow::Measured("stir, pj" + error, 3.9, ""), BenchRow::Measured("stir, subadmm" + error, 4.0, "")});
  EXPECT_EQ(FindClaim("002", "stir: PJ's error is larger than SubADMM's, at 30, ratio of -log10", runs).verdict,
            Verdict::Agrees);
}

TEST(ReportClaims, TimesOfQuickRunsAreNotJudged) {
  const std::vector<BenchRow> rows = {BenchRow::Measured("soft-mat, cond as published to 0.0001: ST", 1, "ms"),
                                      BenchRow::Measured("soft-mat, pgs as published to 0.0001: ST", 1000, "ms")};
  const BenchRuns quick = MakeRun("deformables", true, rows);
  const JudgedClaim time = FindClaim("001", "soft mat, COND: solver time [ms]", quick);
  EXPECT_EQ(time.verdict, Verdict::SmallerCase);
  EXPECT_EQ(time.ours, 1);
  EXPECT_TRUE(std::isnan(time.ratio()));
  EXPECT_THAT(time.why, HasSubstr("tactus bench deformables, without --quick"));
  EXPECT_EQ(FindClaim("001", "soft mat: PGS's time over COND's", quick).verdict, Verdict::Agrees);
  const BenchRuns whole = MakeRun("deformables", false, rows);
  EXPECT_EQ(FindClaim("001", "soft mat, COND: solver time [ms]", whole).verdict, Verdict::Agrees);
  const std::string text = MakeReportMarkdown(quick);
  EXPECT_THAT(text, HasSubstr("| smaller case |"));
  EXPECT_THAT(text, HasSubstr("| deformables-quick |\n"));
}

TEST(ReportClaims, MissingRowsSayWhatToRun) {
  const std::string says = "soft mat, COND: iterations";
  EXPECT_THAT(FindClaim("001", says, MakeRun("deformables", true, {})).why,
              HasSubstr("tactus bench deformables, without --quick"));
  EXPECT_THAT(FindClaim("001", says, MakeRun("deformables", false, {})).why, Not(HasSubstr("--quick")));
  EXPECT_THAT(FindClaim("001", says, MakeRun("cond", false, {})).why, HasSubstr("has no results"));
}

TEST(ReportClaims, RatiosToRoundingAreNotJudged) {
  for (const double cond : {0.0, 1e-18}) {
    const BenchRuns runs = MakeRun("deformables", false,
                                   {BenchRow::Measured("soft-mat, pgs as published to 0.0001: MP", 0.0007, "mm"),
                                    BenchRow::Measured("soft-mat, cond as published to 0.0001: MP", cond, "mm")});
    const JudgedClaim claim = FindClaim("001", "soft mat: PGS's penetration over COND's", runs);
    EXPECT_EQ(claim.verdict, Verdict::AtRounding);
    EXPECT_TRUE(std::isnan(claim.ours));
    EXPECT_TRUE(std::isnan(claim.ratio()));
    EXPECT_THAT(claim.why, HasSubstr("0.0007"));
  }
  // Small residuals without a unit are no rounding.
  const BenchRuns runs =
      MakeRun("scenarios", false,
              {BenchRow::Measured("dish-step, pgs after 100 iterations: residual (paper), median", 1e-6, ""),
               BenchRow::Measured("dish-step, subadmm after 100 iterations: residual (paper), median", 1e-10, "")});
  EXPECT_EQ(FindClaim("000", "dishes: PGS is farther off than SubADMM after 100 iterations, ratio of residuals", runs)
                .verdict,
            Verdict::Agrees);
}

TEST(ReportClaims, OtherUnitsAreShownAndNotCompared) {
  const BenchRuns runs = MakeRun(
      "inverse", false, {BenchRow::Measured("trunk lcp by alm-activate, 10 problems: dual, mean", 1e-16, "relative")});
  const JudgedClaim claim = FindClaim("004", "trunk: dual feasibility", runs);
  EXPECT_EQ(claim.verdict, Verdict::OtherUnits);
  EXPECT_EQ(claim.ours, 1e-16);
  EXPECT_TRUE(std::isnan(claim.ratio()));
}

TEST(ReportClaims, CountsAreShares) {
  const BenchRuns runs = MakeRun("inverse", false,
                                 {BenchRow::AtLeast("franka-sanding: runs that met all goals", 5, "of 5", 5),
                                  BenchRow::AtLeast("go2-jump: runs that met all goals", 4, "of 5", 5)});
  const JudgedClaim all = FindClaim("004", "sanding: runs that met all goals", runs);
  EXPECT_EQ(all.ours, 1);
  EXPECT_EQ(all.verdict, Verdict::Agrees);
  const JudgedClaim most = FindClaim("004", "jump: runs that met all goals (contact is broken by itself)", runs);
  EXPECT_EQ(most.ours, 0.8);
  EXPECT_EQ(most.verdict, Verdict::Differs);
}

TEST(ReportClaims, LinesThatAreNotThePapersDoNotCount) {
  const BenchRuns runs =
      MakeRun("scenarios", false,
              {BenchRow::Measured("bolt-nut-step, hybrid after 10 iterations: residual (paper), median", 1e-9, ""),
               BenchRow::Measured("bolt-nut-step, canal after 10 iterations: residual (paper), median", 1e-9, "")});
  const std::string ours = "bolt: our default after 10 iterations, residual";
  const std::string theirs = "bolt: CANAL converges in about 10 iterations, residual";
  EXPECT_EQ(FindClaim("000", ours, runs).verdict_text(), "yes (ours)");
  EXPECT_EQ(FindClaim("000", theirs, runs).verdict_text(), "yes");
  EXPECT_EQ(FindClaim("003", theirs, runs).verdict_text(), "yes (as 000)");
  const std::string text = MakeReportMarkdown(runs);
  EXPECT_THAT(text, HasSubstr("\n| 000 | 1 | 0 |"));
  EXPECT_THAT(text, HasSubstr("\n| 003 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 12 |"));
  for (const JudgedClaim& claim : JudgeClaims(runs)) {
    if (claim.says.find("our ") != std::string::npos) {
      EXPECT_FALSE(claim.counts()) << claim.says;
    }
  }
}

// Tables are sorted and filtered: no line may lean on the one before it.
TEST(ReportClaims, NamesAndReasonsStandAlone) {
  for (const PaperClaims& paper : AllClaims()) {
    for (const Claim& claim : paper.claims) {
      EXPECT_THAT(claim.says, Not(HasSubstr("..."))) << paper.paper;
      for (const char* phrase : {"see the row", "next line", "many failures"}) {
        EXPECT_THAT(claim.why, Not(HasSubstr(phrase))) << claim.says;
      }
    }
  }
}

}  // namespace
}  // namespace tactus::cli
