#include "apps/cli/bench_traces.h"

#include <cmath>

#include <fmt/format.h>

#include "tactus/core/error.h"

namespace tactus::cli {

namespace {

constexpr std::size_t kTracePoints = 300;

}  // namespace

Json ShortNumber(double x) { return Number(std::isfinite(x) ? std::stod(fmt::format("{:.5g}", x)) : x); }

Json MakeTracesJson(const std::vector<BenchTrace>& traces) {
  Json out = Json::array();
  for (const BenchTrace& trace : traces) {
    Json panels = Json::array();
    for (const TracePanel& panel : trace.panels) {
      Json lines = Json::array();
      for (const PlotSeries& line : panel.series) {
        Json points = Json::array();
        const std::size_t every = line.points.size() / kTracePoints + 1;
        for (std::size_t k = 0; k < line.points.size(); k += every) {
          points.push_back({ShortNumber(line.points[k].first), ShortNumber(line.points[k].second)});
        }
        lines.push_back({{"name", line.name}, {"points", points}});
      }
      panels.push_back({{"label", panel.label}, {"logarithmic", panel.logarithmic}, {"lines", lines}});
    }
    out.push_back({{"title", trace.title}, {"panels", panels}});
  }
  return out;
}

std::vector<BenchTrace> ParseTraces(const std::filesystem::path& file, const Json& json) {
  std::vector<BenchTrace> out;
  try {
    for (const Json& trace : json) {
      out.push_back({trace.at("title").get<std::string>(), {}});
      for (const Json& panel : trace.at("panels")) {
        out.back().panels.push_back({panel.at("label").get<std::string>(), panel.at("logarithmic").get<bool>(), {}});
        for (const Json& line : panel.at("lines")) {
          PlotSeries series{line.at("name").get<std::string>(), {}};
          for (const Json& point : line.at("points")) {
            const auto number = [&](std::size_t k) {
              return point.at(k).is_null() ? std::nan("") : point.at(k).get<double>();
            };
            series.points.emplace_back(number(0), number(1));
          }
          out.back().panels.back().series.push_back(std::move(series));
        }
      }
    }
  } catch (const Json::exception&) {
    throw InputError(file.string(), "'curves' is something else", "curves as `tactus bench` writes them");
  }
  return out;
}

}  // namespace tactus::cli
