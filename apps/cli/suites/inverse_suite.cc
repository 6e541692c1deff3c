// Suite `inverse`: contact-implicit inverse dynamics. Projections against dense grids, small problems against their
// global optimum, times at the size of a quadruped, and other methods on the same problems. Times are of the processor.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/bench_suite.h"
#include "apps/cli/inverse/inverse_methods.h"
#include "apps/cli/statistics.h"
#include "apps/cli/suites/control_rows.h"
#include "apps/cli/suites/soft_rows.h"
#include "apps/cli/terminal.h"
#include "tactus/inverse/baselines/enumerate_modes.h"
#include "tactus/inverse/qpcc_projection_check.h"
#include "tactus/inverse/qpcc_solver.h"
#include "tactus/inverse/qpcc_sweeps.h"
#include "tactus/inverse/random_qpcc.h"

namespace tactus::cli {

namespace {

using Rows = std::vector<BenchRow>;

void AddProjections(bool quick, Rows* rows) {
  const int draws = quick ? 20'000 : 1'000'000;
  for (const QpccKind kind : {QpccKind::Lcp, QpccKind::Planar, QpccKind::Ncp}) {
    rows->push_back(
        BenchRow::AtMost(fmt::format("projection {}: excess over a dense grid, {} draws", ToString(kind), draws),
                         CalcWorstExcess(kind, SlideProjection::Exact, draws, 1), "relative", 1e-9));
  }
  rows->push_back(BenchRow::Measured("projection ncp, alternating as in the paper: excess",
                                     CalcWorstExcess(QpccKind::Ncp, SlideProjection::Alternating, 20'000, 1),
                                     "relative"));
}

void AddMonotonicity(bool quick, Rows* rows) {
  double worst = 0;
  for (std::uint64_t seed = 0; seed < (quick ? 10u : 100u); ++seed) {
    QpccScaled scaled;
    ScaleQpcc(MakeRandomQpcc({.contacts = 3}, seed), 10, &scaled);
    QpccIterate it;
    it.Resize(scaled);
    const QpccPenalty penalty = QpccSettings().penalties[seed % QpccSettings::kMostStarts];
    QpccLinearStep linear;
    if (!linear.Factorize(scaled, penalty)) continue;
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 50; ++k) {
      linear.Solve(scaled, &it);
      ProjectHats(scaled, penalty, SlideProjection::Exact, &it);
      const double now = CalcAugmentedLagrangian(scaled, penalty, it);
      worst = std::max(worst, (now - last) / (1 + std::abs(now)));
      last = now;
    }
  }
  rows->push_back(BenchRow::AtMost("sweeps: largest increase of the augmented Lagrangian", worst, "relative", 1e-12));
}

struct Tally {
  int problems = 0, reached = 0, within = 0, solved = 0;
  double gap = 0, polished_gap = 0, multipliers = 0;
  std::vector<double> times;
};

// Reached: the loss of the oracle, or less, up to rounding. Where the oracle finds nothing, as it may with 3-D
// friction, it counts as missed: there is nothing to hold ours against.
Tally CountOptima(QpccKind kind, int first_seed, int problems) {
  Tally tally;
  QpccWorkspace workspace;
  QpccSolution x;
  for (int seed = first_seed; seed < first_seed + problems; ++seed) {
    const QpccProblem p = MakeRandomQpcc({.kind = kind, .contacts = 1 + seed % 3}, static_cast<std::uint64_t>(seed));
    const QpccReport report = SolveQpcc(p, {}, nullptr, &workspace, &x);
    const EnumerateResult best = EnumerateModes(p);
    const double tiny = 1e-12 * p.b.squaredNorm();
    const bool known = best.found && report.feasible();
    ++tally.problems;
    tally.reached += known && report.loss <= best.loss * (1 + 1e-6) + tiny;
    tally.within += known && report.loss <= 1.1 * best.loss + tiny;
    tally.solved += report.solved();
    tally.gap = std::max(tally.gap, report.dynamics_gap);
    if (report.origin == QpccOrigin::Polished) tally.polished_gap = std::max(tally.polished_gap, report.dynamics_gap);
    if (report.solved()) tally.multipliers = std::max({tally.multipliers, report.dual, report.multiplier_violation});
    tally.times.push_back(1e3 * report.cpu_time);
  }
  return tally;
}

void AddCounts(const Tally& from, Tally* to) {
  to->problems += from.problems;
  to->reached += from.reached;
  to->within += from.within;
  to->solved += from.solved;
  to->gap = std::max(to->gap, from.gap);
  to->polished_gap = std::max(to->polished_gap, from.polished_gap);
  to->multipliers = std::max(to->multipliers, from.multipliers);
}

void AddOptimaBars(const std::string& seeds, const Tally& both, bool quick, Rows* rows) {
  const double all = both.problems;
  const std::string name = fmt::format("small, planar and 3-D, {}: ", seeds);
  rows->push_back(BenchRow::AtLeast(name + "global optimum reached", 100 * both.reached / all, "%", 90));
  // 99 of 100 cannot be told from a few.
  const double within = 100 * both.within / all;
  rows->push_back(quick ? BenchRow::Measured(name + "within 10 % of it", within, "%")
                        : BenchRow::AtLeast(name + "within 10 % of it", within, "%", 99));
  rows->push_back(BenchRow::AtMost(name + "dynamics gap, polished", both.polished_gap, "m/s", 1e-9));
  rows->push_back(BenchRow::Measured(name + "dynamics gap, all", both.gap, "m/s"));
  rows->push_back(
      BenchRow::AtMost(name + "multiplier conditions of those called solved", both.multipliers, "relative", 1e-6));
  rows->push_back(BenchRow::Measured(name + "called solved", 100 * both.solved / all, "%"));
}

void AddOptima(bool quick, Rows* rows) {
  const int problems = quick ? 10 : 250;
  Tally both;
  for (const QpccKind kind : {QpccKind::Lcp, QpccKind::Planar, QpccKind::Ncp}) {
    const Tally t = CountOptima(kind, 0, problems);
    const std::string name = fmt::format("small {} ({} problems): ", ToString(kind), t.problems);
    rows->push_back(BenchRow::Measured(name + "global optimum reached", 100.0 * t.reached / t.problems, "%"));
    rows->push_back(BenchRow::Measured(name + "within 10 % of it", 100.0 * t.within / t.problems, "%"));
    rows->push_back(BenchRow::Measured(name + "multiplier conditions hold", 100.0 * t.solved / t.problems, "%"));
    rows->push_back(BenchRow::Measured(name + "median time", Quantile(t.times, 0.5), "ms").WithSpread(t.times));
    if (kind != QpccKind::Lcp) AddCounts(t, &both);
  }
  AddOptimaBars("seeds it was tuned on", both, quick, rows);
  for (const int first : {10'000, 30'000}) {
    if (quick) break;
    Tally others;
    for (const QpccKind kind : {QpccKind::Planar, QpccKind::Ncp})
      AddCounts(CountOptima(kind, first, problems), &others);
    AddOptimaBars(fmt::format("other seeds from {}", first), others, quick, rows);
  }
}

// 12 actuators, a floating base, 6 task rows and regularization: a quadruped's size.
void AddTimes(bool quick, Rows* rows) {
  for (const int contacts : {4, 8, 12}) {
    std::vector<double> cold, warm;
    int solved = 0, count = 0;
    QpccWorkspace workspace;
    QpccSolution x;
    const QpccSettings settings = QpccSettings::RealTime();
    for (std::uint64_t seed = 0; seed < (quick ? 10u : 60u); ++seed) {
      QpccProblem p =
          MakeRandomQpcc({.contacts = contacts, .actuators = 12, .tasks = 6, .passive_dofs = 6, .limit = 3}, seed);
      cold.push_back(1e3 * SolveQpcc(p, settings, nullptr, &workspace, &x).cpu_time);
      // As a loop does: a little further on, from the last answer.
      for (int step = 0; step < 5; ++step) {
        p.b *= 1.002;
        p.g *= 0.999;
        const QpccReport report = SolveQpcc(p, settings, &x, &workspace, &x);
        warm.push_back(1e3 * report.cpu_time);
        solved += report.solved();
        ++count;
      }
    }
    const std::string name = fmt::format("12 actuators, {} contacts: ", contacts);
    rows->push_back(BenchRow::Measured(name + "cold, median", Quantile(cold, 0.5), "ms").WithSpread(cold));
    rows->push_back(contacts == 4
                        ? BenchRow::AtMost(name + "warm, median", Quantile(warm, 0.5), "ms", 1).WithSpread(warm)
                        : BenchRow::Measured(name + "warm, median", Quantile(warm, 0.5), "ms").WithSpread(warm));
    rows->push_back(BenchRow::Measured(name + "warm, 99th percentile", Quantile(warm, 0.99), "ms"));
    rows->push_back(BenchRow::Measured(name + "warm, solved", 100.0 * solved / count, "%"));
  }
}

// Every method on the same problems of 4 contacts and 12 actuators.
void AddMethods(bool quick, Rows* rows) {
  for (const QpccKind kind : {QpccKind::Lcp, QpccKind::Planar, QpccKind::Ncp}) {
    for (const InverseMethod& method : InverseMethods()) {
      if (!method.available || !method.takes(kind) || std::string(method.name) == "enumerate") continue;
      std::vector<double> times, losses;
      int feasible = 0, count = 0;
      for (std::uint64_t seed = 0; seed < (quick ? 3u : 10u); ++seed) {
        const QpccProblem p = MakeRandomQpcc(
            {.kind = kind, .contacts = 4, .actuators = 12, .tasks = 6, .passive_dofs = 6, .limit = 3}, seed);
        QpccSettings settings;
        settings.time_budget = 5;
        const InverseAnswer answer = method.solve(p, settings, nullptr);
        times.push_back(1e3 * answer.report.cpu_time);
        losses.push_back(answer.report.loss);
        feasible += answer.report.primal <= 1e-6 && answer.report.complementarity <= 1e-6;
        ++count;
      }
      const std::string name = fmt::format("{} by {}: ", ToString(kind), method.name);
      rows->push_back(BenchRow::Measured(name + "median time", Quantile(times, 0.5), "ms").WithSpread(times));
      rows->push_back(BenchRow::Measured(name + "median loss", Quantile(losses, 0.5), "-"));
      rows->push_back(BenchRow::Measured(name + "law and dynamics to 1e-6", 100.0 * feasible / count, "%"));
    }
  }
}

}  // namespace

std::vector<BenchRow> RunInverseSuite(const BenchSettings& settings) {
  Rows rows;
  int done = 0;
  Progress progress(8, Progress::Elsewhere::Lines);
  const auto part = [&](const char* name) { progress.Show(++done, name); };
  const auto one = [&](const char* name, void (*add)(bool, Rows*)) {
    part(name);
    if (settings.Wants(name)) add(settings.quick, &rows);
  };
  one("projections", AddProjections);
  one("sweeps", AddMonotonicity);
  one("small problems", AddOptima);
  one("times at a quadruped's size", AddTimes);
  one("other methods", AddMethods);
  part("controlled robots");
  AddControlRows(settings, &rows);
  part("controlled soft robots");
  // The shortest takes six seconds; a quick run has one if it is asked for by name.
  if (!settings.quick || !settings.only.empty()) AddSoftSceneRows(settings.quick ? 1 : 5, settings, &rows);
  part("problems of soft robots");
  AddSoftRows(settings, &rows);
  return rows;
}

std::vector<BenchRow> RunSoftInverseSuite(const BenchSettings& settings) {
  Rows rows;
  Progress progress(2, Progress::Elsewhere::Lines);
  progress.Show(1, "controlled soft robots");
  AddSoftSceneRows(settings.quick ? 1 : 2, settings, &rows);
  progress.Show(2, "problems of soft robots");
  AddSoftRows(settings, &rows);
  return rows;
}

}  // namespace tactus::cli
