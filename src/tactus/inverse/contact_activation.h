// Inverse problems with many candidate contacts of which few act, as soft robots have them: contacts join the problem
// as they turn out to be needed (as in a step of the simulator), and the answer is one of the whole problem.
//
// A round solves the problem of the active contacts. Of the others, those that the answer pushes through (sigma_n < 0)
// become active, the worst first, and the next round starts from there. Once there are none the point obeys the law
// and the dynamics of all contacts; those that never joined are open with y_sigma = 0, which is all that stationarity
// asks of them: a stationary point of the last round is one of the whole problem.
//
// Better local optima may close contacts which nothing pushed shut. Where the task is not met, rounds therefore also
// start from what contacts answer to actuations drawn from a fixed seed (QpccSettings::search_starts; the report says
// how many were drawn, and how many were better). That is bounded by their number; with a time budget none begins that
// would take longer than is left.
#pragma once

#include <vector>

#include "tactus/inverse/qpcc_forward.h"
#include "tactus/inverse/qpcc_residual.h"
#include "tactus/inverse/qpcc_solver.h"

namespace tactus {

struct ActivationSettings {
  int rounds = 40;       ///< at most, then the whole problem is solved as it is; >= 1
  int most_joining = 8;  ///< contacts a round, >= 1
  double slack = 1e-10;  ///< what sigma_n may be below 0, relative to the largest velocity in the problem; >= 0

  void Validate() const;  ///< throws InputError
};

/// Memory, one per thread.
struct ActivationWorkspace {
  QpccWorkspace qpcc;
  QpccProblem part;  ///< of the active contacts
  QpccSolution part_solution;
  std::vector<int> active;  ///< ascending
  std::vector<char> is_active;
  std::vector<int> joining;
  VectorX sigma, gradient;
  QpccScaled scaled;
  QpccJudgeMemory judge;
  // Of drawn actuations.
  QpccScaled part_scaled;
  QpccForward forward;
  QpccIterate point;
  QpccSolution trial;
};

/// As SolveQpcc; sweeps, steps and times are those of all rounds together, of drawn ones too, `starts` counts the
/// rounds. A time budget holds for all of them together.
QpccReport SolveQpccByActivation(const QpccProblem& problem, const QpccSettings& settings,
                                 const ActivationSettings& activation, const QpccSolution* warm,
                                 ActivationWorkspace* workspace, QpccSolution* solution);

}  // namespace tactus
