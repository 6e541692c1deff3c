#include "apps/cli/soft_log.h"

#include <cmath>

#include <fmt/format.h>

namespace tactus::cli {

// Along the axes that count.
double SoftLog::CalcError(const Trace& trace, std::size_t task, std::size_t update) {
  const Vector3 off = trace.places[task][update] - trace.targets[task][update];
  double squares = 0;
  for (int r = 0; r < 3; ++r) {
    if (trace.controller->settings().tasks[task].axes[static_cast<std::size_t>(r)]) squares += off[r] * off[r];
  }
  return std::sqrt(squares);
}

SoftLog::SoftLog(const SceneSimulation& simulation, const std::string& inputs, const std::string& plot) : plot_(plot) {
  for (const SoftController* controller : simulation.soft_controllers) {
    Trace& trace = traces_.emplace_back();
    trace.controller = controller;
    trace.places.resize(controller->settings().tasks.size());
    trace.targets = trace.places;
  }
  RequireOneController(traces_.size(), "soft", inputs, plot);
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
  trace->Append(trace->controller->updates(), report.time, report.solve, report.assembly_cpu_time);
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

std::vector<TracePanel> SoftLog::MakePanels() const {
  const Trace& trace = traces_.at(0);
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
          trace.MakeSeries(name, [&](std::size_t k) { return 1e3 * (trace.places[t][k][r] - start); }));
      way.series.push_back(
          trace.MakeSeries(name + ": target", [&](std::size_t k) { return 1e3 * (trace.targets[t][k][r] - start); }));
    }
    errors.series.push_back(trace.MakeSeries(tasks[t].name, [&](std::size_t k) { return CalcError(trace, t, k); }));
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    inputs.series.push_back(trace.MakeSeries(
        names_[i], [&](std::size_t k) { return trace.inputs[k][static_cast<Eigen::Index>(i)] / ranges_[i]; }));
  }
  std::vector<TracePanel> panels = {way, errors, inputs};
  for (TracePanel& panel : trace.MakePanels("contacts, compliances")) panels.push_back(std::move(panel));
  return panels;
}

void SoftLog::Close(const std::string& title) {
  if (file_) file_->Commit();
  file_.reset();
  if (plot_.empty() || traces_.empty()) return;
  OutputFile out(plot_);
  out.Write(MakeTracePlot(title, "time [s]", MakePanels()));
  out.Commit();
}

Json SoftLog::MakeJson() const {
  if (traces_.empty()) return nullptr;
  Json out = Json::array();
  for (const Trace& trace : traces_) {
    Json json = trace.MakeJson();
    const std::vector<SoftTask>& tasks = trace.controller->settings().tasks;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      std::vector<double> errors;
      for (std::size_t k = 0; k < trace.time.size(); ++k) errors.push_back(CalcError(trace, t, k));
      Json task = {{"name", tasks[t].name}};
      AddErrors(errors, &task);
      json["tasks"].push_back(task);
    }
    out.push_back(json);
  }
  return out;
}

void SoftLog::Print(const Json& controllers) {
  for (const Json& c : controllers) {
    PrintInverseTrace("soft controller", c, 2);
    for (const Json& task : c["tasks"]) {
      fmt::print("  {:<18} {}: error {:.3g} mm root mean square, {:.3g} mm at most\n", "  task",
                 task["name"].get<std::string>(), 1e3 * task["error_rms"].get<double>(),
                 1e3 * task["error_most"].get<double>());
    }
  }
}

}  // namespace tactus::cli
