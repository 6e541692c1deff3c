#include "apps/cli/control_log.h"

#include <limits>

#include <fmt/format.h>

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
  RequireOneController(traces_.size(), "task", torques, plot);
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
  trace->Append(trace->controller->updates(), report.time, report.solve, report.assembly_cpu_time);
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

std::vector<TracePanel> ControlLog::MakePanels() const {
  const Trace& trace = traces_.at(0);
  const std::vector<TaskTerm>& tasks = trace.controller->settings().tasks;
  TracePanel errors{"task error [m, rad]", true, {}}, forces{"contact force [N]", false, {}};
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    if (tasks[t].type == TaskType::Force) {
      forces.series.push_back(trace.MakeListSeries(tasks[t].name + ": simulation", trace.simulated[t]));
      forces.series.push_back(trace.MakeListSeries(tasks[t].name + ": controller", trace.expected[t]));
      forces.series.push_back(trace.MakeListSeries(tasks[t].name + ": target", trace.target[t]));
    } else if (tasks[t].type != TaskType::Torque && tasks[t].type != TaskType::AngularVelocity) {
      errors.series.push_back(trace.MakeListSeries(tasks[t].name, trace.errors[t]));
    }
  }
  std::vector<TracePanel> panels = {errors};
  if (!forces.series.empty()) panels.push_back(forces);
  for (TracePanel& panel : trace.MakePanels("contacts, dynamics")) panels.push_back(std::move(panel));
  return panels;
}

void ControlLog::Close(const std::string& title) {
  for (Trace& trace : traces_) {
    if (trace.steps > 0) AppendForces(&trace);
  }
  if (torques_) torques_->Commit();
  torques_.reset();
  if (plot_.empty()) return;
  OutputFile out(plot_);
  out.Write(MakeTracePlot(title, "time [s]", MakePanels()));
  out.Commit();
}

Json ControlLog::MakeJson() const {
  if (traces_.empty()) return nullptr;
  Json out = Json::array();
  for (const Trace& trace : traces_) {
    Json json = trace.MakeJson();
    const std::vector<TaskTerm>& tasks = trace.controller->settings().tasks;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      Json task = {{"name", tasks[t].name}, {"type", ToString(tasks[t].type)}};
      AddErrors(trace.errors[t], &task);
      json["tasks"].push_back(task);
    }
    out.push_back(json);
  }
  return out;
}

void ControlLog::Print(const Json& controllers) {
  for (const Json& c : controllers) {
    PrintInverseTrace("task controller", c, 3);
    for (const Json& task : c["tasks"]) {
      fmt::print("  {:<18} {} ({}): error {:.3g} root mean square, {:.3g} at most\n", "  task",
                 task["name"].get<std::string>(), task["type"].get<std::string>(), task["error_rms"].get<double>(),
                 task["error_most"].get<double>());
    }
  }
}

}  // namespace tactus::cli
