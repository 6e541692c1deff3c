// Beyond paper 004: Gauss-Newton over the actuation alone. A contact solver answers every actuation, so that every
// iterate obeys law and dynamics; how contacts follow a small change is linear as long as modes stay.
#pragma once

#include <Eigen/LU>

#include "tactus/inverse/qpcc_clock.h"
#include "tactus/inverse/qpcc_forward.h"
#include "tactus/inverse/qpcc_polish.h"

namespace tactus {

class QpccReduced {
 public:
  /// From the actuation in `it` (scaled units), whose contacts are those of a forward solve. Ends with contacts that
  /// are, multipliers that belong to the last modes, and no larger loss. Returns whether the loss fell.
  bool Descend(const QpccProblem& problem, const QpccScaled& scaled, const QpccSettings& settings,
               const QpccClock& clock, QpccForward* forward, QpccIterate* it);

 private:
  struct Unknown {
    int contact = 0, part = 0;  // Stick: component; Slip: 0 length, 1 angle (row: 0 normal, 1 across)
  };
  bool CalcResponse(const QpccScaled& scaled, const QpccIterate& it);
  void ListUnknowns(const QpccScaled& scaled, const QpccIterate& it);
  void FillColumns(const QpccScaled& scaled, const QpccIterate& it);
  bool FindStep(const QpccScaled& scaled, const QpccIterate& it, double damping, const QpccClock& clock);
  void CalcMultipliers(const QpccScaled& scaled, QpccIterate* it);

  std::vector<Unknown> unknowns_;
  std::vector<Vector2> direction_;
  MatrixX columns_;   // n x unknowns: d x / d unknown
  MatrixX sigma_;     // m x unknowns: CD columns
  MatrixX K_, rhs_;   // rows by unknowns, rows by actuators
  MatrixX response_;  // m x na: d x_c / d x_a
  MatrixX J_;         // task by actuation, contacts following
  VectorX residual_, step_;
  Eigen::PartialPivLU<MatrixX> lu_;
  QpccScaled box_;  // the step as a problem without contacts
  QpccPolisher box_solver_;
  QpccIterate box_start_, trial_;
};

}  // namespace tactus
