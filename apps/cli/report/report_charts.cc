#include "apps/cli/report/report_charts.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <regex>

#include <fmt/format.h>

#include "apps/cli/statistics.h"

namespace tactus::cli {

namespace {

// One kind of curve: rows whose name matches give a point each. Groups of the pattern are numbered from 1; 0: none.
struct CurveKind {
  const char* suite;
  const char* pattern;
  int chart, line, x;  // groups: what tells charts apart, what lines, and what is the abscissa
  const char *title, *x_label, *y_label;
  bool fit;
};

constexpr const char* kSeconds = "time [ms]";

const std::vector<CurveKind>& CurveKinds() {
  static const std::vector<CurveKind> kinds = {
      {"scenarios", "(.+), (.+) after (\\d+) iterations: time, median", 1, 2, 3, "{}: time over iterations",
       "iterations", kSeconds, false},
      {"scenarios", "(.+), (.+) after (\\d+) iterations: residual \\(paper\\), median", 1, 2, 3,
       "{}: residual over iterations", "iterations", "residual (paper)", false},
      {"subadmm", "(.+) with (.+)=(\\d+), 60 iterations: of the processor, mean", 1, 2, 3,
       "{}: SubADMM's time over size, 60 iterations", "size", kSeconds, true},
      {"subadmm", "pouring (\\d+) beads, (.+), \\d+ iterations: time, mean", 0, 2, 1, "pouring: time over beads",
       "beads", kSeconds, true},
      {"subadmm", "pouring (\\d+) beads, (.+), \\d+ iterations: residual \\(paper\\), mean", 0, 2, 1,
       "pouring: residual over beads", "beads", "residual (paper)", false},
      {"subadmm", "(\\w+) to (\\S+), (\\w+): time, median", 1, 3, 2, "{}: time over the tolerance",
       "tolerance of natural_rho", kSeconds, false},
      {"subadmm", "chain, (\\d+) dofs, (.+): an iteration", 0, 2, 1, "chain of joints: an iteration over dofs", "dofs",
       "time [us]", true},
      {"cond", "mat of (\\d+) dofs, (.+), velocities to 1e-3: whole time", 0, 2, 1,
       "mats: time to equal errors over dofs", "dofs", kSeconds, true},
      {"cond", "mat of (\\d+) nodes, \\d+ contacts: (an iteration)", 0, 2, 1, "mats: an iteration of COND over nodes",
       "nodes", "time [us]", true},
      {"cond", "soft-ball, (.+) Pa, (.+), velocities to 1e-3: iterations", 0, 2, 1,
       "soft ball: iterations to equal errors over stiffness", "Young's modulus [Pa]", "iterations", false},
      {"baselines", "cable of (\\d+) segments, (.+), 60 iterations: time", 0, 2, 1,
       "cable in pieces: time over segments, 60 iterations", "segments", kSeconds, true},
      {"baselines", "(cable|beam), (.+), (\\d+) iterations: time, mean", 1, 2, 3, "{}: time over iterations",
       "iterations", kSeconds, false},
      {"inverse", "12 actuators, (\\d+) contacts: (cold|warm), median", 0, 2, 1,
       "inverse dynamics of a quadruped's size: time over contacts", "contacts", kSeconds, false},
  };
  return kinds;
}

double ToNumber(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

PlotSeries& FindLine(const std::string& name, ReportChart* chart) {
  for (PlotSeries& line : chart->lines) {
    if (line.name == name) return line;
  }
  chart->lines.push_back({name, {}});
  return chart->lines.back();
}

// Charts of a kind in the order of their first rows.
std::vector<ReportChart> CollectKind(const CurveKind& kind, const BenchRun& run) {
  const std::regex pattern(kind.pattern);
  std::vector<ReportChart> charts;
  for (const BenchRow& row : run.rows) {
    std::smatch m;
    if (!std::isfinite(row.value) || row.value <= 0 || !std::regex_match(row.name, m, pattern)) continue;
    const std::string key = kind.chart > 0 ? m[static_cast<std::size_t>(kind.chart)].str() : "";
    const std::string title = fmt::format(fmt::runtime(kind.title), key);
    auto chart = std::find_if(charts.begin(), charts.end(), [&](const ReportChart& c) { return c.title == title; });
    if (chart == charts.end()) {
      charts.push_back({MakeChartId(run.suite + " " + title), title, kind.x_label, kind.y_label, kind.fit, {}});
      chart = charts.end() - 1;
    }
    FindLine(m[static_cast<std::size_t>(kind.line)].str(), &*chart)
        .points.emplace_back(ToNumber(m[static_cast<std::size_t>(kind.x)].str()), row.value);
  }
  for (ReportChart& chart : charts) {
    for (PlotSeries& line : chart.lines) std::sort(line.points.begin(), line.points.end());
  }
  return charts;
}

// Residuals over iterations and times over iterations become residuals over times.
std::vector<ReportChart> JoinResidualsAndTimes(const std::vector<ReportChart>& times,
                                               const std::vector<ReportChart>& residuals) {
  std::vector<ReportChart> out;
  for (std::size_t k = 0; k < std::min(times.size(), residuals.size()); ++k) {
    const std::string scene = times[k].title.substr(0, times[k].title.find(':'));
    ReportChart chart{MakeChartId("scenarios " + scene + " residual over time"),
                      scene + ": residual over time",
                      kSeconds,
                      residuals[k].y_label,
                      false,
                      {}};
    for (const PlotSeries& line : residuals[k].lines) {
      std::map<double, double> time;
      for (const PlotSeries& other : times[k].lines) {
        if (other.name == line.name) time.insert(other.points.begin(), other.points.end());
      }
      PlotSeries joined{line.name, {}};
      for (const auto& [iterations, residual] : line.points) {
        if (time.count(iterations) > 0) joined.points.emplace_back(time.at(iterations), residual);
      }
      chart.lines.push_back(joined);
    }
    out.push_back(chart);
  }
  return out;
}

}  // namespace

std::string MakeChartId(const std::string& text) {
  std::string id;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain) id += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!plain && !id.empty() && id.back() != '-') id += '-';
  }
  while (!id.empty() && id.back() == '-') id.pop_back();
  return id;
}

