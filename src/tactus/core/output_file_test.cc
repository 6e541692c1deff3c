#include "tactus/core/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/error.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("tactus_output_" + std::to_string(getpid()) + "_" +
                                        testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  std::string Path(const std::string& name) const { return (dir_ / name).string(); }
  void Write(const std::string& name, const std::string& text) const {
    OutputFile file(Path(name));
    file.Write(text);
    file.Commit();
  }
  std::string Read(const std::string& name) const {
    std::ifstream in(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  std::string ErrorOf(const std::string& name) const {
    try {
      Write(name, "new");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  int CountFiles() const { return static_cast<int>(std::distance(fs::directory_iterator(dir_), {})); }

  fs::path dir_;
};

TEST_F(OutputFileTest, IsThereAsAWholeOrNotAtAll) {
  Write("a", "old");
  {
    OutputFile file(Path("a"));
    file.Write("half");
    EXPECT_EQ(CountFiles(), 2);
  }
  EXPECT_EQ(Read("a"), "old");
  EXPECT_EQ(CountFiles(), 1) << "a temporary file is left";
  Write("a", "new");
  EXPECT_EQ(Read("a"), "new");
}

TEST_F(OutputFileTest, LinksAreFollowed) {
  fs::create_directory(Path("folder"));
  fs::create_symlink("folder/target", Path("link"));
  fs::create_symlink(Path("link"), Path("link_to_link"));
  Write("link_to_link", "first");  // the target is not there yet
  EXPECT_EQ(Read("folder/target"), "first");
  Write("link", "second");
  EXPECT_EQ(Read("folder/target"), "second");
  EXPECT_TRUE(fs::is_symlink(Path("link")) && fs::is_symlink(Path("link_to_link")));
  fs::create_symlink("loop", Path("loop"));
  EXPECT_THAT(ErrorOf("loop"), HasSubstr("loop: cannot be written: Too many levels"));
}

TEST_F(OutputFileTest, OnlyFilesAreReplaced) {
  fs::create_directory(Path("folder"));
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", Path("link"));
  for (const char* name : {"folder", "pipe", "link"}) {
    EXPECT_THAT(ErrorOf(name), HasSubstr("is a folder, a device or a pipe")) << name;
  }
  EXPECT_TRUE(fs::is_directory(Path("folder")) && fs::is_fifo(Path("pipe")));
  EXPECT_THAT(ErrorOf("nowhere/a"), HasSubstr("cannot be written: No such file"));
  EXPECT_EQ(CountFiles(), 3);
}

TEST_F(OutputFileTest, FilesWithoutPermissionAreKept) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everything";
  Write("a", "old");
  fs::permissions(Path("a"), fs::perms::owner_read);
  EXPECT_THAT(ErrorOf("a"), HasSubstr("Permission denied"));
  EXPECT_EQ(Read("a"), "old");
}

}  // namespace
}  // namespace tactus
