// A scene in closed loop with a controller by inverse dynamics, for rows of suites.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/cli/trace_plot.h"
#include "tactus/scene/goals.h"

namespace tactus::cli {

/// Of all runs of a scene.
struct ControlFigures {
  int runs = 0, done = 0;
  std::vector<double> solve, before;  ///< processor time of control steps [ms]
  int feasible = 0;                   ///< answers that obey law and dynamics

  double feasible_percent() const;
};

/// Runs it to its end, with its first controller of type task or soft, and adds to the figures. Returns the goals as
/// they ended; `scene` is what was run. Its curves over time go to `panels` unless that is null.
std::vector<GoalResult> RunControlled(const std::string& name, const std::vector<std::string>& set, std::uint64_t seed,
                                      ControlFigures* figures, SceneDescription* scene,
                                      std::vector<TracePanel>* panels = nullptr);

}  // namespace tactus::cli
