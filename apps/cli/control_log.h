// What task controllers did during a run: torques as a file, a plot, and figures for the summary.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/cli/inverse_trace.h"
#include "tactus/control/task_controller.h"
#include "tactus/core/output_file.h"
#include "tactus/scene/compile_scene.h"

namespace tactus::cli {

class ControlLog {
 public:
  /// Empty paths: no such file. Files need exactly one task controller. Throws InputError.
  ControlLog(const SceneSimulation& simulation, const std::string& torques, const std::string& plot);

  /// After every step.
  void Append(const Simulator& simulator);
  /// Writes what is not yet written.
  void Close(const std::string& title);

  /// What the plot shows, of the first controller, after Close.
  std::vector<TracePanel> MakePanels() const;

  /// One object for each controller; null if there are none.
  Json MakeJson() const;
  static void Print(const Json& controllers);

 private:
  // Of one controller, a value for each update.
  struct Trace : InverseTrace {
    const TaskController* controller = nullptr;
    std::vector<std::vector<double>> errors;  // by task
    // By task of force: target, what the controller expects, and what the simulation did, along the target.
    std::vector<std::vector<double>> target, expected, simulated;
    std::vector<Vector3> sum;  // by task: forces of steps since the update
    int steps = 0;
  };
  void AppendUpdate(Trace* trace);
  void AppendForces(Trace* trace);

  std::vector<Trace> traces_;
  std::unique_ptr<OutputFile> torques_;
  std::string plot_;
};

}  // namespace tactus::cli
