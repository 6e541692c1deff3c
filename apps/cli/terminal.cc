#include "apps/cli/terminal.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>

#include <fmt/format.h>

namespace tactus::cli {

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "needed in a signal handler");

extern "C" void HandleInterrupt(int /*signal*/) {
  interrupted.store(true, std::memory_order_relaxed);
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted.store(false, std::memory_order_relaxed);
  std::signal(SIGINT, HandleInterrupt);
}

InterruptGuard::~InterruptGuard() { std::signal(SIGINT, SIG_DFL); }

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
