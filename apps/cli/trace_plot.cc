#include "apps/cli/trace_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace tactus::cli {

namespace {

constexpr double kWidth = 900, kPanel = 170, kGap = 22, kLeft = 90, kRight = 190, kTop = 50, kBottom = 50;
constexpr std::array<const char*, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#56b4e9", "#e69f00", "#000000", "#8a6d3b"};

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void Add(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  // Never empty, with some room.
  void Finish(double room) {
    if (!(low <= high)) low = 0, high = 1;
    double more = room * (high - low);
    if (!(more > 0)) more = room > 0 || high == low ? std::max(1e-12, 0.1 * std::abs(high)) : 0;
    low -= more;
    high += more;
  }
};

double Height(const TracePanel& panel, double y) { return panel.logarithmic ? std::log10(y) : y; }

bool CanBeDrawn(const TracePanel& panel, double x, double y) {
  return std::isfinite(x) && std::isfinite(y) && (!panel.logarithmic || y > 0);
}

// 1, 2 or 5 times a power of ten, such that about `count` of them fit.
double RoundStep(double span, int count) {
  const double raw = span / count, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10 * power;
}

std::string Escape(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

struct Frame {
  Range x, y;
  double top = 0;
  double X(double v) const { return kLeft + (v - x.low) / (x.high - x.low) * (kWidth - kLeft - kRight); }
  double Y(double v) const { return top + kPanel - (v - y.low) / (y.high - y.low) * kPanel; }
};

std::string DrawGrid(const Frame& f, const TracePanel& panel, bool last) {
  std::string out;
  const double dx = RoundStep(f.x.high - f.x.low, 8), dy = RoundStep(f.y.high - f.y.low, 4);
  for (double v = std::ceil(f.x.low / dx) * dx; v <= f.x.high + 1e-9 * dx; v += dx) {
    out += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/>\n", f.X(v),
                       f.top, f.top + kPanel);
    if (last) {
      out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:g}</text>\n", f.X(v),
                         f.top + kPanel + 18, std::abs(v) < 1e-9 * dx ? 0 : v);
    }
  }
  for (double v = std::ceil(f.y.low / dy) * dy; v <= f.y.high + 1e-9 * dy; v += dy) {
    const double shown = std::abs(v) < 1e-9 * dy ? 0 : v;
    out += fmt::format("<line x1=\"{1:.1f}\" y1=\"{0:.1f}\" x2=\"{2:.1f}\" y2=\"{0:.1f}\" stroke=\"#ddd\"/>\n", f.Y(v),
                       kLeft, kWidth - kRight);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.4g}</text>\n", kLeft - 8, f.Y(v) + 4,
                       panel.logarithmic ? std::pow(10, shown) : shown);
  }
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n", kLeft,
                     f.top, kWidth - kLeft - kRight, kPanel);
  out += fmt::format("<text transform=\"translate(18 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     f.top + 0.5 * kPanel, Escape(panel.label));
  return out;
}

std::string DrawLine(const Frame& f, const TracePanel& panel, const PlotSeries& series, const char* colour) {
  std::string out, path;
  double last_x = -10, last_y = -10;
  const auto finish = [&] {
    if (!path.empty()) {
      out += fmt::format("<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"{}\" points=\"{}\"/>\n", colour, path);
    }
    path.clear();
  };
  for (const auto& [x, y] : series.points) {
    // A line ends where there is nothing to draw.
    if (!CanBeDrawn(panel, x, y)) {
      finish();
      continue;
    }
    const double px = f.X(x), py = f.Y(Height(panel, y));
    if (!path.empty() && std::abs(px - last_x) + std::abs(py - last_y) < 0.7) continue;
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", px, py);
    last_x = px;
    last_y = py;
  }
  finish();
  return out;
}

}  // namespace

std::string MakeTracePlot(const std::string& title, const std::string& x_label, const std::vector<TracePanel>& panels) {
  Range x;
  for (const TracePanel& panel : panels) {
    for (const PlotSeries& s : panel.series) {
      for (const auto& point : s.points) {
        if (std::isfinite(point.first)) x.Add(point.first);
      }
    }
  }
  x.Finish(0);
  const double height = kTop + kBottom + static_cast<double>(panels.size()) * (kPanel + kGap);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      kWidth, height);
  out += fmt::format("<text x=\"{}\" y=\"28\" font-size=\"17\">{}</text>\n", kLeft, Escape(title));
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const TracePanel& panel = panels[k];
    Frame f;
    f.x = x;
    f.top = kTop + static_cast<double>(k) * (kPanel + kGap);
    for (const PlotSeries& s : panel.series) {
      for (const auto& [px, py] : s.points) {
        if (CanBeDrawn(panel, px, py)) f.y.Add(Height(panel, py));
      }
    }
    f.y.Finish(0.05);
    out += DrawGrid(f, panel, k + 1 == panels.size());
    for (std::size_t i = 0; i < panel.series.size(); ++i) {
      const char* colour = kColours[i % kColours.size()];
      out += DrawLine(f, panel, panel.series[i], colour);
      const double row = f.top + 12 + 18 * static_cast<double>(i);
      out += fmt::format("<line x1=\"{0}\" y1=\"{1}\" x2=\"{2}\" y2=\"{1}\" stroke-width=\"2\" stroke=\"{3}\"/>\n",
                         kWidth - kRight + 12, row, kWidth - kRight + 36, colour);
      out += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", kWidth - kRight + 42, row + 4,
                         Escape(panel.series[i].name));
    }
  }
  out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", 0.5 * (kLeft + kWidth - kRight),
                     height - 12, Escape(x_label));
  return out + "</svg>\n";
}

}  // namespace tactus::cli
