#include "python/src/crew.h"

#include <algorithm>
#include <system_error>

#include <pthread.h>

namespace tactus::python {

namespace {

constexpr std::size_t kMostIdle = 8;
constexpr auto kLookEvery = std::chrono::milliseconds(50);

// Crews that nobody uses. Never destroyed: at the end of the process their threads sleep.
struct Shelf {
  std::mutex mutex;
  std::vector<std::unique_ptr<Crew>> crews;
};

Shelf& TheShelf() {
  static Shelf* const shelf = [] {
    auto* made = new Shelf;
    pthread_atfork(
        [] {
          TheShelf().mutex.lock();
          TheShelf().crews.clear();
        },
        [] { TheShelf().mutex.unlock(); }, [] { TheShelf().mutex.unlock(); });
    return made;
  }();
  return *shelf;
}

}  // namespace

void Crew::Call::Look(bool always) {
  const auto now = std::chrono::steady_clock::now();
  if (!always && now - looked_ < kLookEvery) return;
  if (!stop_ && !(*watch_)(steps_)) stop_ = true;
  looked_ = std::chrono::steady_clock::now();
}

bool Crew::Call::GoOn(int thread) {
  if (thread == threads_ - 1) Look(false);
  return !stop_;
}

Crew::~Crew() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    quit_ = true;
  }
  wake_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void Crew::Grow(int helpers) {
  helpers_.reserve(static_cast<std::size_t>(helpers));
  try {
    while (static_cast<int>(helpers_.size()) < helpers) {
      const int thread = static_cast<int>(helpers_.size());
      helpers_.emplace_back([this, thread] { Work(thread); });
    }
  } catch (const std::system_error&) {
    // The system gives no more; the next call asks again.
  }
}

void Crew::TakeTasks(Call* call, int thread) {
  for (std::int64_t k = call->next_++; k < call->count_ && !call->stop_; k = call->next_++) {
    (*call->task_)(call, k, thread);
  }
}

int Crew::Run(std::int64_t count, int threads, const Task& task, const Watch& watch) {
  const int wanted = static_cast<int>(std::min<std::int64_t>(threads, std::max<std::int64_t>(count, 1)));
  Grow(wanted - 1);
  Call call;
  call.task_ = &task;
  call.watch_ = &watch;
  call.count_ = count;
  call.looked_ = std::chrono::steady_clock::now();
  const int helpers = std::min(wanted - 1, static_cast<int>(helpers_.size()));
  call.threads_ = helpers + 1;
  if (helpers > 0) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      call_ = &call;
      asked_ = busy_ = helpers;
      ++round_;
    }
    wake_.notify_all();
  }
  TakeTasks(&call, helpers);
  if (helpers > 0) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!done_.wait_for(lock, kLookEvery, [&] { return busy_ == 0; })) {
      lock.unlock();
      call.Look(true);
      lock.lock();
    }
  }
  if (!call.stop_) call.Look(true);
  return wanted - call.threads_;
}

void Crew::Work(int thread) {
  std::uint64_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return quit_ || (round_ != seen && thread < asked_); });
    if (quit_) return;
    seen = round_;
    Call* const call = call_;
    lock.unlock();
    TakeTasks(call, thread);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

CrewLease::CrewLease() {
  Shelf& shelf = TheShelf();
  const std::lock_guard<std::mutex> lock(shelf.mutex);
  if (shelf.crews.empty()) {
    crew_ = std::make_unique<Crew>();
  } else {
    crew_ = std::move(shelf.crews.back());
    shelf.crews.pop_back();
  }
}

CrewLease::~CrewLease() {
  Shelf& shelf = TheShelf();
  const std::lock_guard<std::mutex> lock(shelf.mutex);
  if (shelf.crews.size() < kMostIdle) shelf.crews.push_back(std::move(crew_));
}

}  // namespace tactus::python
