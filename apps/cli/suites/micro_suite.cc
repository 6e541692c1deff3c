// Suite `micro`: hot kernels against the machine's limits in arithmetic and bandwidth, which it measures first. How
// work is counted is said with each kernel (micro_algebra.cc, micro_solvers.cc).
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/bench_suite.h"
#include "apps/cli/statistics.h"
#include "apps/cli/suites/machine_limits.h"
#include "apps/cli/suites/micro_cases.h"
#include "apps/cli/terminal.h"
#include "tactus/core/simd.h"
#include "tactus/core/timer.h"

namespace tactus::cli {

namespace {

using Rows = std::vector<BenchRow>;

BenchRow Better(BenchRow row, BenchRow::Better better) {
  row.better = better;
  return row;
}
BenchRow Higher(std::string name, double value, std::string unit) {
  return Better(BenchRow::Measured(std::move(name), value, std::move(unit)), BenchRow::Better::Higher);
}
BenchRow Lower(std::string name, double value, std::string unit) {
  return Better(BenchRow::Measured(std::move(name), value, std::move(unit)), BenchRow::Better::Lower);
}

void AddLimits(const MachineLimits& limits, Rows* rows) {
  rows->push_back(
      Higher(fmt::format("limit: {} multiply-adds", ToString(ActiveSimdLevel())), 1e-9 * limits.flops, "Gflop/s"));
  for (const MemoryLevel& level : limits.levels) {
    rows->push_back(Higher(fmt::format("limit: triad in {}, {:.3g} MB", level.name, 1e-6 * level.bytes),
                           1e-9 * level.rate, "GB/s"));
  }
  // By the clock, so that a busy machine shows: for information.
  rows->push_back(BenchRow::Measured("limit: triad in memory, two threads", 1e-9 * limits.memory_two_threads, "GB/s"));
}

struct Times {
  double median = 0, spread = 0;  // [s]
};

// Processor time of one pass: rounds of as many as make a round long enough for the clock.
Times Measure(const MicroCase& c, bool quick) {
  const double round = quick ? 2e-3 : 10e-3;
  std::vector<double> times;
  int calls = 1;
  for (int k = 0; k < (quick ? 11 : 31); ++k) {
    if (c.measure) {
      times.push_back(c.measure());
      continue;
    }
    double seconds = 0;
    for (;; calls *= 2) {  // grows in the first round only, which warms up as well
      const ThreadCpuTimer timer;
      for (int call = 0; call < calls; ++call) c.run();
      seconds = timer.seconds();
      if (seconds >= round / 2 || calls > (1 << 24)) break;
    }
    times.push_back(seconds / calls);
  }
  return {Median(times), Quantile(times, 0.75) - Quantile(times, 0.25)};
}

void AddCase(const MicroCase& c, const MachineLimits& limits, bool quick, Rows* rows) {
  const Times times = Measure(c, quick);
  const MemoryLevel& level = limits.LevelOf(c.size);
  const double of_flops = c.flops / limits.flops / times.median, of_bytes = c.bytes / level.rate / times.median;
  BenchRow time = Lower(c.name + ": time", 1e6 * times.median, "us");
  time.spread = 1e6 * times.spread;
  rows->push_back(time);
  rows->push_back(BenchRow::Measured(c.name + ": flops", c.flops, ""));
  rows->push_back(BenchRow::Measured(c.name + ": bytes", c.bytes, ""));
  rows->push_back(Higher(c.name + ": of the flop limit", 100 * of_flops, "%"));
  rows->push_back(Higher(fmt::format("{}: of the bandwidth limit ({})", c.name, level.name), 100 * of_bytes, "%"));
  const std::string error = c.name + ": " + c.error.what;
  rows->push_back(c.error.bar > 0 ? BenchRow::AtMost(error, c.error.value, "", c.error.bar)
                                  : Lower(error, c.error.value, ""));
}

}  // namespace

std::vector<MicroCase> MakeMicroCases(bool quick) {
  std::vector<MicroCase> cases;
  AddAlgebraCases(&cases);
  AddSolverCases(quick, &cases);
  return cases;
}

std::vector<BenchRow> RunMicroSuite(const BenchSettings& settings) {
  Rows rows;
  std::vector<MicroCase> cases = MakeMicroCases(settings.quick);
  std::erase_if(cases, [&](const MicroCase& c) { return !settings.Wants(c.name); });
  if (cases.empty()) return rows;
  Progress progress(static_cast<int>(cases.size()) + 1, Progress::Elsewhere::Lines);
  int done = 0;
  progress.Show(++done, "limits of the machine");
  const MachineLimits limits = MeasureMachineLimits();
  AddLimits(limits, &rows);
  for (const MicroCase& c : cases) {
    progress.Show(++done, c.name);
    AddCase(c, limits, settings.quick, &rows);
  }
  return rows;
}

}  // namespace tactus::cli
