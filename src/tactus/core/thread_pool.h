// A few threads that share out numbered tasks. What a task does must not depend on who does it; then results do not
// depend on the number of threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace tactus {

class ThreadPool {
 public:
  /// `threads` in all, the caller's included; 1: everything is done by the caller.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// task(index, thread) for every index in [0, count), in any order; returns when all are done. Tasks must not throw.
  template <typename Task>
  void ForEach(int count, const Task& task) {
    Run(
        count, [](const void* context, int index, int thread) { (*static_cast<const Task*>(context))(index, thread); },
        &task);
  }

 private:
  using Call = void (*)(const void* context, int index, int thread);

  void Run(int count, Call call, const void* context);
  void Work(int thread);
  void TakeTasks(int thread);

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::uint64_t round_ = 0;  // of calls to Run
  int busy_ = 0;             // workers of this round that have not finished
  bool quit_ = false;
  Call call_ = nullptr;
  const void* context_ = nullptr;
  int count_ = 0;
  std::atomic<int> next_{0};
};

}  // namespace tactus
