#include "tactus/solvers/first_order/iterate_watch.h"

#include <algorithm>
#include <cmath>

namespace tactus {

void IterateWatch::Start(const IterateScore* score, SolveMonitor* monitor, ContactLaw law) {
  score_ = score;
  monitor_ = monitor;
  law_ = law;
  best_.setZero(score->sigma_free().size());
  best_score_ = last_ = kInfinity;
}

bool IterateWatch::Check(int iteration, int newton_steps, const VectorX& lambda, const VectorX& sigma,
                         Termination* why) {
  const ScoreResult result = score_->Calc(lambda, sigma, law_);
  const SolveSettings& settings = monitor_->settings();
  last_ = result.natural_rho;
  monitor_->Record(iteration, newton_steps, lambda);
  if (!std::isfinite(last_)) {
    *why = Termination::NumericalError;
    return true;
  }
  double ranked = last_;
  if (settings.accept_natural && law_ == ContactLaw::Exact) {
    ranked = std::max({last_, score_->CalcUniform(lambda, sigma, 1, true),
                       score_->CalcUniform(lambda, sigma, score_->mean_rho(), false)});
  }
  if (ranked < best_score_) {
    best_score_ = ranked;
    best_ = lambda;
  }
  // The judge computes sigma in another order: leave it room for rounding. It also wants little violation.
  const bool feasible =
      law_ == ContactLaw::Convex || result.violation <= 90 * settings.tolerance * score_->velocity_scale();
  if (ranked <= 0.9 * settings.tolerance && feasible) {
    best_ = lambda;
    *why = Termination::Converged;
    return true;
  }
  return false;
}

}  // namespace tactus
