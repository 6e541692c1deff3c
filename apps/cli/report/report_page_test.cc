#include "apps/cli/report/report_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

BenchRuns MakeRuns() {
  BenchRun run = MakeBenchRun("subadmm", {});
  run.rows = {BenchRow::AtLeast("8 laikagos: no-sub over subadmm", 5.5, "", 2.78),
              BenchRow::AtLeast("27 laikagos: no-sub over subadmm", 3.2, "", 3.63),
              BenchRow::Measured("</script> in a name", 1, "ms")};
  BenchRun quick = run;
  quick.settings.quick = true;
  quick.rows[0].value = 1;
  return {{"subadmm", run}, {"subadmm-quick", quick}};
}

TEST(ReportPage, JudgesClaimsByWholeRuns) {
  const std::vector<JudgedClaim> claims = JudgeClaims(MakeRuns());
  ASSERT_EQ(claims.size(), 2u);
  EXPECT_EQ(claims[0].ours, 5.5);
  EXPECT_TRUE(claims[0].agrees);
  EXPECT_FALSE(claims[1].agrees);
  EXPECT_FALSE(claims[1].why.empty());
}

TEST(ReportPage, IsOneFileAndNamesDoNotEndItsScript) {
  const std::string page = MakeReportPage(MakeRuns());
  EXPECT_THAT(page, HasSubstr("27 laikagos"));
  EXPECT_THAT(page, Not(HasSubstr("</script> in a name")));
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(page, Not(HasSubstr("/*DATA*/")));
  EXPECT_THAT(page, Not(HasSubstr("/*PLOTS*/")));
  EXPECT_THAT(page, HasSubstr("Performance profile at"));
}

TEST(ReportPage, SummaryNamesWhatIsMissed) {
  const std::string text = MakeReportMarkdown(MakeRuns());
  EXPECT_THAT(text, HasSubstr("27 laikagos: no-sub over subadmm is 3.2"));
  EXPECT_THAT(text, HasSubstr("| **no** |"));
}

}  // namespace
}  // namespace tactus::cli
