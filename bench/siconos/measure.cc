#include "bench/siconos/measure.h"

#include <sys/time.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include "tactus/core/child_process.h"

namespace tactus::bench {

namespace {

// What the child sends for each repeat; the impulses follow the first.
struct Record {
  double wall;
  double cpu;
  int iterations;
  int claimed;
};

// The kernel ends the child after so much processor time: wall clock would punish solvers for what others run.
void SetCpuAlarm(double seconds) {
  itimerval alarm{};
  alarm.it_value.tv_sec = static_cast<time_t>(seconds);
  alarm.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - static_cast<double>(alarm.it_value.tv_sec)));
  setitimer(ITIMER_PROF, &alarm, nullptr);
}

bool Enough(const MeasureSettings& settings, int count, double total) {
  constexpr double kLong = 2, kShort = 0.1;  // [s]
  if (total > kLong) return true;
  return count >= settings.repeat && (total > kShort || count >= 40 * settings.repeat);
}

void RunRepeats(const MeasureSettings& settings, const std::function<Attempt()>& solve, const ChildWriter& write) {
  double total = 0;
  for (int count = 0; count == 0 || !Enough(settings, count, total); ++count) {
    SetCpuAlarm(settings.limit);
    const Attempt attempt = solve();
    SetCpuAlarm(0);
    total += attempt.cpu;
    const Record record{attempt.wall, attempt.cpu, attempt.iterations, attempt.claimed};
    if (!write(&record, sizeof record)) return;
    if (count == 0 &&
        !write(attempt.impulse.data(), sizeof(double) * static_cast<std::size_t>(attempt.impulse.size()))) {
      return;
    }
  }
}

double Median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::infinity();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double Min(const std::vector<double>& values) {
  return values.empty() ? std::numeric_limits<double>::infinity() : *std::min_element(values.begin(), values.end());
}

}  // namespace

void Measurement::Append(const Measurement& again) {
  wall.insert(wall.end(), again.wall.begin(), again.wall.end());
  cpu.insert(cpu.end(), again.cpu.begin(), again.cpu.end());
}

double Measurement::cpu_median() const { return Median(cpu); }
double Measurement::cpu_min() const { return Min(cpu); }
double Measurement::wall_median() const { return Median(wall); }
double Measurement::wall_min() const { return Min(wall); }

Measurement Measure(const ContactProblem& problem, const MeasureSettings& settings,
                    const std::function<Attempt()>& solve, const std::function<double(const NcpResidual&)>& score) {
  ChildLimits limits;
  limits.seconds = 10 * settings.limit + 60;  // for hangs without work, on a machine that others use too
  std::mutex nothing;
  const ChildOutcome outcome =
      RunInChild(limits, &nothing, [&](const ChildWriter& write) { RunRepeats(settings, solve, write); });

  Measurement result;
  result.limit = settings.limit;
  const std::size_t answer = sizeof(double) * static_cast<std::size_t>(problem.size());
  std::size_t at = 0;
  VectorX impulse(problem.size());
  while (at + sizeof(Record) + (at == 0 ? answer : 0) <= outcome.output.size()) {
    Record record;
    std::memcpy(&record, outcome.output.data() + at, sizeof record);
    at += sizeof record;
    if (result.cpu.empty()) {
      std::memcpy(impulse.data(), outcome.output.data() + at, answer);
      at += answer;
      result.iterations = record.iterations;
      result.claimed = record.claimed != 0;
    }
    result.wall.push_back(record.wall);
    result.cpu.push_back(record.cpu);
  }
  if (result.cpu.empty()) {
    const bool alarmed = outcome.failure.find("signal 27") != std::string::npos;  // SIGPROF
    result.failure = alarmed || outcome.failure.rfind("took", 0) == 0 ? "limit"
                     : outcome.ok                                     ? "ended without an answer"
                                                                      : outcome.failure;
    return result;
  }
  result.residual = CalcNcpResidual(problem, impulse);
  result.score = score(result.residual);
  // Solvers stop at an error equal to the tolerance by their own sums; rounding must not fail them.
  result.solved = result.score <= 1.001 * settings.tolerance;
  return result;
}

}  // namespace tactus::bench
