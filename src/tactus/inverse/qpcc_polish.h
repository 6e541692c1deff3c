// From modes to a stationary point: solves on the piece that an iterate suggests, moves to neighbouring pieces where
// inequalities or multipliers of the answer say so, and, if wanted, tries further neighbours for a smaller loss.
#pragma once

#include <vector>

#include "tactus/inverse/qpcc_clock.h"
#include "tactus/inverse/qpcc_pieces.h"

namespace tactus {

class Random;

class QpccPolisher {
 public:
  void Resize(const QpccScaled& problem, const QpccSettings& settings);
  /// From the modes of `start` (hats and multipliers; the rest is not read). True if a point that obeys the law and the
  /// dynamics was found and has a smaller loss than what was found before (since Resize); then it is in best().
  [[nodiscard]] bool Polish(const QpccScaled& problem, const QpccSettings& settings, const QpccClock& clock,
                            const QpccIterate& start);
  /// Goes down from best(), one bound or branch at a time, as an active-set method does, until it is stationary.
  [[nodiscard]] bool Descend(const QpccScaled& problem, const QpccClock& clock);
  /// The same from a point that obeys the law and the dynamics (by a contact solver).
  [[nodiscard]] bool DescendFrom(const QpccScaled& problem, const QpccClock& clock, const QpccIterate& start);
  /// Tries the neighbours of best(), and theirs, as long as the loss falls; then others, drawn from a fixed seed. Where
  /// nothing was found so far, those around `start`.
  [[nodiscard]] bool Search(const QpccScaled& problem, const QpccSettings& settings, const QpccClock& clock,
                            const QpccIterate& start);

  /// The loss of best() cannot fall any further.
  bool Exhausted(const QpccScaled& problem) const;
  bool found() const { return found_; }
  const QpccIterate& best() const { return best_; }
  double loss() const { return loss_; }
  /// Multipliers of best() obey their conditions: no neighbouring piece is better to first order.
  bool stationary() const { return stationary_; }
  /// The last call of Polish ended at a point whose multipliers do, best or not.
  bool ended_stationary() const { return ended_stationary_; }
  int steps() const { return steps_; }

 private:
  void MakePiece(const QpccScaled& problem, const QpccIterate& from, QpccPiece* piece) const;
  bool PolishPiece(const QpccScaled& problem, const QpccSettings& settings, const QpccClock& clock, int rounds);
  bool Keep(const QpccScaled& problem, bool stationary);
  double RepairBounds(const QpccScaled& problem);
  double RepairContact(const QpccScaled& problem, int contact);
  double CalcBoundPull(const QpccScaled& problem, int actuator) const;
  double CalcPull(const QpccScaled& problem, int contact, Branch* to) const;
  double ReleaseAll(const QpccScaled& problem);
  bool DescendOnPieces(const QpccScaled& problem, const QpccClock& clock);
  double ReleaseOne(const QpccScaled& problem);
  void SetTolerances(const QpccScaled& problem);
  double FindBlock(const QpccScaled& problem, int* actuator, int* contact) const;
  double CalcContactFraction(const QpccScaled& problem, int contact) const;
  void MoveBase(const QpccScaled& problem, double fraction);
  void Block(const QpccScaled& problem, int actuator, int contact);
  /// A branch, and by which angle its direction is turned.
  struct NeighbourOption {
    Branch branch;
    double cos, sin;
  };
  bool TryNeighbour(const QpccScaled& problem, const QpccSettings& settings, const QpccClock& clock, int contact,
                    const NeighbourOption& option);
  bool SearchNeighbours(const QpccScaled& problem, const QpccSettings& settings, const QpccClock& clock, int most);
  bool SearchAnywhere(const QpccScaled& problem, const QpccSettings& settings, const QpccClock& clock, int most);
  void DrawPiece(const QpccScaled& problem, Random* random);
  bool HoldLimits(const QpccScaled& problem, const QpccIterate& at, QpccPiece* piece) const;
  bool Remember(const QpccPiece& piece);
  void SetBranch(const QpccScaled& problem, int contact, Branch branch, const QpccIterate& at, QpccPiece* piece) const;
  /// What a call may take of the steps that are left.
  void StartCall(double share);
  bool Over(const QpccClock& clock) const { return steps_ >= call_steps_ || clock.over(); }

  QpccPieceSolver solver_;
  QpccPiece piece_, next_, best_piece_, search_piece_;
  QpccIterate it_, best_, search_it_, base_;
  std::vector<QpccPiece> seen_;
  std::vector<unsigned char> visited_;  // branches that a contact was in, as bits
  int num_seen_ = 0, steps_ = 0, solves_ = 0;
  int most_steps_ = 0, call_steps_ = 0;  // steps_ at which all calls end, and the current one
  bool found_ = false, stationary_ = false, ended_stationary_ = false;
  bool descended_ = false;  // from best_, as it is now
  double loss_ = 0, zero_l_ = 0, zero_s_ = 0, zero_y_ = 0;
};

}  // namespace tactus
