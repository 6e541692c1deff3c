#include "apps/cli/report/report_page.h"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "apps/cli/json_output.h"
#include "apps/cli/report/report_charts.h"
#include "apps/cli/report/report_plots.h"
#include "apps/cli/report/report_template.h"

namespace tactus::cli {

namespace {

Json MakeChartsJson(const BenchRun& run) {
  Json charts = Json::array();
  for (const ReportChart& chart : MakeReportCharts(run)) {
    Json lines = Json::array();
    for (const PlotSeries& line : chart.lines) {
      Json points = Json::array();
      for (const auto& [x, y] : line.points) points.push_back({Number(x), Number(y)});
      Json fit = nullptr;
      if (chart.fit && line.points.size() >= 3) {
        const auto [exponent, factor] = FitPower(line.points);
        fit = {Number(exponent), Number(factor)};
      }
      lines.push_back({{"name", line.name}, {"points", points}, {"fit", fit}});
    }
    charts.push_back({{"title", chart.title}, {"xlabel", chart.x_label}, {"ylabel", chart.y_label}, {"lines", lines}});
  }
  return charts;
}

Json MakeTracesJson(const BenchRun& run) {
  Json traces = Json::array();
  for (const BenchTrace& trace : run.traces) {
    for (const TracePanel& panel : trace.panels) {
      Json lines = Json::array();
      for (const PlotSeries& line : panel.series) {
        Json points = Json::array();
        for (const auto& [x, y] : line.points) {
          if (std::isfinite(y) && (!panel.logarithmic || y > 0)) points.push_back({Number(x), Number(y)});
        }
        lines.push_back({{"name", line.name}, {"points", points}});
      }
      traces.push_back({{"title", trace.title}, {"label", panel.label}, {"log", panel.logarithmic}, {"lines", lines}});
    }
  }
  return traces;
}

Json MakeRunJson(const std::string& name, const BenchRun& run) {
  Json rows = Json::array();
  for (const BenchRow& row : run.rows) {
    rows.push_back({row.name, Number(row.value), row.unit, row.bar ? Number(*row.bar) : Json(nullptr),
                    !row.bar   ? ""
                    : row.pass ? "pass"
                               : "FAIL",
                    row.spread ? Number(*row.spread) : Json(nullptr)});
  }
  return {{"name", name},
          {"suite", run.suite},
          {"date", run.date},
          {"commit", run.commit},
          {"machine", fmt::format("{}, {} cores, {}", run.processor, run.cores, run.simd)},
          {"seconds", Number(run.seconds)},
          {"quick", run.settings.quick},
          {"how", run.how},
          {"charts", MakeChartsJson(run)},
          {"traces", MakeTracesJson(run)},
          {"rows", rows}};
}

std::string Replace(std::string text, std::string_view mark, std::string_view by) {
  return text.replace(text.find(mark), mark.size(), by);
}

}  // namespace

std::string MakeReportPage(const BenchRuns& runs) {
  Json data = {{"runs", Json::array()}, {"claims", Json::array()}, {"verdicts", Json::array()}};
  for (const JudgedClaim::Verdict verdict : kVerdicts) data["verdicts"].push_back(ToString(verdict));
  for (const auto& [name, run] : runs) data["runs"].push_back(MakeRunJson(name, run));
  for (const JudgedClaim& claim : JudgeClaims(runs)) {
    data["claims"].push_back({claim.paper, claim.item, claim.says, Number(claim.theirs), Number(claim.ours),
                              Number(claim.ratio()), claim.verdict_text(), claim.why, claim.run});
  }
  const std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string page = Replace(kReportTemplate, "/*PLOTS*/", kReportPlots);
  const std::string_view mark = "/*DATA*/";
  const std::size_t at = page.find(mark);
  std::string out(page.substr(0, at));
  for (const char c : text) {
    if (c == '<') {
      out += "\\u003c";  // within a script a text must neither end it nor begin a comment or another
    } else {
      out += c;
    }
  }
  out += page.substr(at + mark.size());
  return out;
}

}  // namespace tactus::cli
