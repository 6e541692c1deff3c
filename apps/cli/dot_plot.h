// How values are distributed, one dot each, as SVG: panels in rows, a column of dots a method, logarithmic axes.
#pragma once

#include <string>
#include <vector>

namespace tactus::cli {

struct DotColumn {
  std::string name;
  std::vector<double> values;
};

struct DotPanel {
  std::string title;
  double floor = 1e-16;  ///< smaller values are drawn here, > 0
  std::vector<DotColumn> columns;
};

/// The text of an SVG file. A bar marks the median of a column; of values that are not finite it says how many there
/// are.
std::string MakeDotPlots(const std::string& title, const std::vector<std::vector<DotPanel>>& rows);

}  // namespace tactus::cli
