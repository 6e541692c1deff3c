// Replays and pictures as people ask for them. What a browser makes of a page is tested in viewer/test.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/cli_testing.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ReplayCli : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    const fs::path share = fs::path(TACTUS_CLI_PROGRAM).parent_path().parent_path() / "share" / "tactus";
    if (!fs::exists(share / "viewer" / "replay.js")) GTEST_SKIP() << "replays were left out of this build";
  }
  std::string ReadText(const std::string& file) const {
    std::ifstream in(dir_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
};

TEST_F(ReplayCli, RunsAndRecordingsBecomePages) {
  const CommandResult run = Run("run cube_on_table --steps 40 --html run.html --record run.h5 2>&1");
  EXPECT_EQ(run.code, 0) << run.out;
  EXPECT_THAT(run.out, HasSubstr("run.html: 11 frames"));
  const CommandResult replay = Run("replay run.h5 --html replay.html 2>&1");
  EXPECT_EQ(replay.code, 0) << replay.out;
  EXPECT_THAT(replay.out, HasSubstr("replay.html: 11 frames"));
  for (const char* page : {"run.html", "replay.html"}) {
    const std::string text = ReadText(page);
    EXPECT_THAT(text, HasSubstr("<title>cube on a table</title>")) << page;
    EXPECT_THAT(text, HasSubstr("\"links\":[\"ground\",\"table\",\"cube\"]")) << page;
    EXPECT_GT(text.size(), 400000u) << "the viewer is not in " << page;
  }
}

TEST_F(ReplayCli, FieldsAreTriangles) {
  ASSERT_EQ(RunQuietly("run dish_pile --steps 2 --html dishes.html").code, 0);
  const std::string text = ReadText("dishes.html");
  EXPECT_THAT(text, HasSubstr("\"mesh_2_vertices\""));
  EXPECT_EQ(text.find("\"mesh_3_vertices\""), std::string::npos) << "two bowls of the same form share their triangles";
}

// A mat of 4 x 4 cells has 50 nodes, all of them on its surface.
TEST_F(ReplayCli, DeformablesAreRecordedShownAndExported) {
  const CommandResult run =
      Run("run soft-mat-drop --set cells=4 --steps 30 --html run.html --record run.h5 --look-at mat 2>&1");
  ASSERT_EQ(run.code, 0) << run.out;
  ASSERT_EQ(RunQuietly("replay run.h5 --html replay.html --plain").code, 0);
  for (const char* page : {"run.html", "replay.html"}) {
    const std::string text = ReadText(page);
    EXPECT_THAT(text, HasSubstr("\"deformables\":[{\"first\":0,\"name\":\"mat\",\"vertices\":50}]")) << page;
    EXPECT_THAT(text, HasSubstr(page == std::string("run.html") ? "\"plain\":false" : "\"plain\":true")) << page;
    EXPECT_THAT(text, HasSubstr("\"solids\":{\"high\":")) << page;
  }
  ASSERT_EQ(RunQuietly("export run.h5 nodes.csv --deformables").code, 0);
  std::istringstream lines(ReadText("nodes.csv"));
  std::string line, last;
  int count = 0;
  for (; std::getline(lines, line); ++count) last = line;
  EXPECT_EQ(count, 1 + 30 * 50);
  EXPECT_THAT(last, HasSubstr("29,0.3,mat,49,"));
  EXPECT_NE(last.back(), ',') << "without its stress";
  ASSERT_EQ(RunQuietly("export run.h5 run.npz").code, 0);
  EXPECT_THAT(ReadText("run.npz"), HasSubstr("'shape': (30, 50, 3)"));
}

TEST_F(ReplayCli, RodsAreRecordedShownAndExported) {
  ASSERT_EQ(RunQuietly("run cable-winding --set links=8 --steps 10 --html run.html --record run.h5").code, 0);
  EXPECT_THAT(ReadText("run.html"), HasSubstr("\"rods\":[{\"first\":0,\"name\":\"cable\",\"points\":10,"));
  ASSERT_EQ(RunQuietly("export run.h5 run.npz").code, 0);
  EXPECT_THAT(ReadText("run.npz"), HasSubstr("'shape': (10, 8, 7)"));
}

TEST_F(ReplayCli, BadUseIsExitCodeTwo) {
  ASSERT_EQ(RunQuietly("run cube_on_table --steps 40 --record run.h5").code, 0);
  ASSERT_EQ(RunQuietly("generate wedge --feasible 1 --out problem.h5").code, 0);
  std::ofstream(dir_ / "text.h5") << "no recording";
  const struct {
    const char *arguments, *error;
  } cases[] = {
      {"replay", "recording is required"},
      {"replay run.h5", "neither a page nor a picture is asked for"},
      {"replay missing.h5 --html out.html", "missing.h5"},
      {"replay text.h5 --html out.html", "is not an HDF5 file"},
      {"replay problem.h5 --html out.html", "is no recording"},
      {"replay run.h5 --html run.h5", "is that of the recording too"},
      {"replay run.h5 --html out.html --time 1", "1 s is not within the run (expected: from 0 to 0.166667 s)"},
      {"replay run.h5 --html out.html --time -1", "-1 s is not within the run"},
      {"replay run.h5 --html out.html --camera up", "'up' is not understood"},
      {"replay run.h5 --html out.html --camera 1,2,3,4", "'1,2,3,4' is not understood"},
      {"replay run.h5 --html out.html --camera 0,95", "elevation is 95"},
      {"replay run.h5 --html out.html --size 10x10", "'10x10' is not understood"},
      {"replay run.h5 --html /nowhere/out.html", "cannot be written"},
      {"replay run.h5 --html out.html --look-at mat", "there is no link 'mat' to look at"},
      {"export run.h5 out.csv --deformables", "there are no deformables in the recording"},
      {"export run.h5 out.npz --deformables", "there is only one kind of .npz"},
      {"export run.h5 out.csv --deformables --contacts", "excludes"},
      {"run cube_on_table --steps 1 --plain", "no page or picture"},
      {"run cube_on_table --steps 40 --html out.html --time 1", "is not within the run"},
      {"run cube_on_table --steps 0 --html out.html", "no steps to show"},
      {"run cube_on_table --steps 1 --time 0", "no page or picture"},
      {"run cube_on_table --steps 1 --html out.html --record out.html", "is that of --record too"},
  };
  for (const auto& c : cases) {
    const CommandResult r = Run(std::string(c.arguments) + " 2>&1");
    EXPECT_EQ(r.code, 2) << c.arguments;
    EXPECT_THAT(r.out, HasSubstr(c.error)) << c.arguments;
  }
  EXPECT_FALSE(fs::exists(dir_ / "out.html"));
}

TEST_F(ReplayCli, WhatIsMissingIsSaidBeforeTheRun) {
  const CommandResult picture = Run("run cube_on_table --steps 1000000 --png out.png 2>&1", "PATH=/nowhere");
  EXPECT_EQ(picture.code, 2);
  EXPECT_THAT(picture.out, HasSubstr("there is no Chromium on the PATH"));
  // Data without the viewer's program, and without its folder; nor is there one beside a copy of the program.
  fs::create_directories(dir_ / "bin");
  program_ = dir_ / "bin" / "tactus";
  fs::copy_file(TACTUS_CLI_PROGRAM, program_);
  fs::create_directories(dir_ / "data" / "viewer");
  fs::create_directory_symlink(fs::path(TACTUS_PROJECT_DIR) / "scenes", dir_ / "data" / "scenes");
  for (int round = 0; round < 2; ++round) {
    const CommandResult page = Run("run cube_on_table --steps 1000000 --html out.html 2>&1", "TACTUS_DATA=data");
    EXPECT_EQ(page.code, 2);
    EXPECT_THAT(page.out,
                HasSubstr("the viewer is not there: folder 'viewer' with 'replay.js': is not at data/viewer"));
    EXPECT_THAT(page.out, HasSubstr("apt-get install nodejs npm"));
    fs::remove(dir_ / "data" / "viewer");
  }
}

// The source tree has a folder of that name, too, without what is built from it.
TEST_F(ReplayCli, TheViewerIsFoundFromTheSourceTree) {
  const fs::path tree = dir_ / "tree", share = fs::path(TACTUS_CLI_PROGRAM).parent_path().parent_path() / "share";
  fs::create_directories(tree / "viewer");
  fs::create_directories(tree / "build");
  fs::create_directory_symlink(fs::path(TACTUS_PROJECT_DIR) / "scenes", tree / "scenes");
  const std::string run = "run cube_on_table --steps 2 --html out.html 2>&1";
  const CommandResult beside = Run(run, "TACTUS_DATA=tree");
  EXPECT_EQ(beside.code, 0) << beside.out;
  fs::create_directory_symlink(share, tree / "build" / "share");
  program_ = dir_ / "tactus";
  fs::copy_file(TACTUS_CLI_PROGRAM, program_);
  const CommandResult built = Run(run, "TACTUS_DATA=tree");
  EXPECT_EQ(built.code, 0) << built.out;
}

TEST_F(ReplayCli, PicturesAreDrawn) {
  if (std::system("command -v chromium google-chrome chromium-browser >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "there is no Chromium on the PATH";
  }
  const CommandResult r = Run("run cube_on_table --steps 40 --png out.png --time 0.1 --contacts --size 320x200 2>&1");
  EXPECT_EQ(r.code, 0) << r.out;
  const std::string png = ReadText("out.png");
  ASSERT_GT(png.size(), 5000u) << "an empty picture";
  EXPECT_EQ(png.substr(1, 3), "PNG");
  const auto big_endian = [&png](std::size_t at) {
    return static_cast<unsigned char>(png[at]) * 256 + static_cast<unsigned char>(png[at + 1]);
  };
  EXPECT_EQ(big_endian(18), 320);
  EXPECT_EQ(big_endian(22), 200);
}

}  // namespace
}  // namespace tactus
