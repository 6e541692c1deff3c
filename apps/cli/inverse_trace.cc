#include "apps/cli/inverse_trace.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/cli/statistics.h"
#include "tactus/core/error.h"

namespace tactus::cli {

void InverseTrace::Append(std::int64_t number, double now, const QpccReport& solve, double assembly_cpu_time) {
  updates = number;
  time.push_back(now);
  solve_time.push_back(solve.cpu_time);
  assembly_time.push_back(assembly_cpu_time);
  gap.push_back(solve.dynamics_gap);
  dual.push_back(solve.dual);
  open.push_back(solve.open);
  stick.push_back(solve.stick);
  slip.push_back(solve.slip);
  statuses.push_back(static_cast<int>(solve.status));
}

std::vector<TracePanel> InverseTrace::MakePanels(const char* before) const {
  return {
      {"contacts", false, {MakeListSeries("open", open), MakeListSeries("stick", stick), MakeListSeries("slip", slip)}},
      {"residual", true, {MakeListSeries("dynamics gap [m/s]", gap), MakeListSeries("dual (relative)", dual)}},
      {"processor time [s]", true, {MakeListSeries("solve", solve_time), MakeListSeries(before, assembly_time)}}};
}

Json InverseTrace::MakeJson() const {
  Json json;
  json["updates"] = updates;
  int most = 0;
  for (std::size_t k = 0; k < time.size(); ++k) most = std::max(most, open[k] + stick[k] + slip[k]);
  json["contacts_most"] = most;
  json["status"] = Json::object();
  for (const int status : statuses) {
    Json& count = json["status"][ToString(static_cast<QpccStatus>(status))];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  const auto times = [](const std::vector<double>& list) {
    return Json{{"median", Quantile(list, 0.5, 0)}, {"p99", Quantile(list, 0.99, 0)}};
  };
  json["solve_cpu_seconds"] = times(solve_time);
  json["assembly_cpu_seconds"] = times(assembly_time);
  json["worst_dynamics_gap"] = Quantile(gap, 1, 0);
  return json;
}

void AddErrors(const std::vector<double>& errors, Json* task) {
  double most = 0, squares = 0;
  int count = 0;
  for (const double e : errors) {
    if (!std::isfinite(e)) continue;
    most = std::max(most, e);
    squares += e * e;
    ++count;
  }
  (*task)["error_rms"] = count > 0 ? std::sqrt(squares / count) : 0;
  (*task)["error_most"] = most;
}

void PrintInverseTrace(const char* what, const Json& json, int digits) {
  std::string statuses;
  for (const auto& [status, count] : json["status"].items()) {
    statuses += fmt::format("{}{} {}", statuses.empty() ? "" : ", ", count.get<int>(), status);
  }
  const auto ms = [&](const char* stage, const char* quantile) { return 1e3 * json[stage][quantile].get<double>(); };
  fmt::print("  {:<18} {} updates ({}), up to {} contacts\n", what, json["updates"].get<std::int64_t>(), statuses,
             json["contacts_most"].get<int>());
  fmt::print("  {:<18} {:.{}f} ms of processor time in the median, 99 %: {:.{}f} ms; before it {:.{}f} ms\n", "  solve",
             ms("solve_cpu_seconds", "median"), digits, ms("solve_cpu_seconds", "p99"), digits,
             ms("assembly_cpu_seconds", "median"), digits);
}

void RequireOneController(std::size_t count, const char* type, const std::string& torques, const std::string& plot) {
  for (const auto& [flag, path] :
       {std::pair<const char*, const std::string&>{"--torques", torques}, {"--plot", plot}}) {
    if (path.empty() || count == 1) continue;
    const bool drawn = flag == std::string("--plot");
    throw InputError(flag,
                     fmt::format("the scene has {} controllers of type {}{}", count, type,
                                 drawn && count == 0 ? " and no sensors" : ""),
                     drawn && count == 0 ? "one of these, or sensors" : "one");
  }
}

}  // namespace tactus::cli
