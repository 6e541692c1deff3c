#include "tactus/record/record_testing.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <limits>

#include "tactus/core/error.h"

namespace tactus {

void ExpectSurvivesKill(const std::string& path, int flush_steps, int microseconds, int* flushed) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    close(ends[0]);
    Recorder recorder(path, MakeTestHeader(), {.flush_steps = flush_steps});
    for (int step = 0; step < std::numeric_limits<int>::max(); ++step) {
      recorder.Append(TestFrame(step).frame);
      const std::int64_t done = recorder.flushed_steps();
      // The pipe is full when nobody reads: what it holds then is enough.
      if (done == step + 1 && write(ends[1], &done, sizeof(done)) != sizeof(done)) break;
    }
    _exit(1);
  }
  close(ends[1]);
  // The clock starts when there is a file with something in it.
  std::int64_t done = 0;
  ASSERT_EQ(read(ends[0], &done, sizeof(done)), static_cast<ssize_t>(sizeof(done)));
  usleep(static_cast<useconds_t>(microseconds));
  kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  for (std::int64_t next = 0; read(ends[0], &next, sizeof(next)) == sizeof(next);) done = next;
  close(ends[0]);

  Recording recording;
  try {
    recording = LoadRecording(path);
  } catch (const InputError& error) {
    FAIL() << error.what();
  }
  EXPECT_FALSE(recording.closed);
  EXPECT_GE(recording.steps(), done);
  EXPECT_LE(recording.steps(), done + flush_steps);
  ExpectTestFrames(recording);
  *flushed = static_cast<int>(done);
}

}  // namespace tactus
