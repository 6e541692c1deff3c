#include "apps/cli/run_progress.h"

#include <algorithm>
#include <limits>
#include <string>

#include <fmt/format.h>

namespace tactus::cli {

namespace {

int ToInt(std::int64_t count) {
  return static_cast<int>(std::min<std::int64_t>(count, std::numeric_limits<int>::max()));
}

}  // namespace

RunProgress::RunProgress(std::int64_t steps, int trials)
    : trials_(trials), progress_(trials > 1 ? trials : ToInt(steps)) {}

void RunProgress::BeginStep(std::int64_t step, std::int64_t steps, double time, int trial) {
  constexpr double kApart = 0.1, kSlow = 1;
  const double seconds = timer_.seconds();
  if (shown_ >= 0 && seconds - shown_ < kApart) return;
  shown_ = seconds;
  std::string text = trials_ > 1 ? fmt::format("step {} of {}, ", step + 1, steps) : "";
  text += fmt::format("t = {:.3f} s", time);
  if (simulated_ > 0) text += fmt::format(", {} contacts", contacts_);
  if (slowest_ >= kSlow) {
    text += fmt::format(", slowest step {:.1f} s ({:.1f} s in {} solves)", slowest_, slowest_solves_, slowest_count_);
  } else if (simulated_ > 0) {
    text += fmt::format(", residual {:.1e}, {:.2f} x real time", residual_, simulated_ / seconds);
  }
  progress_.Show(trials_ > 1 ? trial + 1 : ToInt(step + 1), text);
}

void RunProgress::EndStep(const StepReport& report, double h) {
  simulated_ += h;
  contacts_ = report.contacts;
  residual_ = report.solve.residual.worst();
  if (report.stages.total() <= slowest_) return;
  slowest_ = report.stages.total();
  slowest_solves_ = report.solver_time;
  slowest_count_ = report.solves;
}

}  // namespace tactus::cli
