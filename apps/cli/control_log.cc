#include "apps/cli/control_log.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "apps/cli/statistics.h"
#include "apps/cli/trace_plot.h"
#include "tactus/core/error.h"
#include "tactus/simulation/sensors.h"

namespace tactus::cli {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Vector3 Target(const TaskTerm& task, double time) {
  Vector3 out = Vector3::Zero();
  double slope = 0;
  for (int k = 0; k < 3; ++k) {
    if (task.axes[static_cast<std::size_t>(k)]) {
      out[k] = task.target.Evaluate(static_cast<std::size_t>(k), time, &slope);
    }
  }
  return out;
}

// Forces along the target's last nonzero direction; before that along the first axis that counts.
Vector3 Direction(const TaskTerm& task) {
  for (const std::vector<double>& row : task.target.values) {
    Vector3 f = Vector3::Zero();
    for (int k = 0; k < 3; ++k) {
      if (task.axes[static_cast<std::size_t>(k)]) f[k] = row[static_cast<std::size_t>(k)];
    }
    if (f.norm() > 0) return f.normalized();
  }
  return Vector3::UnitZ();
}

PlotSeries MakeSeries(const std::string& name, const std::vector<double>& x, const std::vector<double>& y) {
  PlotSeries out{name, {}};
  for (std::size_t k = 0; k < x.size() && k < y.size(); ++k) out.points.emplace_back(x[k], y[k]);
  return out;
}

PlotSeries MakeSeries(const std::string& name, const std::vector<double>& x, const std::vector<int>& y) {
  return MakeSeries(name, x, std::vector<double>(y.begin(), y.end()));
}

}  // namespace

ControlLog::ControlLog(const SceneSimulation& simulation, const std::string& torques, const std::string& plot)
    : plot_(plot) {
  for (const TaskController* controller : simulation.task_controllers) {
    Trace& trace = traces_.emplace_back();
    trace.controller = controller;
    const std::size_t tasks = controller->settings().tasks.size();
    for (auto* list : {&trace.errors, &trace.target, &trace.expected, &trace.simulated}) list->resize(tasks);
    trace.sum.assign(tasks, Vector3::Zero());
  }
  for (const auto& [flag, path] :
       {std::pair<const char*, const std::string&>{"--torques", torques}, {"--plot", plot}}) {
    Require(path.empty() || traces_.size() == 1, flag,
            fmt::format("the scene has {} controllers of type task", traces_.size()), "one");
  }
  if (torques.empty()) return;
  torques_ = std::make_unique<OutputFile>(torques);
  std::string line = "time";
  const Model& model = simulation.simulator->model();
  for (const int j : traces_[0].controller->settings().joints) {
    line += "," + model.joints()[static_cast<std::size_t>(j)].description.name;
  }
  torques_->Write(line + "\n");
}

void ControlLog::AppendUpdate(Trace* trace) {
  const TaskReport& report = trace->controller->report();
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
  const std::vector<TaskTerm>& tasks = trace->controller->settings().tasks;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    trace->errors[t].push_back(report.errors[t]);
    if (tasks[t].type != TaskType::Force) continue;
    const Vector3 d = Direction(tasks[t]);
    Vector3 f = Vector3::Zero();
    for (std::size_t i = 0; i < report.contacts.size(); ++i) {
      const ContactCandidate& c = report.contacts[i];
      const int sign = (c.link_a == tasks[t].path.link ? 1 : 0) - (c.link_b == tasks[t].path.link ? 1 : 0);
      if (sign != 0) f += sign * (c.frame.transpose() * report.force.segment<3>(static_cast<Eigen::Index>(3 * i)));
    }
    const bool counts = tasks[t].Counts(report.time);
    trace->target[t].push_back(counts ? Target(tasks[t], report.time).dot(d) : kNan);
    trace->expected[t].push_back(f.dot(d));
  }
  if (!torques_) return;
  std::string line = fmt::format("{}", report.time);
  for (const double x : report.torque) line += fmt::format(",{}", x);
  torques_->Write(line + "\n");
}

// Mean forces of the control step that has ended.
void ControlLog::AppendForces(Trace* trace) {
  const std::vector<TaskTerm>& tasks = trace->controller->settings().tasks;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    if (tasks[t].type != TaskType::Force) continue;
    trace->simulated[t].push_back(trace->steps > 0 ? trace->sum[t].dot(Direction(tasks[t])) / trace->steps : kNan);
    trace->sum[t].setZero();
  }
  trace->steps = 0;
}

void ControlLog::Append(const Simulator& simulator) {
  for (Trace& trace : traces_) {
    if (trace.controller->updates() != trace.updates) {
      if (trace.updates > 0) AppendForces(&trace);
      AppendUpdate(&trace);
    }
    ++trace.steps;
    const std::vector<TaskTerm>& tasks = trace.controller->settings().tasks;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      if (tasks[t].type == TaskType::Force) {
        trace.sum[t] += CalcContactWrench(simulator, tasks[t].path.link).head<3>();
      }
    }
  }
}

