#include "apps/cli/dot_plot.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t CountOf(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(DotPlot, DrawsEveryValueAndTheMedian) {
  const std::string svg = MakeDotPlots("a < b", {{{"time & error", 1e-3, {{"one", {1, 10, 100}}, {"two", {0}}}}}});
  EXPECT_THAT(svg, HasSubstr("a &lt; b"));
  EXPECT_THAT(svg, HasSubstr("time &amp; error"));
  EXPECT_THAT(svg, HasSubstr(">one<"));
  EXPECT_EQ(CountOf(svg, "<circle"), 4u);
  EXPECT_EQ(CountOf(svg, "stroke-width=\"2.5\""), 2u);
  // 0 is drawn at the floor, which is the lowest decade.
  EXPECT_THAT(svg, HasSubstr(">1e-3<"));
}

TEST(DotPlot, SaysWhatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::string svg = MakeDotPlots("t", {{{"p", 1e-3, {{"one", {1, nan, inf}}, {"none", {inf}}, {"empty", {}}}}}});
  EXPECT_THAT(svg, HasSubstr(">2 lost<"));
  EXPECT_THAT(svg, HasSubstr(">1 lost<"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_THAT(MakeDotPlots("t", {}), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace tactus::cli
