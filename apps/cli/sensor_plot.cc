#include "apps/cli/sensor_plot.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "apps/cli/trace_plot.h"
#include "tactus/core/output_file.h"

namespace tactus::cli {

namespace {

// Of a sensor's first three columns, and of the others.
std::pair<const char*, const char*> UnitsOf(SceneSensorType type) {
  using T = SceneSensorType;
  switch (type) {
    case T::Pose: return {"m", "quaternion"};
    case T::Velocity: return {"m/s", "rad/s"};
    case T::Acceleration: return {"m/s^2", "rad/s"};
    case T::JointState: return {"m or rad, and per second", ""};
    case T::ContactForce:
    case T::ClampForce:
    case T::AttachmentForce:
    case T::JointWrench: return {"N", "N m"};
    case T::DeformableItem: return {"m", "m/s"};
    case T::DriveEffort: return {"N or N m", ""};
    case T::Energy: return {"J", ""};
  }
  return {"", ""};
}

}  // namespace

SensorPlot::SensorPlot(const std::string& path, const std::vector<SceneProbe>& probes) : path_(path), probes_(probes) {
  for (const SceneProbe& probe : probes) {
    std::vector<PlotSeries>& columns = series_.emplace_back();
    for (const std::string& column : probe.columns) columns.push_back({column, {}});
    values_.resize(std::max(values_.size(), probe.columns.size()));
  }
}

void SensorPlot::Append(const Simulator& simulator) {
  if (path_.empty()) return;
  for (std::size_t k = 0; k < probes_.size(); ++k) {
    CalcProbe(simulator, probes_[k], values_.data());
    for (std::size_t c = 0; c < series_[k].size(); ++c) {
      series_[k][c].points.emplace_back(simulator.time(), values_[c]);
    }
  }
}

void SensorPlot::Close(const std::string& title) const {
  if (path_.empty()) return;
  std::vector<TracePanel> panels;
  for (std::size_t k = 0; k < probes_.size(); ++k) {
    const auto [first, second] = UnitsOf(probes_[k].sensor.type);
    for (std::size_t c = 0; c < series_[k].size(); ++c) {
      if (c == 0) panels.push_back({fmt::format("{} [{}]", probes_[k].sensor.name, first), false, {}});
      if (c == 3) panels.push_back({fmt::format("{} [{}]", probes_[k].sensor.name, second), false, {}});
      panels.back().series.push_back(series_[k][c]);
    }
  }
  OutputFile out(path_);
  out.Write(MakeTracePlot(title, "time [s]", panels));
  out.Commit();
}

}  // namespace tactus::cli
