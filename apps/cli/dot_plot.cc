#include "apps/cli/dot_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "apps/cli/statistics.h"

namespace tactus::cli {

namespace {

constexpr double kPanelWidth = 250, kPanelHeight = 210, kTop = 44, kMargin = 12;
// Of the frame within a panel.
constexpr double kLeft = 46, kAbove = 22, kBelow = 52;
constexpr std::array<const char*, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#56b4e9", "#e69f00", "#000000", "#8a6d3b"};

struct Frame {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // pixels, y0 above y1
  int low = 0, high = 1;                  // decades

  double Map(double value) const { return y1 - (std::log10(value) - low) / (high - low) * (y1 - y0); }
};

std::string Escape(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

// Those that can be drawn.
std::vector<double> Drawable(const DotColumn& column, double floor) {
  std::vector<double> out;
  for (const double value : column.values) {
    if (std::isfinite(value)) out.push_back(std::max(value, floor));
  }
  return out;
}

void FitDecades(const DotPanel& panel, Frame* frame) {
  double smallest = 0, largest = 0;
  for (const DotColumn& column : panel.columns) {
    for (const double value : Drawable(column, panel.floor)) {
      smallest = smallest > 0 ? std::min(smallest, value) : value;
      largest = std::max(largest, value);
    }
  }
  if (smallest <= 0) return;
  frame->low = static_cast<int>(std::floor(std::log10(smallest)));
  frame->high = std::max(frame->low + 1, static_cast<int>(std::ceil(std::log10(largest))));
}

std::string DrawDecades(const Frame& f) {
  std::string out;
  for (int d = f.low; d <= f.high; d += std::max(1, (f.high - f.low + 4) / 5)) {
    const double y = f.Map(std::pow(10, d));
    out += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\" stroke=\"#ddd\"/>\n", f.x0, y,
                       f.x1);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">1e{}</text>\n", f.x0 - 5, y + 4, d);
  }
  return out;
}

std::string DrawColumn(const DotColumn& column, double floor, const Frame& f, double x, double width,
                       const char* colour) {
  std::string out;
  const std::vector<double> values = Drawable(column, floor);
  for (std::size_t k = 0; k < values.size(); ++k) {
    // Side by side, in the order of the problems, so that equal ones can be told apart.
    const double share = values.size() < 2 ? 0 : static_cast<double>(k) / static_cast<double>(values.size() - 1) - 0.5;
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.2\" fill=\"{}\" fill-opacity=\"0.6\"/>\n",
                       x + 0.6 * width * share, f.Map(values[k]), colour);
  }
  if (!values.empty()) {
    const double y = f.Map(Quantile(values, 0.5));
    out += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"2.5\"/>\n",
        x - 0.42 * width, y, x + 0.42 * width, y, colour);
  }
  if (const std::size_t lost = column.values.size() - values.size(); lost > 0) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{} lost</text>\n", x, f.y0 + 11, lost);
  }
  out += fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-25)\" text-anchor=\"end\">{}</text>\n", x + 6,
                     f.y1 + 13, Escape(column.name));
  return out;
}

std::string DrawPanel(const DotPanel& panel, double left, double top) {
  Frame f{left + kLeft, top + kAbove, left + kPanelWidth - 8, top + kPanelHeight - kBelow};
  FitDecades(panel, &f);
  std::string out =
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"12\">{}</text>\n", f.x0, f.y0 - 7, Escape(panel.title));
  out += DrawDecades(f);
  out += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#444\"/>\n", f.x0,
      f.y0, f.x1 - f.x0, f.y1 - f.y0);
  const double width = (f.x1 - f.x0) / std::max(1.0, static_cast<double>(panel.columns.size()));
  for (std::size_t k = 0; k < panel.columns.size(); ++k) {
    out += DrawColumn(panel.columns[k], panel.floor, f, f.x0 + (static_cast<double>(k) + 0.5) * width, width,
                      kColours[k % kColours.size()]);
  }
  return out;
}

}  // namespace

std::string MakeDotPlots(const std::string& title, const std::vector<std::vector<DotPanel>>& rows) {
  std::size_t most = 1;
  for (const std::vector<DotPanel>& row : rows) most = std::max(most, row.size());
  const double width = kPanelWidth * static_cast<double>(most) + 2 * kMargin;
  const double height = kPanelHeight * static_cast<double>(rows.size()) + kTop;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"10\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  out += fmt::format("<text x=\"{}\" y=\"26\" font-size=\"17\">{}</text>\n", kMargin + kLeft, Escape(title));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t k = 0; k < rows[r].size(); ++k) {
      out += DrawPanel(rows[r][k], kMargin + kPanelWidth * static_cast<double>(k),
                       kTop + kPanelHeight * static_cast<double>(r));
    }
  }
  return out + "</svg>\n";
}

}  // namespace tactus::cli
