// Several plots over the same time, one below the other, as SVG, without any library.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/svg_plot.h"

namespace tactus::cli {

struct TracePanel {
  std::string label;  ///< what is drawn, with its unit
  bool logarithmic = false;
  std::vector<PlotSeries> series;  ///< values that are not finite (logarithmic: not positive) are left out
};

/// The text of an SVG file. Panels without points are drawn empty.
std::string MakeTracePlot(const std::string& title, const std::string& x_label, const std::vector<TracePanel>& panels);

}  // namespace tactus::cli
