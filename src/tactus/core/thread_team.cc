#include "tactus/core/thread_team.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tactus {

namespace {

// Waits a moment; after many of them gives way to other threads, which may be what one is waiting for.
class Pause {
 public:
  void operator()() {
    constexpr int kSpins = 1000;
    if (++spins_ > kSpins) {
      std::this_thread::yield();
      return;
    }
#if defined(__x86_64__)
    _mm_pause();
#endif
  }
  void Reset() { spins_ = 0; }

 private:
  int spins_ = 0;
};

// After End the others stay awake for a while, if there is a processor for each: waking them up takes a tenth of a
// millisecond, as long as a solve, and a simulation's next step is near.
constexpr std::chrono::nanoseconds kLinger = std::chrono::milliseconds(3);

}  // namespace

ThreadTeam::ThreadTeam(int threads)
    : linger_(threads <= static_cast<int>(std::thread::hardware_concurrency()) ? kLinger : std::chrono::nanoseconds(0)),
      pieces_(std::make_unique<Piece[]>(threads)) {
  for (int t = 1; t < threads; ++t) workers_.emplace_back([this, t] { Work(t); });
}

ThreadTeam::~ThreadTeam() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
    awake_.store(false, std::memory_order_relaxed);
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadTeam::Begin() {
  if (workers_.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    awake_.store(true, std::memory_order_relaxed);
  }
  wake_.notify_all();
}

void ThreadTeam::End() {
  if (workers_.empty()) return;
  const std::lock_guard lock(mutex_);
  awake_.store(false, std::memory_order_relaxed);
}

// Who takes a piece sees the call and context of its round: they were written before, and stay until it is done.
bool ThreadTeam::Take(int thread) {
  Piece& piece = pieces_[thread];
  std::atomic<std::uint64_t>& stage = piece.stage;
  std::uint64_t offered = stage.load(std::memory_order_relaxed);
  if (offered % kStages != kOffered) return false;
  if (!stage.compare_exchange_strong(offered, offered + kTaken, std::memory_order_acquire)) return false;
  piece.call(piece.context, thread);
  stage.store(offered + kDone, std::memory_order_release);
  return true;
}

void ThreadTeam::Run(Call call, const void* context) {
  ++round_;
  for (int t = 1; t < size(); ++t) {
    pieces_[t].call = call;
    pieces_[t].context = context;
    pieces_[t].stage.store(kStages * round_, std::memory_order_release);
  }
  call(context, 0);
  for (int t = 1; t < size(); ++t) {
    Pause pause;
    if (Take(t)) continue;
    while (pieces_[t].stage.load(std::memory_order_acquire) % kStages != kDone) pause();
  }
}

void ThreadTeam::Work(int thread) {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return quit_ || awake_.load(std::memory_order_relaxed); });
      if (quit_) return;
    }
    Pause pause;
    bool lingering = false;
    std::chrono::steady_clock::time_point since;
    for (unsigned spins = 0;; ++spins) {
      if (Take(thread)) {
        pause.Reset();
        lingering = false;
        continue;
      }
      if (awake_.load(std::memory_order_relaxed)) {
        lingering = false;
      } else if (!lingering) {
        lingering = true;
        since = std::chrono::steady_clock::now();
      } else if (spins % 64 == 0 && std::chrono::steady_clock::now() - since > linger_) {
        break;
      }
      pause();
    }
  }
}

}  // namespace tactus
