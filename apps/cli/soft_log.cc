#include "apps/cli/soft_log.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/cli/statistics.h"
#include "apps/cli/trace_plot.h"
#include "tactus/core/error.h"

namespace tactus::cli {

namespace {

template <typename Value>
PlotSeries MakeSeries(const std::string& name, const std::vector<double>& x, const Value& value) {
  PlotSeries out{name, {}};
  for (std::size_t k = 0; k < x.size(); ++k) out.points.emplace_back(x[k], value(k));
  return out;
}

// Along the axes that count.
double CalcError(const SoftTask& task, const Vector3& place, const Vector3& target) {
  double squares = 0;
  for (int r = 0; r < 3; ++r) {
    if (task.axes[static_cast<std::size_t>(r)]) squares += (place[r] - target[r]) * (place[r] - target[r]);
  }
  return std::sqrt(squares);
}

}  // namespace

SoftLog::SoftLog(const SceneSimulation& simulation, const std::string& inputs, const std::string& plot) : plot_(plot) {
  for (const SoftController* controller : simulation.soft_controllers) {
    Trace& trace = traces_.emplace_back();
    trace.controller = controller;
    trace.places.resize(controller->settings().tasks.size());
    trace.targets = trace.places;
  }
  for (const auto& [flag, path] : {std::pair<const char*, const std::string&>{"--torques", inputs}, {"--plot", plot}}) {
    Require(path.empty() || traces_.size() == 1, flag,
            fmt::format("the scene has {} controllers of type soft", traces_.size()), "one");
  }
  for (const SoftActuator& a : simulation.simulator->soft_actuators()) {
    names_.push_back(a.name);
    ranges_.push_back(std::isfinite(a.upper) ? a.upper : 1);
  }
  if (inputs.empty()) return;
  file_ = std::make_unique<OutputFile>(inputs);
  std::string line = "time";
  for (const std::string& name : names_) line += "," + name;
  file_->Write(line + "\n");
}

void SoftLog::AppendUpdate(Trace* trace) {
  const SoftReport& report = trace->controller->report();
  trace->updates = trace->controller->updates();
  trace->time.push_back(report.time);
  trace->solve_time.push_back(report.solve.cpu_time);
  trace->assembly_time.push_back(report.assembly_cpu_time);
  trace->gap.push_back(report.solve.dynamics_gap);
  trace->dual.push_back(report.solve.dual);
  trace->open.push_back(report.solve.open);
  trace->stick.push_back(report.solve.stick);
  trace->slip.push_back(report.solve.slip);
  trace->statuses.push_back(static_cast<int>(report.solve.status));
  trace->inputs.push_back(report.inputs);
  for (std::size_t t = 0; t < trace->places.size(); ++t) {
    trace->places[t].push_back(report.places[t]);
    trace->targets[t].push_back(trace->controller->inverse().CalcTarget(t, report.time));
  }
  if (!file_) return;
  std::string line = fmt::format("{}", report.time);
  for (const double x : report.inputs) line += fmt::format(",{}", x);
  file_->Write(line + "\n");
}

void SoftLog::Append(const Simulator&) {
  for (Trace& trace : traces_) {
    if (trace.controller->updates() != trace.updates) AppendUpdate(&trace);
  }
}

std::string SoftLog::MakePlot(const Trace& trace, const std::string& title) const {
  const std::vector<SoftTask>& tasks = trace.controller->settings().tasks;
  TracePanel way{"effector, from its start [mm]", false, {}}, errors{"task error [m]", true, {}};
  TracePanel inputs{"inputs, of their range", false, {}};
  constexpr const char* kAxes[] = {"x", "y", "z"};
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    for (int r = 0; r < 3 && !trace.time.empty(); ++r) {
      if (!tasks[t].axes[static_cast<std::size_t>(r)]) continue;
      const double start = trace.places[t][0][r];
      const std::string name = tasks[t].name + " " + kAxes[r];
      way.series.push_back(
          MakeSeries(name, trace.time, [&](std::size_t k) { return 1e3 * (trace.places[t][k][r] - start); }));
      way.series.push_back(MakeSeries(name + ": target", trace.time,
                                      [&](std::size_t k) { return 1e3 * (trace.targets[t][k][r] - start); }));
    }
    errors.series.push_back(MakeSeries(tasks[t].name, trace.time, [&](std::size_t k) {
      return CalcError(tasks[t], trace.places[t][k], trace.targets[t][k]);
    }));
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    inputs.series.push_back(MakeSeries(names_[i], trace.time, [&](std::size_t k) {
      return trace.inputs[k][static_cast<Eigen::Index>(i)] / ranges_[i];
    }));
  }
  const auto of = [&](const char* name, const auto& list) {
    return MakeSeries(name, trace.time, [&](std::size_t k) { return static_cast<double>(list[k]); });
  };
  return MakeTracePlot(title, "time [s]",
                       {way,
                        errors,
                        inputs,
                        {"contacts", false, {of("open", trace.open), of("stick", trace.stick), of("slip", trace.slip)}},
                        {"residual", true, {of("dynamics gap [m/s]", trace.gap), of("dual (relative)", trace.dual)}},
                        {"processor time [s]",
                         true,
                         {of("solve", trace.solve_time), of("contacts, compliances", trace.assembly_time)}}});
}

