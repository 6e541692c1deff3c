// What SolveQpcc keeps from call to call. Not part of the interface.
#pragma once

#include "tactus/core/timer.h"
#include "tactus/inverse/qpcc_residual.h"
#include "tactus/inverse/qpcc_scaling.h"
#include "tactus/inverse/qpcc_solver.h"
#include "tactus/inverse/qpcc_sweeps.h"

namespace tactus {

struct QpccMemory {
  QpccScaled scaled;
  QpccSweeper sweeper;
  QpccIterate start, iterate;
  QpccSolution candidate;
  QpccJudgeMemory judge;
};

/// The clock of one solve.
class QpccClock {
 public:
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
