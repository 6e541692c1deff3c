#include "tactus/inverse/baselines/enumerate_modes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tactus/core/error.h"
#include "tactus/inverse/baselines/mode_qp.h"
#include "tactus/inverse/baselines/slide_sqp.h"
#include "tactus/inverse/qpcc_polish.h"
#include "tactus/inverse/qpcc_unscale.h"

namespace tactus {

namespace {

// What the best of all combinations is found with.
struct Enumeration {
  const QpccProblem& problem;
  const EnumerateSettings& settings;
  QpccScaled scaled = {};
  QpccSettings polish_settings = {};
  QpccPolisher polisher = {};
  QpccIterate it = {}, best = {};
  EnumerateResult result = {};

  // Multipliers come from polishing, where that succeeds; the loss does not depend on it.
  void Offer(double loss) {
    if (result.found && loss >= result.loss) return;
    result.found = true;
    result.loss = loss;
    best = it;
  }

  void Finish() {
    if (!result.found) return;
    polisher.Resize(scaled, polish_settings);
    const bool polished = polisher.Polish(scaled, polish_settings, QpccClock(0), best);
    const bool use = polished && polisher.loss() <= result.loss * (1 + 1e-6);
    UnscaleIterate(scaled, use ? polisher.best() : best, &result.solution);
    if (use) result.loss = polisher.loss();
    result.loss /= scaled.cost;
  }

  void TryConvex(const std::vector<ModeChoice>& choices) {
    ModeQp mode_qp;
    BuildModeQp(scaled, choices, &mode_qp);
    const ConvexQpResult answer = SolveConvexQp(mode_qp.qp);
    ++result.programs;
    if (answer.status != ConvexQpStatus::Solved) return;
    ReadModeQp(scaled, choices, mode_qp, answer.x, &it);
    Offer(answer.value + ModeQpConstant(scaled));
  }

  void TryDirections(const std::vector<ContactMode>& modes) {
    const bool slides = std::any_of(modes.begin(), modes.end(), [](ContactMode m) { return m == ContactMode::Slip; });
    SlideSqp sqp(scaled, modes);
    const int starts = slides ? settings.directions : 1;
    for (int k = 0; k < starts; ++k) {
      double loss = 0;
      if (sqp.Solve(k, starts, &it, &loss)) Offer(loss);
    }
    result.programs += sqp.programs();
  }
};

}  // namespace

EnumerateResult EnumerateModes(const QpccProblem& problem, const EnumerateSettings& settings) {
  problem.Validate();
  Require(settings.directions >= 1, "directions", "is " + std::to_string(settings.directions), "a number >= 1");
  const int contacts = problem.num_contacts();
  const int most = problem.kind == QpccKind::Ncp ? settings.most_ncp_contacts : settings.most_contacts;
  Require(contacts <= most, "enumeration", std::to_string(contacts) + " contacts", "at most " + std::to_string(most));
  Enumeration all{problem, settings};
  ScaleQpcc(problem, QpccSettings().scaling_iterations, &all.scaled);
  all.it.Resize(all.scaled);
  const int options = problem.kind == QpccKind::Lcp ? 2 : problem.kind == QpccKind::Planar ? 4 : 3;
  int combinations = 1;
  for (int c = 0; c < contacts; ++c) combinations *= options;
  for (int k = 0; k < combinations; ++k) {
    std::vector<ModeChoice> choices;
    std::vector<ContactMode> modes;
    for (int c = 0, rest = k; c < contacts; ++c, rest /= options) {
      choices.push_back(static_cast<ModeChoice>(1 + rest % options));
      modes.push_back(static_cast<ContactMode>(rest % options % 3));
    }
    if (problem.kind == QpccKind::Ncp) {
      all.TryDirections(modes);
    } else {
      all.TryConvex(choices);
    }
  }
  all.result.combinations = combinations;
  all.Finish();
  return all.result;
}

}  // namespace tactus
