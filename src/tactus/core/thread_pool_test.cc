#include "tactus/core/thread_pool.h"

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

}  // namespace
}  // namespace tactus
