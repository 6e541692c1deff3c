#include "tactus/core/thread_pool.h"

#include <new>
#include <string>
#include <system_error>

#include <pthread.h>

#include "tactus/core/error.h"

namespace tactus {

namespace {

// Pools that have workers, for forks. Never destroyed: a pool may live as long as the process.
struct Registry {
  std::mutex mutex;
  std::vector<ThreadPool*> pools;
};

Registry& Pools() {
  static Registry* const registry = new Registry;
  return *registry;
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  if (threads <= 1) return;
  try {
    for (int t = 1; t < threads; ++t) workers_.emplace_back([this, t] { Work(t); });
  } catch (const std::system_error& error) {
    {
      const std::lock_guard lock(mutex_);
      quit_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    throw InputError("threads", std::string("the system does not give as many: ") + error.what(),
                     std::to_string(workers_.size() + 1) + " or fewer");
  }
  // A forked child has no workers: there the caller does everything. What they waited for is made anew, as nobody will
  // ever wake them and the destructors would wait for that.
  static const int handlers = pthread_atfork([] { Pools().mutex.lock(); }, [] { Pools().mutex.unlock(); },
                                             [] {
                                               for (ThreadPool* pool : Pools().pools) {
                                                 new (&pool->workers_) std::vector<std::thread>;
                                                 new (&pool->mutex_) std::mutex;
                                                 new (&pool->wake_) std::condition_variable;
                                                 new (&pool->done_) std::condition_variable;
                                               }
                                               Pools().pools.clear();
                                               Pools().mutex.unlock();
                                             });
  static_cast<void>(handlers);
  const std::lock_guard lock(Pools().mutex);
  Pools().pools.push_back(this);
}

ThreadPool::~ThreadPool() {
  if (workers_.empty()) return;
  {
    const std::lock_guard lock(Pools().mutex);
    std::erase(Pools().pools, this);
  }
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::TakeTasks(int thread) {
  for (int i = next_++; i < count_; i = next_++) call_(context_, i, thread);
}

void ThreadPool::Run(int count, Call call, const void* context) {
  if (workers_.empty() || count <= 1) {
    for (int i = 0; i < count; ++i) call(context, i, 0);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    call_ = call;
    context_ = context;
    count_ = count;
    next_ = 0;
    busy_ = static_cast<int>(workers_.size());
    ++round_;
  }
  wake_.notify_all();
  TakeTasks(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return busy_ == 0; });
}

void ThreadPool::Work(int thread) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return quit_ || round_ != seen; });
    if (quit_) return;
    seen = round_;
    lock.unlock();
    TakeTasks(thread);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace tactus
