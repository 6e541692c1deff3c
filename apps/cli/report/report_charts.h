// Curves out of the names of rows: which rows belong together, over what. Drawn by the page and by the summary alike.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/cli/bench_results.h"
#include "apps/cli/svg_plot.h"

namespace tactus::cli {

/// Both axes logarithmic.
struct ReportChart {
  std::string id;  ///< for files: letters, digits and -
  std::string title, x_label, y_label;
  bool fit = false;  ///< lines get a power law by least squares, and its exponent in their names
  std::vector<PlotSeries> lines;
};

/// Those that the rows of a run give; charts with fewer than three points in every line are left out.
std::vector<ReportChart> MakeReportCharts(const BenchRun& run);

/// The same as SVG, with fits as lines of their own.
std::string MakeChartSvg(const ReportChart& chart);

/// Letters, digits and - alone, for names of files.
std::string MakeChartId(const std::string& text);

/// Exponent and factor of y = factor x^exponent.
std::pair<double, double> FitPower(const std::vector<std::pair<double, double>>& points);

}  // namespace tactus::cli