std::string ControlLog::MakePlot(const Trace& trace, const std::string& title) const {
  const std::vector<TaskTerm>& tasks = trace.controller->settings().tasks;
  TracePanel errors{"task error [m, rad]", true, {}}, forces{"contact force [N]", false, {}};
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    if (tasks[t].type == TaskType::Force) {
      forces.series.push_back(MakeSeries(tasks[t].name + ": simulation", trace.time, trace.simulated[t]));
      forces.series.push_back(MakeSeries(tasks[t].name + ": controller", trace.time, trace.expected[t]));
      forces.series.push_back(MakeSeries(tasks[t].name + ": target", trace.time, trace.target[t]));
    } else if (tasks[t].type != TaskType::Torque && tasks[t].type != TaskType::AngularVelocity) {
      errors.series.push_back(MakeSeries(tasks[t].name, trace.time, trace.errors[t]));
    }
  }
  std::vector<TracePanel> panels = {errors};
  if (!forces.series.empty()) panels.push_back(forces);
  panels.push_back({"contacts",
                    false,
                    {MakeSeries("open", trace.time, trace.open), MakeSeries("stick", trace.time, trace.stick),
                     MakeSeries("slip", trace.time, trace.slip)}});
  panels.push_back({"residual",
                    true,
                    {MakeSeries("dynamics gap [m/s]", trace.time, trace.gap),
                     MakeSeries("dual (relative)", trace.time, trace.dual)}});
  panels.push_back({"processor time [s]",
                    true,
                    {MakeSeries("solve", trace.time, trace.solve_time),
                     MakeSeries("contacts, dynamics", trace.time, trace.assembly_time)}});
  return MakeTracePlot(title, "time [s]", panels);
}

void ControlLog::Close(const std::string& title) {
  for (Trace& trace : traces_) {
    if (trace.steps > 0) AppendForces(&trace);
  }
  if (torques_) torques_->Commit();
  torques_.reset();
  if (plot_.empty()) return;
  OutputFile out(plot_);
  out.Write(MakePlot(traces_[0], title));
  out.Commit();
}

Json ControlLog::MakeJson() const {
  if (traces_.empty()) return nullptr;
  Json out = Json::array();
  for (const Trace& trace : traces_) {
    Json json;
    json["updates"] = trace.updates;
    json["contacts_most"] = 0;
    for (std::size_t k = 0; k < trace.time.size(); ++k) {
      const int all = trace.open[k] + trace.stick[k] + trace.slip[k];
      json["contacts_most"] = std::max(json["contacts_most"].get<int>(), all);
    }
    for (const int status : trace.statuses) {
      Json& count = json["status"][ToString(static_cast<QpccStatus>(status))];
      count = count.is_null() ? 1 : count.get<int>() + 1;
    }
    json["solve_cpu_seconds"] = {{"median", Quantile(trace.solve_time, 0.5, 0)},
                                 {"p99", Quantile(trace.solve_time, 0.99, 0)}};
    json["assembly_cpu_seconds"] = {{"median", Quantile(trace.assembly_time, 0.5, 0)},
                                    {"p99", Quantile(trace.assembly_time, 0.99, 0)}};
    json["worst_dynamics_gap"] = Quantile(trace.gap, 1, 0);
    const std::vector<TaskTerm>& tasks = trace.controller->settings().tasks;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      double most = 0, squares = 0;
      int count = 0;
      for (const double e : trace.errors[t]) {
        if (!std::isfinite(e)) continue;
        most = std::max(most, e);
        squares += e * e;
        ++count;
      }
      json["tasks"].push_back({{"name", tasks[t].name},
                               {"type", ToString(tasks[t].type)},
                               {"error_rms", count > 0 ? std::sqrt(squares / count) : 0},
                               {"error_most", most}});
    }
    out.push_back(json);
  }
  return out;
}

void ControlLog::Print(const Json& controllers) {
  for (const Json& c : controllers) {
    std::string statuses;
    for (const auto& [status, count] : c["status"].items()) {
      statuses += fmt::format("{}{} {}", statuses.empty() ? "" : ", ", count.get<int>(), status);
    }
    fmt::print("  {:<18} {} updates ({}), up to {} contacts\n", "task controller", c["updates"].get<std::int64_t>(),
               statuses, c["contacts_most"].get<int>());
    fmt::print("  {:<18} {:.3f} ms of processor time in the median, 99 %: {:.3f} ms; before it {:.3f} ms\n", "  solve",
               1e3 * c["solve_cpu_seconds"]["median"].get<double>(), 1e3 * c["solve_cpu_seconds"]["p99"].get<double>(),
               1e3 * c["assembly_cpu_seconds"]["median"].get<double>());
    for (const Json& task : c["tasks"]) {
      fmt::print("  {:<18} {} ({}): error {:.3g} root mean square, {:.3g} at most\n", "  task",
                 task["name"].get<std::string>(), task["type"].get<std::string>(), task["error_rms"].get<double>(),
                 task["error_most"].get<double>());
    }
  }
}

}  // namespace tactus::cli
