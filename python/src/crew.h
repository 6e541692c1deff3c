// Threads that are kept from call to call: a vector of environments shares out its steps a thousand times a second.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tactus::python {

/// The caller and its helpers. Helpers sleep between the calls. What a task does must not depend on who does it.
class Crew {
 public:
  using Watch = std::function<bool(std::int64_t steps)>;
  class Call;
  using Task = std::function<void(Call* call, std::int64_t index, int thread)>;

  /// One sharing out of tasks.
  class Call {
   public:
    /// To be asked before each step: whether to take it. The caller's thread looks after `watch` here.
    bool GoOn(int thread);
    /// A step was made.
    void Count() { ++steps_; }

   private:
    friend class Crew;
    void Look(bool always);

    const Task* task_ = nullptr;
    const Watch* watch_ = nullptr;
    std::int64_t count_ = 0;
    int threads_ = 1;
    std::atomic<std::int64_t> next_ = 0, steps_ = 0;
    std::atomic<bool> stop_ = false;
    std::chrono::steady_clock::time_point looked_;
  };

  Crew() = default;
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// task(call, index, thread) for each index in [0, count), by `threads` threads at most, the caller's being the last
  /// of them. Tasks must not throw. `watch` is called by the caller every few hundredths of a second and at the end;
  /// false ends it all. Returns how many threads the system refused; the others did their work.
  int Run(std::int64_t count, int threads, const Task& task, const Watch& watch);

 private:
  void Grow(int helpers);
  void Work(int thread);
  void TakeTasks(Call* call, int thread);

  std::vector<std::thread> helpers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::uint64_t round_ = 0;   // of calls to Run
  int asked_ = 0, busy_ = 0;  // helpers of this round, and those that have not finished
  bool quit_ = false;
  Call* call_ = nullptr;
};

/// A crew of this process that nobody else uses, for as long as it lives. Crews that are not in use end before a fork:
/// a child has no threads but its own.
class CrewLease {
 public:
  CrewLease();
  ~CrewLease();
  CrewLease(const CrewLease&) = delete;
  CrewLease& operator=(const CrewLease&) = delete;
  Crew* operator->() const { return crew_.get(); }

 private:
  std::unique_ptr<Crew> crew_;
};

}  // namespace tactus::python
