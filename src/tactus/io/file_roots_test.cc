#include "tactus/io/file_roots.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/io/temporary_folder_testing.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// <folder>/ws/arm/{urdf, meshes/a.stl}, <folder>/secret.stl
struct Workspace {
  TemporaryFolder folder;
  fs::path mesh = folder.Write("ws/arm/meshes/a.stl", "mesh");
  fs::path secret = folder.Write("secret.stl", "secret");
  fs::path urdf_folder = folder.Write("ws/arm/urdf/arm.urdf", "").parent_path();
  FileRoots roots = FileRoots({{(folder.path() / "ws").string()}, false, 1000});
};

TEST(FileRoots, FindsPackagesInEverySpelling) {
  const Workspace w;
  for (const char* reference :
       {"package://arm/meshes/a.stl", "package:/arm/meshes/a.stl", "package:///arm//meshes/a.stl",
        "PACKAGE://arm/meshes/a.stl", "model://arm/meshes/a.stl", "package://arm/urdf/../meshes/a.stl",
        "../meshes/a.stl", "..\\meshes\\a.stl", "arm/meshes/a.stl", "file:///opt/ros/noetic/share/arm/meshes/a.stl",
        "/opt/ros/share/arm/meshes/a.stl"}) {
    const FileLookup found = w.roots.Find(reference, w.urdf_folder);
    EXPECT_EQ(found.status, FileStatus::Found) << reference << " " << found.reason;
    EXPECT_EQ(found.path, w.mesh) << reference;
  }
  for (const std::string& reference : {w.mesh.string(), "file://" + w.mesh.string(), "file:" + w.mesh.string()}) {
    EXPECT_EQ(w.roots.Find(reference, w.urdf_folder).status, FileStatus::Found) << reference;
  }
}

TEST(FileRoots, TakesARootThatIsThePackageAndFoldersAboveTheFile) {
  const Workspace w;
  const FileRoots package({{(w.folder.path() / "ws/arm").string()}, false, 1000});
  EXPECT_EQ(package.Find("package://arm/meshes/a.stl", "").status, FileStatus::Found);
  const FileRoots top({{w.folder.path().string()}, false, 1000});
  EXPECT_EQ(top.Find("package://arm/meshes/a.stl", w.urdf_folder).status, FileStatus::Found);
  EXPECT_EQ(top.Find("package://arm/meshes/a.stl", "").status, FileStatus::Missing);
}

TEST(FileRoots, RefusesWhatLiesOutside) {
  const Workspace w;
  fs::create_symlink(w.secret, w.folder.path() / "ws/link.stl");
  for (const std::string& reference :
       {std::string("../../../secret.stl"), std::string("package://arm/../../secret.stl"), w.secret.string(),
        "file://" + w.secret.string(), std::string("link.stl"), std::string("../../../../../../../etc/passwd"),
        std::string("/etc/passwd")}) {
    const FileLookup found = w.roots.Find(reference, w.urdf_folder);
    EXPECT_NE(found.status, FileStatus::Found) << reference;
    EXPECT_TRUE(found.path.empty());
    EXPECT_FALSE(found.reason.empty()) << reference;
  }
  EXPECT_EQ(w.roots.Find(w.secret.string(), "").status, FileStatus::Refused);
  EXPECT_EQ(w.roots.Find("package://../secret.stl", "").status, FileStatus::Missing);
  FileSettings free = w.roots.settings();
  free.allow_absolute = true;
  EXPECT_EQ(FileRoots(free).Find(w.secret.string(), "").status, FileStatus::Found);
  EXPECT_NE(FileRoots(free).Find("../../../secret.stl", w.urdf_folder).status, FileStatus::Found);
}

TEST(FileRoots, SaysWhereItLooked) {
  const Workspace w;
  EXPECT_THAT(w.roots.Find("package://arm/b.stl", "").reason, HasSubstr((w.folder.path() / "ws/arm/b.stl").string()));
  EXPECT_THAT(w.roots.Find("https://host/b.stl", "").reason, HasSubstr("https"));
  EXPECT_EQ(w.roots.Find("", "").status, FileStatus::Missing);
  EXPECT_THAT(ErrorOf([] { FileRoots({{"/no/such/folder"}, false, 1}); }), HasSubstr("/no/such/folder: is no folder"));
}

TEST(FileRoots, ReadsFilesOfLimitedSizeOnly) {
  const Workspace w;
  EXPECT_EQ(w.roots.Read(w.mesh), "mesh");
  const fs::path large = w.folder.Write("ws/large", std::string(1001, 'x'));
  EXPECT_THAT(ErrorOf([&] { w.roots.Read(large); }), HasSubstr("1001 bytes (expected: at most 1000)"));
  EXPECT_THAT(ErrorOf([&] { w.roots.Read(w.folder.path()); }), HasSubstr("no regular file"));
  EXPECT_THAT(ErrorOf([&] { w.roots.Read(w.folder.path() / "none"); }), HasSubstr("no such file"));
  // A pipe would wait for ever.
  const fs::path pipe = w.folder.path() / "ws/pipe.stl";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(w.roots.Find("pipe.stl", "").status, FileStatus::Refused);
  EXPECT_THAT(ErrorOf([&] { w.roots.Read(pipe); }), HasSubstr("no regular file"));
}

}  // namespace
}  // namespace tactus