void SoftLog::Close(const std::string& title) {
  if (file_) file_->Commit();
  file_.reset();
  if (plot_.empty() || traces_.empty()) return;
  OutputFile out(plot_);
  out.Write(MakePlot(traces_[0], title));
  out.Commit();
}

Json SoftLog::MakeJson() const {
  if (traces_.empty()) return nullptr;
  Json out = Json::array();
  for (const Trace& trace : traces_) {
    Json json;
    json["updates"] = trace.updates;
    int most = 0;
    for (std::size_t k = 0; k < trace.time.size(); ++k) {
      most = std::max(most, trace.open[k] + trace.stick[k] + trace.slip[k]);
    }
    json["contacts_most"] = most;
    for (const int status : trace.statuses) {
      Json& count = json["status"][ToString(static_cast<QpccStatus>(status))];
      count = count.is_null() ? 1 : count.get<int>() + 1;
    }
    json["solve_cpu_seconds"] = {{"median", Quantile(trace.solve_time, 0.5, 0)},
                                 {"p99", Quantile(trace.solve_time, 0.99, 0)}};
    json["assembly_cpu_seconds"] = {{"median", Quantile(trace.assembly_time, 0.5, 0)},
                                    {"p99", Quantile(trace.assembly_time, 0.99, 0)}};
    json["worst_dynamics_gap"] = Quantile(trace.gap, 1, 0);
    const std::vector<SoftTask>& tasks = trace.controller->settings().tasks;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      double greatest = 0, squares = 0;
      for (std::size_t k = 0; k < trace.time.size(); ++k) {
        const double e = CalcError(tasks[t], trace.places[t][k], trace.targets[t][k]);
        greatest = std::max(greatest, e);
        squares += e * e;
      }
      const double count = std::max<double>(1, static_cast<double>(trace.time.size()));
      json["tasks"].push_back(
          {{"name", tasks[t].name}, {"error_rms", std::sqrt(squares / count)}, {"error_most", greatest}});
    }
    out.push_back(json);
  }
  return out;
}

void SoftLog::Print(const Json& controllers) {
  for (const Json& c : controllers) {
    std::string statuses;
    for (const auto& [status, count] : c["status"].items()) {
      statuses += fmt::format("{}{} {}", statuses.empty() ? "" : ", ", count.get<int>(), status);
    }
    fmt::print("  {:<18} {} updates ({}), up to {} contacts\n", "soft controller", c["updates"].get<std::int64_t>(),
               statuses, c["contacts_most"].get<int>());
    fmt::print("  {:<18} {:.2f} ms of processor time in the median, 99 %: {:.2f} ms; before it {:.2f} ms\n", "  solve",
               1e3 * c["solve_cpu_seconds"]["median"].get<double>(), 1e3 * c["solve_cpu_seconds"]["p99"].get<double>(),
               1e3 * c["assembly_cpu_seconds"]["median"].get<double>());
    for (const Json& task : c["tasks"]) {
      fmt::print("  {:<18} {}: error {:.3g} mm root mean square, {:.3g} mm at most\n", "  task",
                 task["name"].get<std::string>(), 1e3 * task["error_rms"].get<double>(),
                 1e3 * task["error_most"].get<double>());
    }
  }
}

}  // namespace tactus::cli
