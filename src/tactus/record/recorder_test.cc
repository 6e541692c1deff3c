#include "tactus/record/recorder.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/core/random.h"
#include "tactus/io/temporary_folder_testing.h"
#include "tactus/record/record_testing.h"

namespace tactus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Recorder, WhatIsWrittenIsRead) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "run.h5";
  const RecordHeader header = MakeTestHeader();
  Recorder recorder(path, header, {.flush_steps = 100});
  for (int step = 0; step < 1234; ++step) recorder.Append(TestFrame(step).frame);
  EXPECT_EQ(recorder.steps(), 1234);
  recorder.Close();
  EXPECT_EQ(recorder.flushed_steps(), 1234);

  const Recording recording = LoadRecording(path);
  EXPECT_TRUE(recording.closed);
  ASSERT_EQ(recording.steps(), 1234);
  ExpectTestFrames(recording);
  EXPECT_EQ(recording.header.q_names, header.q_names);
  EXPECT_EQ(recording.header.links, header.links);
  EXPECT_EQ(recording.header.objects, header.objects);
  EXPECT_EQ(recording.header.statuses, header.statuses);
  EXPECT_EQ(recording.header.settings, header.settings);
  EXPECT_EQ(recording.header.solver, "hybrid");
  EXPECT_EQ(recording.header.scene, "name: test\n");
  EXPECT_EQ(recording.header.version, "0.1.0");
  EXPECT_EQ(recording.header.time_step, 0.01);
}

TEST(Recorder, ReadWhileItGrows) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "run.h5";
  Recorder recorder(path, MakeTestHeader(), {.flush_steps = 10, .flush_seconds = 1e9});
  EXPECT_EQ(LoadRecording(path).steps(), 0);
  for (int step = 0; step < 25; ++step) recorder.Append(TestFrame(step).frame);
  EXPECT_EQ(recorder.flushed_steps(), 20);
  EXPECT_EQ(LoadRecording(path).steps(), 20);
  recorder.Flush();
  const Recording recording = LoadRecording(path);
  EXPECT_EQ(recording.steps(), 25);
  EXPECT_FALSE(recording.closed);
  ExpectTestFrames(recording);
}

TEST(Recorder, FlushesByTheClock) {
  const TemporaryFolder folder;
  Recorder recorder(folder.path() / "run.h5", MakeTestHeader(), {.flush_steps = 1000, .flush_seconds = 0});
  recorder.Append(TestFrame(0).frame);
  EXPECT_EQ(recorder.flushed_steps(), 1);
}

TEST(Recorder, NothingThatMovesAndNothingThatTouches) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "run.h5";
  {
    Recorder recorder(path, {});
    RecordFrame frame;
    frame.time = 1;
    recorder.Append(frame);
  }
  const Recording recording = LoadRecording(path);
  EXPECT_THAT(recording.time, ElementsAre(1));
  EXPECT_EQ(recording.q.cols(), 0);
  EXPECT_TRUE(recording.StepContacts(0).empty());
}

TEST(Recorder, Misuse) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "run.h5";
  EXPECT_THAT(ErrorOf([&] { Recorder("/nowhere/run.h5", MakeTestHeader()); }), HasSubstr("cannot be written"));
  EXPECT_THAT(ErrorOf([&] { Recorder(path, MakeTestHeader(), {.flush_steps = 0}); }), HasSubstr("flush_steps"));
  Recorder recorder(path, MakeTestHeader());
  EXPECT_THAT(ErrorOf([&] { recorder.Append({}); }), HasSubstr("a frame has 0 entries of q (expected: 4)"));
  recorder.Close();
  recorder.Close();
  EXPECT_THAT(ErrorOf([&] { recorder.Append(TestFrame(0).frame); }), HasSubstr("is closed"));
  EXPECT_THAT(ErrorOf([&] { Recorder(path, MakeTestHeader(), {.overwrite = false}); }), HasSubstr("is there already"));
  EXPECT_THAT(ErrorOf([&] { LoadRecording(folder.Write("no.h5", "nothing")); }), HasSubstr("is not an HDF5 file"));
}

// Corrupt files: an error or a recording, never a crash.
TEST(Recorder, CorruptFiles) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "run.h5";
  {
    Recorder recorder(path, MakeTestHeader());
    for (int step = 0; step < 50; ++step) recorder.Append(TestFrame(step).frame);
  }
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  Random random(3);
  int refused = 0;
  for (int round = 0; round < 40; ++round) {
    std::string changed = bytes;
    if (round % 4 == 0) changed.resize(static_cast<std::size_t>(random.Index(static_cast<int>(bytes.size()))));
    for (int k = 0; k < 20 && !changed.empty(); ++k) {
      // Most of what the library trusts is at the front.
      const int most = static_cast<int>(std::min<std::size_t>(changed.size(), round % 2 == 0 ? 20000 : changed.size()));
      changed[static_cast<std::size_t>(random.Index(most))] = static_cast<char>(random.Index(256));
    }
    refused += ErrorOf([&] { LoadRecording(folder.Write("changed.h5", changed)); }).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 10);
}

TEST(Recorder, SurvivesKills) {
  const TemporaryFolder folder;
  Random random(11);
  int most = 0;
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    const std::string path = folder.path() / ("killed" + std::to_string(round) + ".h5");
    const int flush_steps = round % 3 == 0 ? 1 : 1 + random.Index(50);
    int flushed = 0;
    ExpectSurvivesKill(path, flush_steps, random.Index(30000), &flushed);
    if (HasFatalFailure()) return;
    most = std::max(most, flushed);
  }
  EXPECT_GT(most, 20);
}

}  // namespace
}  // namespace tactus
