#include "tactus/inverse/qpcc_settings.h"

#include <cmath>

#include "tactus/core/error.h"

namespace tactus {

namespace {

void RequireFraction(double value, const char* name) {
  if (!(value > 0 && value < 1)) throw InputError(name, "is " + std::to_string(value), "a number in (0, 1)");
}

void RequireAtLeast(int value, int least, const char* name) {
  if (value < least) {
    throw InputError(name, "is " + std::to_string(value), "a number from " + std::to_string(least) + " on");
  }
}

bool Positive(double x) { return x > 0 && std::isfinite(x); }

}  // namespace

void QpccSettings::Validate() const {
  RequireFraction(tolerance, "tolerance");
  RequireFraction(gap_tolerance, "gap_tolerance");
  RequireFraction(tolerance_shrink, "tolerance_shrink");
  if (!(time_budget >= 0 && std::isfinite(time_budget))) {
    throw InputError("time_budget", "is " + std::to_string(time_budget) + " s", "a time from 0 on (0: none)");
  }
  if (starts < 1 || starts > kMostStarts) {
    throw InputError("starts", "is " + std::to_string(starts), "a number from 1 to " + std::to_string(kMostStarts));
  }
  for (const QpccPenalty& p : penalties) {
    if (!Positive(p.xi) || !Positive(p.eta) || !Positive(p.rho)) {
      throw InputError("penalties", "one is not a positive number", "positive numbers");
    }
  }
  if (!(penalty_growth > 1 && std::isfinite(penalty_growth))) {
    throw InputError("penalty_growth", "is " + std::to_string(penalty_growth), "a number above 1");
  }
  if (!(most_penalty >= 1 && std::isfinite(most_penalty))) {
    throw InputError("most_penalty", "is " + std::to_string(most_penalty), "a number from 1 on");
  }
  RequireAtLeast(sweeps, 1, "sweeps");
  RequireAtLeast(settled_sweeps, 1, "settled_sweeps");
  RequireAtLeast(patience, 1, "patience");
  RequireAtLeast(inner_sweeps, 1, "inner_sweeps");
  RequireAtLeast(scaling_iterations, 0, "scaling_iterations");
  RequireAtLeast(polish_rounds, 1, "polish_rounds");
  RequireAtLeast(polish_size, 0, "polish_size");
  RequireAtLeast(polish_steps, 0, "polish_steps");
  RequireAtLeast(search_solves, 0, "search_solves");
  RequireAtLeast(search_starts, 0, "search_starts");
  RequireAtLeast(reduced_iterations, 0, "reduced_iterations");
  RequireAtLeast(forward_iterations, 0, "forward_iterations");
}

}  // namespace tactus
