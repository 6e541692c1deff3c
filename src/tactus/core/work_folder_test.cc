#include "tactus/core/work_folder.h"

#include <fstream>

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(WorkFolder, GoesWithItsFiles) {
  std::filesystem::path path;
  {
    const WorkFolder folder("test"), other("test");
    path = folder.path();
    EXPECT_NE(path, other.path());
    std::ofstream(folder.file("a.txt")) << "a";
    EXPECT_TRUE(std::filesystem::exists(path / "a.txt"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace tactus
