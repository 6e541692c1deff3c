// What happens between the program and the person in front of it: interrupts and progress.
#pragma once

#include <atomic>
#include <string>

namespace tactus::cli {

/// While it lives, the first Ctrl-C sets cancelled() instead of ending the program, so that results so far are still
/// reported; a second one, later than a third of a second, ends it.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static const std::atomic<bool>& cancelled();
};

/// A line on stderr that overwrites itself; nothing unless stderr is a terminal.
class Progress {
 public:
  explicit Progress(int total);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// "[done/total] what"
  void Show(int done, const std::string& what);
  /// Removes the line, so that something else may be printed.
  void Clear();

 private:
  int total_;
  bool enabled_, shown_ = false;
};

}  // namespace tactus::cli
