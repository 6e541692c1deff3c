#include "tactus/record/recorder.h"

#include <hdf5.h>

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

TEST(Recorder, ShapesAreRead) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "run.h5";
  const RecordHeader header = MakeTestHeader();
  Recorder(path, header).Close();
  const RecordHeader read = LoadRecording(path).header;
  EXPECT_TRUE(read.poses);
  EXPECT_TRUE(read.modes);
  ASSERT_EQ(read.shapes.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    const RecordShape &a = header.shapes[k], &b = read.shapes[k];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.link, b.link);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.group, b.group);
    EXPECT_EQ(a.collides, b.collides);
    EXPECT_EQ(a.type, b.type);
    EXPECT_EQ(a.mesh, b.mesh);
    EXPECT_EQ(a.size, b.size);
    EXPECT_EQ(a.X_LS.p, b.X_LS.p);
    EXPECT_TRUE(a.X_LS.R.isApprox(b.X_LS.R, 1e-6));
  }
  ASSERT_EQ(read.meshes.size(), 1u);
  EXPECT_EQ(read.meshes[0].vertices, header.meshes[0].vertices);
  EXPECT_EQ(read.meshes[0].triangles, header.meshes[0].triangles);
  ASSERT_EQ(read.deformables.size(), 2u);
  EXPECT_EQ(read.deformables[1].name, "rag");
  EXPECT_EQ(read.deformables[1].triangles, header.deformables[1].triangles);
  EXPECT_THAT(read.deformables[0].nodes, ElementsAre(0, 1, 2));
  EXPECT_EQ(read.deformables[1].nodes, header.deformables[1].nodes);
  EXPECT_TRUE(read.stress);
  ASSERT_EQ(read.rods.size(), 1u);
  EXPECT_EQ(read.rods[0].name, "rope");
  EXPECT_EQ(read.rods[0].segments, 2);
  EXPECT_EQ(read.rods[0].radius, 0.5);
  EXPECT_EQ(read.rods[0].spacing, 0.25);
  EXPECT_EQ(read.num_vertices(), 7);
}

// Version 1 had nothing for replays.
TEST(Recorder, OldFilesAreRead) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "old.h5";
  {
    Recorder recorder(path, MakeTestHeader());
    for (int step = 0; step < 5; ++step) recorder.Append(TestFrame(step).frame);
  }
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  for (const char* name : {"/contacts/friction", "/contacts/tangent", "/contacts/mode", "/links", "/shapes", "/meshes",
                           "/deformables", "/rods"}) {
    ASSERT_GE(H5Ldelete(file, name, H5P_DEFAULT), 0) << name;
  }
  const hid_t version = H5Aopen(file, "version", H5P_DEFAULT);
  const int one = 1;
  ASSERT_GE(H5Awrite(version, H5T_NATIVE_INT, &one), 0);
  H5Aclose(version);
  H5Fclose(file);

  const Recording recording = LoadRecording(path);
  EXPECT_EQ(recording.version, 1);
  ASSERT_EQ(recording.steps(), 5);
  EXPECT_EQ(recording.time[4], TestFrame(4).frame.time);
  EXPECT_EQ(recording.StepContacts(2).size(), TestFrame(2).contacts.size());
  EXPECT_FALSE(recording.header.poses);
  EXPECT_FALSE(recording.header.modes);
  EXPECT_TRUE(recording.header.shapes.empty());
  EXPECT_EQ(recording.poses.cols(), 0);
}

// Version 2 had vertices as plain rows, and neither rods nor stress.
TEST(Recorder, ReadsVersion2) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "old.h5";
  constexpr int kSteps = 150;
  std::vector<float> rows;
  {
    Recorder recorder(path, MakeTestHeader());
    for (int step = 0; step < kSteps; ++step) {
      const TestFrame frame(step);
      recorder.Append(frame.frame);
      rows.insert(rows.end(), frame.vertices.begin(), frame.vertices.end());
    }
  }
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  for (const char* name : {"/rods", "/deformables/packed", "/deformables/node", "/deformables/stressed"}) {
    ASSERT_GE(H5Ldelete(file, name, H5P_DEFAULT), 0) << name;
  }
  const hsize_t extents[2] = {kSteps, 21};
  const hid_t space = H5Screate_simple(2, extents, nullptr);
  const hid_t dataset =
      H5Dcreate2(file, "/deformables/position", H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  ASSERT_GE(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()), 0);
  H5Dclose(dataset);
  H5Sclose(space);
  const hid_t version = H5Aopen(file, "version", H5P_DEFAULT);
  const int two = 2;
  ASSERT_GE(H5Awrite(version, H5T_NATIVE_INT, &two), 0);
  H5Aclose(version);
  H5Fclose(file);

  const Recording recording = LoadRecording(path);
  EXPECT_EQ(recording.version, 2);
  ASSERT_EQ(recording.steps(), kSteps);
  EXPECT_TRUE(recording.header.rods.empty());
  EXPECT_FALSE(recording.header.stress);
  DeformedReader deformed(recording);
  for (int step = 0; step < kSteps; ++step) {
    const DeformedStep read = deformed.Read(step);
    ASSERT_EQ(read.vertices.size(), 21u);
    EXPECT_TRUE(std::equal(read.vertices.begin(), read.vertices.end(), rows.begin() + 21 * step));
    EXPECT_TRUE(read.stress.empty());
  }
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
  RecordHeader header = MakeTestHeader();
  header.shapes[1].link = 2;
  EXPECT_THAT(ErrorOf([&] { Recorder(path, header); }),
              HasSubstr("shape 'box': is on the link 2 (expected: from -1 to 1)"));
  header = MakeTestHeader();
  header.shapes[2].mesh = -1;
  EXPECT_THAT(ErrorOf([&] { Recorder(path, header); }), HasSubstr("shape 'wedge': has the mesh -1"));
  header = MakeTestHeader();
  header.deformables[0].triangles[0][1] = 3;
  EXPECT_THAT(ErrorOf([&] { Recorder(path, header); }), HasSubstr("deformable 'cloth': a triangle has the vertex 3"));
  header = MakeTestHeader();
  header.deformables[1].nodes.pop_back();
  EXPECT_THAT(ErrorOf([&] { Recorder(path, header); }), HasSubstr("deformable 'rag': has 3 numbers of nodes"));
  header = MakeTestHeader();
  header.rods[0].radius = 0;
  EXPECT_THAT(ErrorOf([&] { Recorder(path, header); }), HasSubstr("rod 'rope': has 2 segments"));
  TestFrame short_of_stress(0);
  short_of_stress.frame.stress = short_of_stress.frame.stress.first(3);
  EXPECT_THAT(ErrorOf([&] { recorder.Append(short_of_stress.frame); }), HasSubstr("3 entries of stress (expected: 9)"));
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