std::vector<ReportChart> MakeReportCharts(const BenchRun& run) {
  std::vector<ReportChart> out;
  std::vector<std::vector<ReportChart>> of_kind;
  for (const CurveKind& kind : CurveKinds()) {
    if (run.suite == kind.suite) of_kind.push_back(CollectKind(kind, run));
  }
  if (run.suite == "scenarios") of_kind[1] = JoinResidualsAndTimes(of_kind[0], of_kind[1]);
  if (run.suite == "scenarios") std::swap(of_kind[0], of_kind[1]);
  for (std::vector<ReportChart>& charts : of_kind) {
    for (ReportChart& chart : charts) {
      const bool enough = std::any_of(chart.lines.begin(), chart.lines.end(),
                                      [](const PlotSeries& line) { return line.points.size() >= 3; });
      if (enough) out.push_back(std::move(chart));
    }
  }
  return out;
}

std::pair<double, double> FitPower(const std::vector<std::pair<double, double>>& points) {
  std::vector<double> x, y;
  double mean_x = 0, mean_y = 0;
  for (const auto& [a, b] : points) {
    x.push_back(a);
    y.push_back(b);
    mean_x += std::log(a) / static_cast<double>(points.size());
    mean_y += std::log(b) / static_cast<double>(points.size());
  }
  const double exponent = FitExponent(x, y);
  return {exponent, std::exp(mean_y - exponent * mean_x)};
}

std::string MakeChartSvg(const ReportChart& chart) {
  std::vector<PlotSeries> lines;
  for (const PlotSeries& line : chart.lines) {
    lines.push_back(line);
    if (!chart.fit || line.points.size() < 3) continue;
    const auto [exponent, factor] = FitPower(line.points);
    PlotSeries fit{fmt::format("fit, exponent {:.3f}", exponent), {}, true};
    for (const double x : {line.points.front().first, line.points.back().first}) {
      fit.points.emplace_back(x, factor * std::pow(x, exponent));
    }
    lines.push_back(fit);
  }
  return MakeSvgPlot({chart.title, chart.x_label, chart.y_label}, lines);
}

}  // namespace tactus::cli
