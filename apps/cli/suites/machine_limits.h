// What the machine can do at most, found by running it: the limits that kernels are held against.
#pragma once

#include <string>
#include <vector>

namespace tactus::cli {

/// Bandwidth of data that fit into one level of the memory.
struct MemoryLevel {
  std::string name;  ///< L1, L2, L3 or memory
  double size = 0;   ///< data up to this size are held against it [bytes]
  double bytes = 0;  ///< what the triad's three arrays took
  double rate = 0;   ///< of a thread: two numbers read and one written, as STREAM counts [bytes/s]
};

struct MachineLimits {
  double flops = 0;                 ///< of one thread at the library's instruction level [1/s]
  std::vector<MemoryLevel> levels;  ///< from the nearest to memory
  double memory_two_threads = 0;    ///< the triad's rate with two threads, together [bytes/s]

  /// The nearest level that data of this size fit into.
  const MemoryLevel& LevelOf(double bytes) const;
};

/// Fastest of several tries each, about a second in all.
MachineLimits MeasureMachineLimits();

}  // namespace tactus::cli
