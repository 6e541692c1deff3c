// What a scene's sensors said during a run, as a plot.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/svg_plot.h"
#include "tactus/scene/compile_scene.h"

namespace tactus::cli {

class SensorPlot {
 public:
  /// An empty path: no such file. `probes` must outlive it.
  SensorPlot(const std::string& path, const std::vector<SceneProbe>& probes);

  /// After every step.
  void Append(const Simulator& simulator);
  /// Writes the file: panels of one unit, at most two a sensor.
  void Close(const std::string& title) const;

 private:
  std::string path_;
  const std::vector<SceneProbe>& probes_;
  std::vector<std::vector<PlotSeries>> series_;  // of each sensor, by columns
  std::vector<double> values_;
};

}  // namespace tactus::cli
