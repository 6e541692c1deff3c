// Tables of grid fields on disk: the same bits again, and nothing that is there can do harm.
#include "tactus/geometry/fields/grid_cache.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/geometry/fields/grid.h"
#include "tactus/geometry/mesh_testing.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class GridCache : public ::testing::Test {
 protected:
  GridCache() {
    static int number = 0;
    folder_ =
        fs::temp_directory_path() / ("tactus-grid-test-" + std::to_string(getpid()) + "-" + std::to_string(number++));
    fs::remove_all(folder_);
  }
  ~GridCache() override {
    std::error_code error;
    fs::permissions(folder_, fs::perms::owner_all, error);
    fs::remove_all(folder_, error);
  }

  FieldPointer Make(GridFieldReport* report) const {
    return MakeGridField(mesh_, {.cells = 16, .folder = folder_.string()}, "mesh.obj", report);
  }
  std::vector<double> Values(const SignedDistanceField& field) const {
    Random random(1);
    std::vector<double> out;
    for (int i = 0; i < 1000; ++i) {
      Vector3 gradient;
      out.push_back(field.Evaluate(MakeRandomPointAround(mesh_, 0.5, &random), &gradient));
      out.insert(out.end(), gradient.data(), gradient.data() + 3);
    }
    return out;
  }

  fs::path folder_;
  TriangleMesh mesh_ = MakeLMesh(0.3, 0.4);
};

TEST_F(GridCache, GivesTheSameBits) {
  GridFieldReport first, second, none;
  const FieldPointer baked = Make(&first), read = Make(&second);
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(first.warning + second.warning, "");
  EXPECT_TRUE(fs::exists(first.file));
  EXPECT_EQ(Values(*baked), Values(*read));
  const FieldPointer uncached = MakeGridField(mesh_, {.cells = 16, .cached = false}, "", &none);
  EXPECT_EQ(none.file, "");
  EXPECT_EQ(Values(*baked), Values(*uncached));
  // Other meshes and settings have files of their own; the surface's edges are not in the table.
  MakeGridField(mesh_, {.cells = 17, .folder = folder_.string()}, "", &second);
  EXPECT_FALSE(second.from_cache);
  mesh_.vertices[0][0] += 1e-15;
  Make(&second);
  EXPECT_FALSE(second.from_cache);
  MakeGridField(mesh_, {.cells = 16, .edge = 0.01, .folder = folder_.string()}, "", &second);
  EXPECT_TRUE(second.from_cache);
}

TEST_F(GridCache, DamagedFilesAreNoticed) {
  GridFieldReport report;
  const std::vector<double> values = Values(*Make(&report));
  std::string good;
  {
    std::ifstream in(report.file, std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto flipped = [&](std::size_t at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    return bytes;
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "cut off"},
      {good.substr(0, 50), "cut off"},
      {good.substr(0, good.size() / 2), "size is wrong"},
      {good.substr(0, good.size() - 1), "size is wrong"},
      {good + "x", "size is wrong"},
      {std::string(good.size(), '\0'), "no table of a grid field"},
      {"solid mesh.stl\n" + good, "no table of a grid field"},
      {flipped(0), "no table of a grid field"},
      {flipped(8), "byte order"},
      {flipped(12), "format version"},
      {flipped(16), "another mesh"},
      {flipped(33), "its grid is another one"},
      {flipped(48), "its grid is another one"},
      {flipped(85), "checksum"},
      {flipped(good.size() / 2), "checksum"},
      {flipped(good.size() - 1), "checksum"},
  };
  for (const auto& [bytes, why] : cases) {
    SCOPED_TRACE(why);
    std::ofstream(report.file, std::ios::binary | std::ios::trunc) << bytes;
    GridFieldReport again;
    EXPECT_EQ(Values(*Make(&again)), values);
    EXPECT_FALSE(again.from_cache);
    EXPECT_THAT(again.warning, HasSubstr("mesh.obj: " + report.file + " is made anew"));
    EXPECT_THAT(again.warning, HasSubstr(why));
    Make(&again);
    EXPECT_TRUE(again.from_cache);
    EXPECT_EQ(again.warning, "");
  }
}

TEST_F(GridCache, FoldersThatCannotBeUsedAreWarnings) {
  GridFieldReport report;
  // A file where the folder should be, also for those who may write everywhere.
  std::ofstream(folder_.string()) << "not a folder";
  EXPECT_NO_THROW(Make(&report));
  EXPECT_THAT(report.warning, HasSubstr("is not kept in " + folder_.string()));
  fs::remove(folder_);
  // A folder where the file should be.
  MakeGridField(mesh_, {.cells = 16, .folder = folder_.string()}, "", &report);
  fs::remove(report.file);
  fs::create_directories(report.file + "/full");
  EXPECT_NO_THROW(Make(&report));
  EXPECT_FALSE(report.from_cache);
  EXPECT_THAT(report.warning, HasSubstr("is not a file"));
  EXPECT_THAT(report.warning, HasSubstr("is not kept in"));
  // Nothing is left behind.
  for (const auto& entry : fs::directory_iterator(folder_)) EXPECT_NE(entry.path().extension(), ".tmp");
}

TEST_F(GridCache, EnvironmentSaysWhere) {
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string old = before != nullptr ? before : "";
  setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  GridFieldReport report;
  MakeGridField(mesh_, {.cells = 8}, "", &report);
  EXPECT_EQ(fs::path(report.file).parent_path(), folder_ / "tactus");
  EXPECT_TRUE(fs::exists(report.file));
  if (before != nullptr) {
    setenv("XDG_CACHE_HOME", old.c_str(), 1);
  } else {
    unsetenv("XDG_CACHE_HOME");
  }
}

TEST_F(GridCache, ManyMayBakeAtOnce) {
  const std::vector<double> values = Values(*MakeGridField(mesh_, {.cells = 16, .cached = false}, ""));
  std::vector<std::thread> threads;
  std::vector<char> same(8, 0);
  std::vector<std::string> warnings(8);
  for (std::size_t i = 0; i < same.size(); ++i) {
    threads.emplace_back([&, i] {
      bool all = true;
      for (int k = 0; k < 3; ++k) {
        GridFieldReport report;
        all = Values(*Make(&report)) == values && all;
        warnings[i] += report.warning;
      }
      same[i] = all ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < same.size(); ++i) {
    EXPECT_EQ(same[i], 1);
    EXPECT_EQ(warnings[i], "");
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace tactus
