// What `tactus run` shows of itself while it runs.
#pragma once

#include <cstdint>

#include "apps/cli/terminal.h"
#include "tactus/simulation/step_report.h"

namespace tactus::cli {

/// A line on a terminal: which step is being made, and how long steps take if that is long. Nothing elsewhere.
class RunProgress {
 public:
  /// `steps` of the run, or of each of several trials.
  explicit RunProgress(std::int64_t steps, int trials = 1);
  /// Before step `step` of `steps`, from 0, so that the first of slow ones does not go unseen.
  void BeginStep(std::int64_t step, std::int64_t steps, double time, int trial = 0);
  /// A step of length `h` [s] was made.
  void EndStep(const StepReport& report, double h);
  void Clear() { progress_.Clear(); }

 private:
  int trials_;
  Progress progress_;
  Timer timer_;
  double shown_ = -1;                        // when [s]
  double simulated_ = 0;                     // [s]
  double slowest_ = 0, slowest_solves_ = 0;  // step, and the time of its solves [s]
  int slowest_count_ = 0;                    // of those
  int contacts_ = 0;
  double residual_ = 0;
};

}  // namespace tactus::cli
