#include "tactus/io/data_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/error.h"

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

}  // namespace
}  // namespace tactus
