#include "tactus/io/data_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/io/temporary_folder_testing.h"

namespace tactus {
namespace {

TEST(DataFolder, IsWhereItWasSet) {
  SetDataFolder(TACTUS_PROJECT_DIR);
  EXPECT_EQ(FindDataFolder("models"), std::filesystem::path(TACTUS_PROJECT_DIR) / "models");
  SetDataFolder("/no/such/folder");
  try {
    FindDataFolder("models");
    ADD_FAILURE() << "found";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("/no/such/folder/models"));
  }
  SetDataFolder("");
  EXPECT_TRUE(std::filesystem::is_directory(FindDataFolder("models")));
}

// A source tree has the folder, and what is built from it elsewhere.
TEST(DataFolder, IsWhereItsFileIs) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const fs::path tree = folder.path();
  const fs::path built = tree / "build" / "share" / "tactus" / "viewer";
  folder.Write("viewer/source.js", "1");
  SetDataFolder(tree);
  EXPECT_EQ(FindDataFolder("viewer"), tree / "viewer");
  EXPECT_THROW(FindDataFolder("viewer", "no_such_file.js"), InputError);
  folder.Write("build/share/tactus/viewer/of_this_test.js", "1");
  EXPECT_EQ(FindDataFolder("viewer", "of_this_test.js"), built);
  folder.Write("viewer/of_this_test.js", "1");
  EXPECT_EQ(FindDataFolder("viewer", "of_this_test.js"), tree / "viewer");
  SetDataFolder("");
}

}  // namespace
}  // namespace tactus
