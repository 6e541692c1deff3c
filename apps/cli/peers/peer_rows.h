// From runs of all engines to rows.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/bench_suite.h"
#include "apps/cli/peers/peer_run.h"

namespace tactus::cli {

/// The step at which times are compared [s].
constexpr double kPeerStep = 1.0 / 240;

/// A run and what the judge says of it.
struct JudgedPeerRun {
  PeerRun run;
  PeerErrors errors;
  double duration = 0;  ///< what it was asked for [s]

  bool complete() const { return run.failure.empty() && run.simulated >= 0.999 * duration; }
  double median_ms() const;
  /// Of the middle half of the steps.
  double spread_ms() const;
  /// Processor time for a second of simulated time [s/s].
  double cost() const;
};

/// All rows of one scene: at kPeerStep, over the steps, the time to reach the target, and tactus beside MuJoCo.
std::vector<BenchRow> MakePeerRows(const PeerSceneEntry& entry, const std::vector<JudgedPeerRun>& runs);

/// The cheapest complete run with one engine's settings whose error is within the target: its cost; NaN if there is
/// none.
double FindCostOfTarget(const PeerSceneEntry& entry, const std::vector<JudgedPeerRun>& runs, const std::string& label);

}  // namespace tactus::cli
