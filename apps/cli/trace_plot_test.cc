#include "apps/cli/trace_plot.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace tactus::cli {
namespace {

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(TracePlot, DrawsALinePerSeriesAndBreaksItWhereValuesAreMissing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  TracePanel force{
      "force [N]", false, {{"a & b", {{0, 1}, {1, 2}, {2, nan}, {3, 4}, {4, 5}}}, {"c", {{0, 0}, {4, 1}}}}};
  TracePanel time{"time [s]", true, {{"solve", {{0, 1e-3}, {2, 0}, {4, 1e-2}}}}};
  const std::string svg = MakeTracePlot("t < 1", "time [s]", {force, time});
  EXPECT_EQ(Count(svg, "<polyline"), 2 + 1 + 2);
  EXPECT_EQ(Count(svg, "a &amp; b"), 1);
  EXPECT_EQ(Count(svg, "t &lt; 1"), 1);
  EXPECT_EQ(Count(svg, "nan"), 0);
  EXPECT_EQ(Count(svg, "inf"), 0);
}

TEST(TracePlot, DrawsWithoutAnyPoints) {
  const std::string svg = MakeTracePlot("nothing", "t", {{"x", false, {}}, {"y", true, {{"s", {}}}}});
  EXPECT_EQ(Count(svg, "<polyline"), 0);
  EXPECT_EQ(Count(svg, "nan"), 0);
}

}  // namespace
}  // namespace tactus::cli
