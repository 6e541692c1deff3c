// A simulation into files: every step as HDF5, sensors as CSV.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tactus/record/deformable_sampler.h"
#include "tactus/record/recorder.h"
#include "tactus/record/replay.h"
#include "tactus/scene/compile_scene.h"

namespace tactus::cli {

/// What becomes of the steps of a run.
struct SimulationRecord {
  std::string file;                        ///< HDF5; empty: none
  const ReplaySettings* replay = nullptr;  ///< null: none
  std::string scene_text;
};

class SimulationRecorder {
 public:
  SimulationRecorder(const Simulator& simulator, const SimulationRecord& record);
  void Append(const Simulator& simulator, const StepReport& report);
  /// Of the file, if there is one.
  void Close();
  /// Null if none was asked for.
  const ReplayBuilder* replay() const { return replay_.get(); }

 private:
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<ReplayBuilder> replay_;
  std::vector<RecordContact> contacts_;
  std::vector<double> poses_;
  DeformableSampler deformables_;
  std::vector<const VectorX*> places_;  // of deformables
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
