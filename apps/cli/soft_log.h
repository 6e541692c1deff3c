// What soft controllers did during a run: inputs as a file, a plot, and figures for the summary.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/cli/inverse_trace.h"
#include "tactus/control/soft_controller.h"
#include "tactus/core/output_file.h"
#include "tactus/scene/compile_scene.h"

namespace tactus::cli {

class SoftLog {
 public:
  /// Empty paths: no such file. Files need exactly one soft controller. Throws InputError.
  SoftLog(const SceneSimulation& simulation, const std::string& inputs, const std::string& plot);

  bool empty() const { return traces_.empty(); }
  /// After every step.
  void Append(const Simulator& simulator);
  /// Writes what is not yet written.
  void Close(const std::string& title);

  /// What the plot shows, of the first controller.
  std::vector<TracePanel> MakePanels() const;

  /// One object for each controller; null if there are none.
  Json MakeJson() const;
  static void Print(const Json& controllers);

 private:
  // Of one controller, a value for each update.
  struct Trace : InverseTrace {
    const SoftController* controller = nullptr;
    std::vector<std::vector<Vector3>> places, targets;  // by task
    std::vector<VectorX> inputs;
  };
  void AppendUpdate(Trace* trace);
  static double CalcError(const Trace& trace, std::size_t task, std::size_t update);

  std::vector<Trace> traces_;
  std::vector<std::string> names_;  // of actuators
  std::vector<double> ranges_;
  std::unique_ptr<OutputFile> file_;
  std::string plot_;
};

}  // namespace tactus::cli
