// What all first-order loops do every few iterations: score the iterate, keep the best one, decide whether to end.
#pragma once

#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/first_order/iterate_score.h"

namespace tactus {

class IterateWatch {
 public:
  /// Watches one solve. `law` is what the solver aims at: its residual picks the best iterate and ends the loop.
  void Start(const IterateScore* score, SolveMonitor* monitor, ContactLaw law = ContactLaw::Exact);

  /// Scores an iterate (sigma = W lambda + sigma_free), records it, keeps it if it is the best so far. True if the
  /// solve is over: converged, or the numbers are not finite.
  bool Check(int iteration, int newton_steps, const VectorX& lambda, const VectorX& sigma, Termination* why);

  /// natural_rho of the last and of the best checked iterate.
  double last() const { return last_; }
  double best() const { return best_score_; }
  /// Writes the best iterate.
  void Finish(VectorX* lambda) const { *lambda = best_; }

 private:
  const IterateScore* score_ = nullptr;
  SolveMonitor* monitor_ = nullptr;
  ContactLaw law_ = ContactLaw::Exact;
  VectorX best_;
  double best_score_ = kInfinity, last_ = kInfinity;
};

}  // namespace tactus
