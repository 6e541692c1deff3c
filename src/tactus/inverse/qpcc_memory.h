// What SolveQpcc keeps from call to call. Not part of the interface.
#pragma once

#include <vector>

#include "tactus/inverse/qpcc_polish.h"
#include "tactus/inverse/qpcc_reduced.h"
#include "tactus/inverse/qpcc_residual.h"
#include "tactus/inverse/qpcc_scaling.h"
#include "tactus/inverse/qpcc_solver.h"
#include "tactus/inverse/qpcc_sweeps.h"

namespace tactus {

struct QpccMemory {
  QpccScaled scaled;
  QpccSweeper sweeper;
  QpccPolisher polisher;
  QpccForward forward;
  QpccReduced reduced;
  QpccIterate start, iterate, sweeps_best, forward_point;
  std::vector<ContactMode> modes;  // of the sweep before
  QpccSolution candidate;
  QpccJudgeMemory judge;
};

}  // namespace tactus
