// What all first-order loops do every few iterations: score the iterate, keep the best one, decide whether to end.
#pragma once

#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/first_order/iterate_score.h"

namespace tactus {

/// The scores of a solve: which is the best, and whether one is good enough.
class ScoreWatch {
 public:
  /// `velocity_scale` as IterateScore has it; negative: feasibility is not asked for.
  void Start(const SolveSettings& settings, double velocity_scale);
  /// `ranked`: what iterates are compared by, natural_rho or worse. True if the solve is over: converged, or the
  /// numbers are not finite.
  bool Check(const ScoreResult& result, double ranked, Termination* why);
  /// Whether the last one checked is the one to keep.
  bool improved() const { return improved_; }
  double last() const { return last_; }
  double best() const { return best_; }

 private:
  const SolveSettings* settings_ = nullptr;
  double velocity_scale_ = 0, last_ = kInfinity, best_ = kInfinity;
  bool improved_ = false;
};

class IterateWatch {
 public:
  /// Watches one solve. `law` is what the solver aims at: its residual picks the best iterate and ends the loop.
  void Start(const IterateScore* score, SolveMonitor* monitor, ContactLaw law = ContactLaw::Exact);

  /// Scores an iterate (sigma = W lambda + sigma_free), records it, keeps it if it is the best so far. True if the
  /// solve is over: converged, or the numbers are not finite.
  bool Check(int iteration, int newton_steps, const VectorX& lambda, const VectorX& sigma, Termination* why);

  /// natural_rho of the last and of the best checked iterate.
  double last() const { return watch_.last(); }
  double best() const { return watch_.best(); }
  /// Writes the best iterate.
  void Finish(VectorX* lambda) const { *lambda = best_; }

 private:
  const IterateScore* score_ = nullptr;
  SolveMonitor* monitor_ = nullptr;
  ContactLaw law_ = ContactLaw::Exact;
  VectorX best_;
  ScoreWatch watch_;
};

}  // namespace tactus
