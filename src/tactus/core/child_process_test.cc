#include "tactus/core/child_process.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/timer.h"

namespace tactus {
namespace {

using testing::HasSubstr;

ChildOutcome RunBody(const ChildLimits& limits, const std::function<void(const ChildWriter&)>& body) {
  std::mutex still;
  return RunInChild(limits, &still, body);
}

TEST(ChildProcess, SendsWhatItWrites) {
  const std::string text(3000000, 'y');
  const ChildOutcome outcome = RunBody({}, [&](const ChildWriter& write) { write(text.data(), text.size()); });
  EXPECT_TRUE(outcome.ok) << outcome.failure;
  EXPECT_EQ(std::string(outcome.output.begin(), outcome.output.end()), text);
}

TEST(ChildProcess, CrashesAreSeen) {
  const ChildOutcome outcome = RunBody({}, [](const ChildWriter&) { raise(SIGSEGV); });
  EXPECT_FALSE(outcome.ok);
  EXPECT_EQ(outcome.failure, "crashed (signal 11)");
  EXPECT_EQ(RunBody({}, [](const ChildWriter&) { std::abort(); }).failure, "crashed (signal 6)");
  EXPECT_EQ(RunBody({}, [](const ChildWriter&) { _exit(3); }).failure, "ended with code 3");
  EXPECT_THAT(RunBody({}, [](const ChildWriter&) { throw std::bad_alloc(); }).failure, HasSubstr("exception"));
}

TEST(ChildProcess, LimitsHold) {
  ChildLimits limits;
  limits.seconds = 0.2;
  const Timer timer;
  EXPECT_THAT(RunBody(limits,
                      [](const ChildWriter&) {
                        for (;;) pause();
                      })
                  .failure,
              HasSubstr("took more than"));
  EXPECT_THAT(RunBody(limits,
                      [](const ChildWriter&) {
                        volatile bool forever = true;
                        while (forever) {
                        }
                      })
                  .failure,
              HasSubstr("took more than"));
  EXPECT_LT(timer.seconds(), 5);
  limits = {};
  limits.output = 1000;
  EXPECT_THAT(RunBody(limits,
                      [](const ChildWriter& write) {
                        const char bytes[600] = {};
                        while (write(bytes, sizeof(bytes))) {
                        }
                      })
                  .failure,
              HasSubstr("sent more than 1000 bytes"));
}

std::string Text(const ChildOutcome& outcome) { return {outcome.output.begin(), outcome.output.end()}; }

TEST(RunProgram, GivesOutputAndExitCode) {
  const ChildOutcome good = RunProgram({}, "echo", {"a b", "$HOME; *"});
  EXPECT_TRUE(good.ok);
  EXPECT_EQ(Text(good), "a b $HOME; *\n");
  const ChildOutcome bad = RunProgram({}, "sh", {"-c", "echo oh >&2; exit 3"});
  EXPECT_FALSE(bad.ok);
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_EQ(Text(bad), "oh\n");
  EXPECT_EQ(bad.failure, "ended with code 3");
}

TEST(RunProgram, SaysWhatWentWrong) {
  EXPECT_EQ(RunProgram({}, "no-such-program-anywhere", {}).exit_code, kProgramNotFound);
  ChildLimits brief;
  brief.seconds = 0.2;
  const ChildOutcome slow = RunProgram(brief, "sleep", {"30"});
  EXPECT_FALSE(slow.ok);
  EXPECT_NE(slow.failure.find("took more than"), std::string::npos);
  const ChildOutcome killed = RunProgram({}, "sh", {"-c", "kill -9 $$"});
  EXPECT_EQ(killed.failure, "crashed (signal 9)");
}

}  // namespace
}  // namespace tactus
