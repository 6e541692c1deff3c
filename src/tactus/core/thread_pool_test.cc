#include "tactus/core/thread_pool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(ThreadPool, DoesEveryTaskOnce) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.num_threads(), threads);
    for (int round = 0; round < 200; ++round) {
      const int count = round % 17;
      std::vector<int> done(static_cast<std::size_t>(count), 0);
      pool.ForEach(count, [&](int i, int thread) {
        EXPECT_LT(thread, threads);
        done[static_cast<std::size_t>(i)] += i + 1;
      });
      for (int i = 0; i < count; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i + 1);
    }
  }
}

// In the child there are no workers: the caller does what they did, and nothing waits for them.
TEST(ThreadPool, WorksInAForkedChild) {
  auto pool = std::make_unique<ThreadPool>(3);
  const auto sum = [&] {
    std::atomic<int> out = 0;
    pool->ForEach(10, [&](int i, int) { out += i; });
    return out.load();
  };
  EXPECT_EQ(sum(), 45);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const bool right = sum() == 45 && pool->num_threads() == 1;
    pool.reset();
    _exit(right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(pool->num_threads(), 3);
  EXPECT_EQ(sum(), 45);
}

}  // namespace
}  // namespace tactus
