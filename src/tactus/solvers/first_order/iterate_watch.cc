#include "tactus/solvers/first_order/iterate_watch.h"

#include <algorithm>
#include <cmath>

namespace tactus {

void ScoreWatch::Start(const SolveSettings& settings, double velocity_scale) {
  settings_ = &settings;
  velocity_scale_ = velocity_scale;
  best_ = last_ = kInfinity;
  improved_ = false;
}

bool ScoreWatch::Check(const ScoreResult& result, double ranked, Termination* why) {
  last_ = result.natural_rho;
  improved_ = false;
  if (!std::isfinite(last_)) {
    *why = Termination::NumericalError;
    return true;
  }
  improved_ = ranked < best_;
  if (improved_) best_ = ranked;
  // The judge computes sigma in another order: leave it room for rounding. It also wants little violation.
  const bool feasible = velocity_scale_ < 0 || result.violation <= 90 * settings_->tolerance * velocity_scale_;
  if (ranked <= 0.9 * settings_->tolerance && feasible) {
    improved_ = true;
    *why = Termination::Converged;
    return true;
  }
  return false;
}

void IterateWatch::Start(const IterateScore* score, SolveMonitor* monitor, ContactLaw law) {
  score_ = score;
  monitor_ = monitor;
  law_ = law;
  best_.setZero(score->sigma_free().size());
  watch_.Start(monitor->settings(), law == ContactLaw::Exact ? score->velocity_scale() : -1);
}

bool IterateWatch::Check(int iteration, int newton_steps, const VectorX& lambda, const VectorX& sigma,
                         Termination* why) {
  const ScoreResult result = score_->Calc(lambda, sigma, law_);
  monitor_->Record(iteration, newton_steps, lambda);
  double ranked = result.natural_rho;
  if (monitor_->settings().accept_natural && law_ == ContactLaw::Exact && std::isfinite(ranked)) {
    ranked = std::max({ranked, score_->CalcUniform(lambda, sigma, 1, true),
                       score_->CalcUniform(lambda, sigma, score_->mean_rho(), false)});
  }
  const bool over = watch_.Check(result, ranked, why);
  if (watch_.improved()) best_ = lambda;
  return over;
}

}  // namespace tactus
