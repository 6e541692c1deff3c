#include "tactus/core/timer.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(TimerTest, ProcessorTimeStandsStillWhileTheThreadSleeps) {
  const Timer wall;
  const ThreadCpuTimer cpu;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_GE(wall.seconds(), 0.05);
  EXPECT_LT(cpu.seconds(), 0.04);
}

TEST(TimerTest, ProcessorTimeRunsWhileTheThreadWorks) {
  const Timer wall;
  const ThreadCpuTimer cpu;
  while (cpu.seconds() < 0.01 && wall.seconds() < 60) {
  }
  EXPECT_GE(cpu.seconds(), 0.01);
}

}  // namespace
}  // namespace tactus
