// Ctrl-C during a benchmark.
#pragma once

#include <string>

namespace tactus::cli {

/// While it lives, Ctrl-C prints `text` on stderr and ends the program at once with kInterrupted. Suites have no place
/// to stop at, and half of their rows would be no result. One at a time.
class InterruptNote {
 public:
  explicit InterruptNote(const std::string& text);
  ~InterruptNote();
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;

 private:
  std::string text_;
};

}  // namespace tactus::cli
