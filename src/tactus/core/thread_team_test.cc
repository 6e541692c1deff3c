#include "tactus/core/thread_team.h"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(ThreadTeam, DoesEveryPieceOnce) {
  for (const int threads : {1, 2, 3, 5}) {
    ThreadTeam team(threads);
    EXPECT_EQ(team.size(), threads);
    std::vector<int> count(team.size(), 0);
    for (int solve = 0; solve < 20; ++solve) {
      team.Begin();
      for (int round = 0; round < 10; ++round) team.ForEach([&](int piece) { ++count[piece]; });
      team.End();
    }
    EXPECT_EQ(count, std::vector<int>(team.size(), 200));
  }
}

// Each round reads what all pieces of the one before wrote.
TEST(ThreadTeam, RoundsFollowEachOther) {
  for (const int threads : {1, 2, 4}) {
    ThreadTeam team(threads);
    const int n = team.size();
    std::vector<long> values(n, 1), next(n, 0), expected(n, 1);
    team.Begin();
    for (int round = 0; round < 300; ++round) {
      team.ForEach([&](int p) { next[p] = std::accumulate(values.begin(), values.end(), 0L) % 1000003 + p; });
      team.ForEach([&](int p) { values[p] = next[p]; });
      const long sum = std::accumulate(expected.begin(), expected.end(), 0L) % 1000003;
      for (int p = 0; p < n; ++p) expected[p] = sum + p;
    }
    team.End();
    EXPECT_EQ(values, expected);
  }
}

TEST(ThreadTeam, MayBeginAndEndWithoutWork) {
  ThreadTeam team(3);
  for (int k = 0; k < 100; ++k) {
    team.Begin();
    team.End();
  }
  std::vector<int> done(team.size(), 0);
  team.Begin();
  team.ForEach([&](int piece) { done[piece] = 1; });
  team.End();
  EXPECT_EQ(done, std::vector<int>(team.size(), 1));
}

// Asleep, the others may take part as soon as they are woken up, but need not.
TEST(ThreadTeam, WorksWhileTheOthersSleep) {
  ThreadTeam team(4);
  std::vector<int> count(team.size(), 0);
  for (int round = 0; round < 10; ++round) team.ForEach([&](int piece) { ++count[piece]; });
  EXPECT_EQ(count, std::vector<int>(team.size(), 10));
}

}  // namespace
}  // namespace tactus
