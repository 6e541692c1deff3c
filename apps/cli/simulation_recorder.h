// A simulation into files: every step as HDF5, sensors as CSV.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tactus/record/recorder.h"
#include "tactus/scene/compile_scene.h"

namespace tactus::cli {

class SimulationRecorder {
 public:
  SimulationRecorder(const std::string& path, const Simulator& simulator, const std::string& scene_text);
  void Append(const Simulator& simulator, const StepReport& report);
  void Close() { recorder_->Close(); }

 private:
  std::unique_ptr<Recorder> recorder_;
  std::vector<RecordContact> contacts_;
};

/// A line for each step: time, then the columns of every sensor. Those with a rate of their own keep their last value.
class SensorLog {
 public:
  SensorLog(const std::string& path, const std::vector<SceneProbe>& probes);
  ~SensorLog();
  SensorLog(const SensorLog&) = delete;
  SensorLog& operator=(const SensorLog&) = delete;
  void Append(const Simulator& simulator);
  /// Throws InputError if not everything could be written.
  void Close();

 private:
  void WriteLine();
  [[noreturn]] void Fail() const;

  std::string path_, line_;
  std::FILE* file_ = nullptr;
  const std::vector<SceneProbe>& probes_;
  std::vector<std::vector<double>> values_;
  std::vector<double> next_;
};

}  // namespace tactus::cli
