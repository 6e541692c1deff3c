// What happens between the program and the person in front of it: interrupts and progress.
#pragma once

#include <atomic>
#include <string>

#include "tactus/core/timer.h"

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

/// A line on stderr that overwrites itself; nothing unless stderr is a terminal, or only a line now and then.
class Progress {
 public:
  enum class Elsewhere { Nothing, Lines };  ///< where stderr is no terminal; lines come ten seconds apart or more
  explicit Progress(int total, Elsewhere elsewhere = Elsewhere::Nothing);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// "[number/total] what", and after some seconds how long it took so far and how long the rest would take if its
  /// parts were as those before. `number` is of the part that begins, from 1.
  void Show(int number, const std::string& what);
  /// Removes the line, so that something else may be printed.
  void Clear();

 private:
  int total_;
  bool terminal_, lines_, shown_ = false;
  Timer timer_;
  double last_line_ = 0;  // [s]
};

/// "12 s so far, about 30 s left" before part `number` of `total`; nothing before the first or in the first seconds.
std::string DescribeTimes(double seconds, int number, int total);

}  // namespace tactus::cli
