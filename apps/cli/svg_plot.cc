#include "apps/cli/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace tactus::cli {

namespace {

constexpr double kWidth = 900, kHeight = 520, kLeft = 80, kRight = 190, kTop = 50, kBottom = 60;

// Told apart also by people who see colours differently; dashes begin where they repeat.
constexpr std::array<const char*, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#56b4e9", "#e69f00", "#000000", "#8a6d3b"};
constexpr std::array<const char*, 3> kDashes = {"none", "7 4", "2 3"};

struct Axis {
  int low = 0, high = 1;      // decades
  double begin = 0, end = 1;  // pixels

  double Map(double value) const { return begin + (std::log10(value) - low) / (high - low) * (end - begin); }
};

std::string Escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out += c;
    }
  }
  return out;
}

using Points = std::vector<std::pair<double, double>>;

// Points that can be drawn on logarithmic axes.
Points Drawable(const Points& points, double y_min) {
  Points out;
  for (const auto& [x, y] : points) {
    if (std::isfinite(x) && std::isfinite(y) && x > 0 && y >= 0) out.emplace_back(x, std::max(y, y_min));
  }
  return out;
}

Axis FitAxis(const std::vector<Points>& all, bool of_x, double begin, double end) {
  double smallest = 0, largest = 0;
  for (const Points& points : all) {
    for (const auto& point : points) {
      const double value = of_x ? point.first : point.second;
      smallest = smallest > 0 ? std::min(smallest, value) : value;
      largest = std::max(largest, value);
    }
  }
  Axis axis{0, 1, begin, end};
  if (smallest > 0) {
    axis.low = static_cast<int>(std::floor(std::log10(smallest)));
    axis.high = std::max(axis.low + 1, static_cast<int>(std::ceil(std::log10(largest))));
  }
  return axis;
}

std::string DecadeText(int decade) {
  if (decade >= -2 && decade <= 4) return fmt::format("{:g}", std::pow(10, decade));
  return fmt::format("10<tspan dy=\"-6\" font-size=\"10\">{}</tspan>", decade);
}

std::string DrawGrid(const Axis& x, const Axis& y) {
  std::string out;
  const int x_step = std::max(1, (x.high - x.low + 9) / 10), y_step = std::max(1, (y.high - y.low + 9) / 10);
  for (int d = x.low; d <= x.high; d += x_step) {
    const double p = x.Map(std::pow(10, d));
    out += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/>\n", p,
                       y.end, y.begin);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", p, y.begin + 20,
                       DecadeText(d));
  }
  for (int d = y.low; d <= y.high; d += y_step) {
    const double p = y.Map(std::pow(10, d));
    out += fmt::format("<line x1=\"{1:.1f}\" y1=\"{0:.1f}\" x2=\"{2:.1f}\" y2=\"{0:.1f}\" stroke=\"#ddd\"/>\n", p,
                       x.begin, x.end);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", x.begin - 8, p + 4,
                       DecadeText(d));
  }
  return out;
}

std::string DrawLine(const Points& points, const Axis& x, const Axis& y, const char* colour, const std::string& style) {
  std::string path;
  double last_x = 0, last_y = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double px = x.Map(points[i].first), py = y.Map(points[i].second);
    // Thousands of sweeps fall on the same pixels.
    if (i > 0 && i + 1 < points.size() && std::abs(px - last_x) + std::abs(py - last_y) < 1) continue;
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", px, py);
    last_x = px;
    last_y = py;
  }
  std::string out = fmt::format(
      "<polyline fill=\"none\" stroke-width=\"2\" stroke-linejoin=\"round\" {} points=\"{}\"/>\n", style, path);
  if (!points.empty())
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", last_x, last_y, colour);
  return out;
}

}  // namespace

std::string MakeSvgPlot(const PlotSettings& settings, const std::vector<PlotSeries>& series) {
  std::vector<Points> all;
  all.reserve(series.size());
  for (const PlotSeries& s : series) all.push_back(Drawable(s.points, settings.y_min));
  const Axis x = FitAxis(all, true, kLeft, kWidth - kRight), y = FitAxis(all, false, kHeight - kBottom, kTop);

  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      kWidth, kHeight);
  out += fmt::format("<text x=\"{}\" y=\"28\" font-size=\"17\">{}</text>\n", kLeft, Escape(settings.title));
  out += DrawGrid(x, y);
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n", kLeft,
                     kTop, kWidth - kLeft - kRight, kHeight - kTop - kBottom);
  out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", 0.5 * (kLeft + kWidth - kRight),
                     kHeight - 15, Escape(settings.x_label));
  out += fmt::format("<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     0.5 * (kTop + kHeight - kBottom), Escape(settings.y_label));
  for (std::size_t k = 0, next = 0; k < series.size(); ++k) {
    if (!series[k].as_fit) ++next;
    const std::size_t own = std::max<std::size_t>(next, 1) - 1;
    const char* colour = kColours[own % kColours.size()];
    const char* dash = series[k].as_fit ? kDashes[2] : kDashes[own / kColours.size() % kDashes.size()];
    const std::string style = fmt::format("stroke=\"{}\" stroke-dasharray=\"{}\"", colour, dash);
    out += DrawLine(all[k], x, y, colour, style);
    const double row = kTop + 12 + 20 * static_cast<double>(k);
    out += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke-width=\"2\" {}/>\n", kWidth - kRight + 15,
                       row, kWidth - kRight + 45, row, style);
    out += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", kWidth - kRight + 52, row + 4, Escape(series[k].name));
  }
  return out + "</svg>\n";
}

}  // namespace tactus::cli
