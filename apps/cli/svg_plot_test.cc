#include "apps/cli/svg_plot.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/cli/bench_suite.h"

namespace tactus::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SvgPlot, DrawsEverySeriesAndEscapesText) {
  const std::string svg = MakeSvgPlot({"a < b & c", "x", "y"}, {{"one", {{1, 1}, {10, 0.1}}}, {"two", {{1, 0.5}}}});
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; c"));
  EXPECT_THAT(svg, HasSubstr(">one<"));
  EXPECT_THAT(svg, HasSubstr(">two<"));
  // One decade each way: the line goes from corner to corner of the frame (80, 50) to (710, 460).
  EXPECT_THAT(svg, HasSubstr("points=\"80.0,50.0 710.0,460.0\""));
}

TEST(SvgPlot, LeavesOutWhatLogarithmicAxesCannotShow) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::string svg = MakeSvgPlot({"t", "x", "y"}, {{"s", {{0, 1}, {1, nan}, {inf, 1}, {2, 0}, {-1, 1}}}});
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_THAT(MakeSvgPlot({"t", "x", "y"}, {}), HasSubstr("</svg>"));
  EXPECT_THAT(MakeSvgPlot({"t", "x", "y"}, {{"empty", {}}}), HasSubstr("</svg>"));
}

TEST(SvgPlot, FitsHaveTheColourOfTheirSeries) {
  const std::string svg =
      MakeSvgPlot({"t", "x", "y"}, {{"a", {{1, 1}, {2, 2}}}, {"fit", {{1, 1}, {2, 2}}, true}, {"b", {{1, 3}}}});
  EXPECT_THAT(svg, HasSubstr("stroke=\"#0072b2\" stroke-dasharray=\"2 3\""));
  EXPECT_THAT(svg, HasSubstr("stroke=\"#d55e00\" stroke-dasharray=\"none\""));
}

TEST(BenchRow, PassesByItsBar) {
  EXPECT_TRUE(BenchRow::AtMost("a", 1, "ms", 1).pass);
  EXPECT_FALSE(BenchRow::AtMost("a", 1.1, "ms", 1).pass);
  EXPECT_FALSE(BenchRow::AtLeast("a", 0, "", 1).pass);
  EXPECT_FALSE(BenchRow::AtLeast("a", std::numeric_limits<double>::quiet_NaN(), "", 1).pass);
  EXPECT_TRUE(BenchRow::Measured("a", 5, "").pass);
}

}  // namespace
}  // namespace tactus::cli
