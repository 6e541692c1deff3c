// Runs a function or another program in a child process with limits, so that a crash, a hang or a memory hunger of code
// we do not control cannot take the caller with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace tactus {

/// What a child may use.
struct ChildLimits {
  double seconds = 20;                        ///< wall clock and processor time  [s]
  std::size_t memory = std::size_t{2} << 30;  ///< address space beyond what the parent has  [bytes]
  std::size_t output = std::size_t{1} << 30;  ///< what it may send  [bytes]
};

/// How a child ended, and what it sent until then.
struct ChildOutcome {
  std::vector<std::uint8_t> output;
  bool ok = false;      ///< it returned by itself, within its limits
  std::string failure;  ///< otherwise: what happened, to follow a subject ("crashed (signal 11)")
  int exit_code = -1;   ///< what it returned; -1 if it did not
};

/// Writes to the parent; false if the parent is gone.
using ChildWriter = std::function<bool(const void* data, std::size_t size)>;

/// Forks, runs `body` in the child and collects what it writes. The child has no terminal output and leaves no core
/// file. It has only the calling thread, so `body` must not wait for others; what it allocates or leaks ends with it.
/// `still` is held while forking, so that what it guards is at rest in the child's copy of the memory.
/// Memory is not limited in builds with AddressSanitizer or ThreadSanitizer, which reserve terabytes.
ChildOutcome RunInChild(const ChildLimits& limits, std::mutex* still,
                        const std::function<void(const ChildWriter&)>& body);

/// Exit code of a child whose program could not be started: as shells have it.
constexpr int kProgramNotFound = 127;

/// Runs a program, looked for in PATH unless its name has a slash, with the same limits; `output` is what it prints,
/// errors included. It is not started by a shell, so nothing in `arguments` (without the program's name) is special.
ChildOutcome RunProgram(const ChildLimits& limits, const std::string& program,
                        const std::vector<std::string>& arguments);

}  // namespace tactus
