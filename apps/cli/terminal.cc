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

Progress::Progress(int total) : total_(total), enabled_(isatty(STDERR_FILENO) == 1) {}

void Progress::Show(int done, const std::string& what) {
  if (!enabled_) return;
  fmt::print(stderr, "\r\033[K[{}/{}] {}", done, total_, what);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::Clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace tactus::cli
