#include "apps/cli/bench_interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include <fmt/format.h>

#include "apps/cli/command.h"

namespace tactus::cli {

namespace {

std::atomic<const std::string*> note{nullptr};
static_assert(std::atomic<const std::string*>::is_always_lock_free, "needed in a signal handler");

// Children that suites have started end with their parent (RunInChild).
extern "C" void EndWithNote(int /*number*/) {
  if (const std::string* text = note.load()) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text->data(), text->size());
  }
  _exit(kInterrupted);
}

}  // namespace

InterruptNote::InterruptNote(const std::string& text) : text_(fmt::format("\n{}\n", text)) {
  note.store(&text_);
  std::signal(SIGINT, EndWithNote);
}

InterruptNote::~InterruptNote() {
  std::signal(SIGINT, SIG_DFL);
  note.store(nullptr);
}

}  // namespace tactus::cli
