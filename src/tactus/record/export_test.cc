#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/io/temporary_folder_testing.h"
#include "tactus/record/npz_writer.h"
#include "tactus/record/record_testing.h"

namespace tactus {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string ReadText(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

Recording MakeRecording(const TemporaryFolder& folder) {
  const std::string path = folder.path() / "run.h5";
  {
    Recorder recorder(path, MakeTestHeader());
    for (int step = 0; step < 4; ++step) recorder.Append(TestFrame(step).frame);
  }
  return LoadRecording(path);
}

TEST(Export, Csv) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "run.csv";
  const Recording recording = MakeRecording(folder);
  WriteCsv(recording, path);
  const std::string text = ReadText(path);
  EXPECT_THAT(text, StartsWith("time,q:x,\"q:y,z\",\"q:qw \"\"real\"\"\",q:qx,v:vx,v:vy,v:w,status,iterations,residual,"
                               "contacts\n0.01,"));
  EXPECT_THAT(text, HasSubstr(",Inaccurate,1,1e-09,2\n"));
  WriteContactsCsv(recording, path);
  EXPECT_THAT(ReadText(path), HasSubstr("\n1,0.02,foot,box,0.02,1,-0.02,0,0,1,-1e-05,1,0.5,3\n"));
  WriteDeformablesCsv(recording, path);
  const std::string lines = ReadText(path);
  EXPECT_THAT(lines, StartsWith("step,time,body,node,x,y,z,qw,qx,qy,qz,stress\n0,0.01,cloth,0,"));
  EXPECT_THAT(lines, HasSubstr("\n2,0.03,rag,7,"));
  EXPECT_THAT(lines, HasSubstr(",,,,,6002\n2,0.03,rope,0,0,0,1,"));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1 + 4 * (7 + 2));
  EXPECT_THAT(ErrorOf([&] { WriteDeformablesCsv({}, path); }), HasSubstr("no deformables"));
  EXPECT_THAT(ErrorOf([&] { WriteCsv(recording, "/nowhere/run.csv"); }), HasSubstr("cannot be written"));
}

TEST(Export, CheckSums) {
  EXPECT_EQ(CalcCrc32("123456789", 9), 0xcbf43926u);
  EXPECT_EQ(CalcCrc32("6789", 4, CalcCrc32("12345", 5)), 0xcbf43926u);
}

TEST(Export, NpzIsAZipOfArrays) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "run.npz";
  WriteNpz(MakeRecording(folder), path);
  const std::string bytes = ReadText(path);
  EXPECT_THAT(bytes, StartsWith("PK\x03\x04"));
  EXPECT_THAT(bytes, HasSubstr("{'descr': '<f8', 'fortran_order': False, 'shape': (4, 4), }"));
  EXPECT_THAT(bytes, HasSubstr("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }"));
  EXPECT_THAT(ErrorOf([&] { NpzWriter("/nowhere/run.npz"); }), HasSubstr("cannot be written"));
}

// As numpy reads it, where there is one.
TEST(Export, NumpyReadsNpz) {
  if (std::system("python3 -c 'import numpy' 2>/dev/null") != 0) GTEST_SKIP() << "no python3 with numpy";
  const TemporaryFolder folder;
  WriteNpz(MakeRecording(folder), folder.path() / "run.npz");
  const std::string script = folder.Write("check.py", R"(
import sys, zipfile, numpy as np
assert zipfile.ZipFile(sys.argv[1]).testzip() is None
r = np.load(sys.argv[1])
assert r["time"].tolist() == [0.01, 0.02, 0.03, 0.04], r["time"]
assert r["q"].shape == (4, 4) and r["v"].shape == (4, 3) and r["step_stages"].shape == (4, 2)
assert r["q"][2, 1] == np.sin(0.03 + 1), r["q"]
assert r["contacts_start"].tolist() == [0, 0, 2, 6, 7]
assert r["contacts_objects"].shape == (7, 2) and r["contacts_objects"][1].tolist() == [1, 2]
assert r["contacts_impulse"][1].tolist() == [1, 0.5, 3]
assert r["deformables_position"].shape == (4, 7, 3) and r["deformables_position"].dtype == np.float32
assert r["deformables_position"][2, 1, 0] == np.float32(0.25 * np.sin(3 + 0.03)), r["deformables_position"]
assert r["deformables_stress"][3].tolist() == [1000 * k + 3 for k in range(7)]
assert r["deformables_vertex_start"].tolist() == [0, 3, 7] and r["deformables_node"].tolist() == [0, 1, 2, 2, 3, 5, 7]
assert r["deformables_triangles"].shape == (3, 3) and r["deformables_triangle_start"].tolist() == [0, 1, 3]
assert r["rods_pose"].shape == (4, 2, 7) and r["rods_stress"][3].tolist() == [7003, 8003]
assert r["rods_name"].tolist() == [b"rope"]
assert r["names_q"][1] == b"y,z" and r["names_objects"].tolist() == [b"ground", b"foot", b"box"]
)");
  EXPECT_EQ(std::system(fmt::format("python3 {} {}", script, (folder.path() / "run.npz").string()).c_str()), 0);
}

}  // namespace
}  // namespace tactus
