// Threads that share loops whose rounds last microseconds: between Begin and End they spin instead of sleeping.
// ThreadPool is for longer tasks.
//
// Each thread has its own piece of every round, so that its data stay in its cache. The caller does what others have
// not begun when it is done with its own: a thread that gets no processor, because other programs run, holds nobody up
// but for what it is doing.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tactus {

class ThreadTeam {
 public:
  /// `threads` in all, the caller's included.
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  /// Wakes the others up; ForEach may be called until End.
  void Begin();
  void End();

  /// job(piece) for every piece in [0, size()), in any order; returns when all are done. Jobs must not throw.
  template <typename Job>
  void ForEach(const Job& job) {
    Run([](const void* context, int piece) { (*static_cast<const Job*>(context))(piece); }, &job);
  }

 private:
  using Call = void (*)(const void* context, int piece);
  // What becomes of a worker's piece: 3 round + one of these. On a line of the cache of its own, as every change takes
  // it from one core to another; what is to be done comes with it.
  enum : std::uint64_t { kOffered = 0, kTaken = 1, kDone = 2, kStages = 3 };
  struct alignas(64) Piece {
    std::atomic<std::uint64_t> stage{kDone};
    Call call = nullptr;
    const void* context = nullptr;
  };

  void Run(Call call, const void* context);
  void Work(int thread);
  /// Does a worker's piece if it is there and nobody has taken it.
  bool Take(int thread);

  const std::chrono::nanoseconds linger_;  // how long workers stay awake after End
  std::unique_ptr<Piece[]> pieces_;        // of workers
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool quit_ = false;
  std::uint64_t round_ = 0;
  alignas(64) std::atomic<bool> awake_{false};
};

}  // namespace tactus
