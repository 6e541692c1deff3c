#include "apps/cli/terminal.h"

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>

#include <fmt/format.h>

namespace tactus::cli {

namespace {

std::atomic<bool> interrupted{false};
std::atomic<std::int64_t> interrupted_at_ms{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "needed in a signal handler");

// One request may arrive as two signals: `timeout -s INT` signals first the program, then its whole process group.
constexpr std::int64_t kSameRequestMs = 300;

std::int64_t MonotonicMs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // may be called in a signal handler
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

extern "C" void HandleInterrupt(int number) {
  const std::int64_t now = MonotonicMs();
  if (!interrupted.load(std::memory_order_relaxed)) {
    interrupted_at_ms.store(now, std::memory_order_relaxed);
    interrupted.store(true, std::memory_order_relaxed);
  } else if (now - interrupted_at_ms.load(std::memory_order_relaxed) > kSameRequestMs) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted.store(false, std::memory_order_relaxed);
  std::signal(SIGINT, HandleInterrupt);
}

InterruptGuard::~InterruptGuard() {
  // After an interrupt the handler stays: the twin of that signal may still come while the results are printed.
  if (!interrupted.load(std::memory_order_relaxed)) std::signal(SIGINT, SIG_DFL);
}

const std::atomic<bool>& InterruptGuard::cancelled() { return interrupted; }

std::string DescribeTimes(double seconds, int number, int total) {
  constexpr double kSoon = 3;
  if (seconds < kSoon || number <= 1) return "";
  const double left = seconds * (total - number + 1) / (number - 1);
  return fmt::format(", {:.0f} s so far, about {:.0f} s left", seconds, left);
}

Progress::Progress(int total, Elsewhere elsewhere)
    : total_(total), terminal_(isatty(STDERR_FILENO) == 1), lines_(!terminal_ && elsewhere == Elsewhere::Lines) {}

void Progress::Show(int number, const std::string& what) {
  constexpr double kApart = 10;
  const double seconds = timer_.seconds();
  const std::string text = fmt::format("[{}/{}] {}{}", number, total_, what, DescribeTimes(seconds, number, total_));
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", text);
    shown_ = true;
  } else if (lines_ && seconds - last_line_ >= kApart) {
    fmt::print(stderr, "{}\n", text);
    last_line_ = seconds;
  }
  std::fflush(stderr);
}

void Progress::Clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace tactus::cli
