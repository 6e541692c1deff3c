// Wall-clock and processor timers.
#pragma once

#include <time.h>

#include <chrono>

namespace tactus {

class Timer {
 public:
  Timer() : start_(Clock::now()) {}
  void Restart() { start_ = Clock::now(); }
  /// Seconds since construction or the last Restart().
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
};

/// Processor time of the calling thread: other programs on the machine do not lengthen it.
class ThreadCpuTimer {
 public:
  ThreadCpuTimer() : start_(Now()) {}
  /// Seconds since construction; to be asked by the thread that constructed it.
  double seconds() const { return Now() - start_; }

 private:
  static double Now() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  double start_;
};

}  // namespace tactus
