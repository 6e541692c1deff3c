// Line plots with logarithmic axes as SVG, without any library.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tactus::cli {

struct PlotSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< those that are not positive and finite are left out
  bool as_fit = false;                            ///< of the series before it: in its colour, dotted
};

struct PlotSettings {
  std::string title, x_label, y_label;
  double y_min = 1e-16;  ///< smaller values are drawn here
};

/// The text of an SVG file: log-log axes with decades as grid, one line per series, a legend to the right.
std::string MakeSvgPlot(const PlotSettings& settings, const std::vector<PlotSeries>& series);

}  // namespace tactus::cli
