// The clock of one solve.
#pragma once

#include "tactus/core/timer.h"

namespace tactus {

class QpccClock {
 public:
  /// Budget in seconds, 0: none.
  explicit QpccClock(double budget) : budget_(budget) {}
  double seconds() const { return wall_.seconds(); }
  double cpu_seconds() const { return cpu_.seconds(); }
  /// The second is a call of the system, so it comes last.
  bool over() const { return budget_ > 0 && wall_.seconds() > budget_ && cpu_.seconds() > budget_; }

 private:
  double budget_;
  Timer wall_;
  ThreadCpuTimer cpu_;
};

}  // namespace tactus
