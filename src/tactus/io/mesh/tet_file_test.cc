#include "tactus/io/mesh/tet_file.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/random.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/io/mesh/gmsh_program.h"
#include "tactus/io/temporary_folder_testing.h"

namespace tactus {
namespace {

using testing::HasSubstr;

// Two tetrahedra on one face, a surface triangle, and a node (9) that nothing but a point uses.
const char* const kMsh2 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
3 1 "body"
$EndPhysicalNames
$Nodes
6
1 0 0 0
9 5 5 5
2 1 0 0
3 0 1 0
4 0 0 1
7 1 1 1.5e0
$EndNodes
$Elements
4
1 15 2 0 1 9
2 2 2 0 1 1 3 2
3 4 2 1 1 1 2 3 4
4 4 2 1 1 2 3 4 7
$EndElements
)";

const char* const kMsh4 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$Entities
1 0 0 1
1 0 0 0 0
1 0 0 0 1 1 1 0 0
$EndEntities
$Nodes
2 6 1 9
0 1 0 1
9
5 5 5
3 1 0 5
1
2
3
4
7
0 0 0
1 0 0
0 1 0
0 0 1
1 1 1.5
$EndNodes
$Elements
3 4 1 4
0 1 15 1
1 9
2 1 2 1
2 1 3 2
3 1 4 2
3 1 2 3 4
4 2 3 4 7
$EndElements
)";

const char* const kVtk = R"(# vtk DataFile Version 3.0
two tetrahedra
ASCII
DATASET UNSTRUCTURED_GRID
FIELD FieldData 1
TIME 1 1 double
0.5
POINTS 6 double
0 0 0 5 5 5
1 0 0
0 1 0 0 0 1 1 1 1.5
CELLS 4 16
1 1
3 0 3 2
4 0 2 3 4
4 2 3 4 5
CELL_TYPES 4
1 5 10
10
POINT_DATA 6
)";

const char* const kVtk5 = R"(# vtk DataFile Version 5.1
two tetrahedra
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 6 float
0 0 0 5 5 5 1 0 0 0 1 0 0 0 1 1 1 1.5
METADATA
INFORMATION 0

CELLS 5 12
OFFSETS vtktypeint64
0 1 4 8 12
CONNECTIVITY vtktypeint64
1 0 3 2 0 2 3 4 2 3 4 5

CELL_TYPES 4
1 5 10 10
)";

TetMesh Parse(const std::string& text, const std::string& file) {
  return file == "f.msh" ? ParseMsh(text, file) : ParseVtk(text, file);
}

TEST(TetFile, AllFormatsGiveTheSameMesh) {
  for (const auto& [text, file] :
       {std::pair(kMsh2, "f.msh"), std::pair(kMsh4, "f.msh"), std::pair(kVtk, "f.vtk"), std::pair(kVtk5, "f.vtk")}) {
    const TetMesh mesh = Parse(text, file);
    CheckTetMesh(mesh, file);
    ASSERT_EQ(mesh.nodes.size(), 5u);
    EXPECT_EQ(mesh.nodes[4], Vector3(1, 1, 1.5));
    ASSERT_EQ(mesh.tets.size(), 2u);
    EXPECT_EQ(mesh.tets[0], (std::array<int, 4>{0, 1, 2, 3}));
    EXPECT_EQ(mesh.tets[1], (std::array<int, 4>{1, 2, 3, 4}));
  }
}

// `from` in a good file replaced by `to`.
std::string ErrorWith(std::string text, const std::string& file, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return ErrorOf([&] { Parse(text, file); });
}

TEST(TetFile, MshErrorsNameTheLine) {
  const auto two = [](const std::string& from, const std::string& to) { return ErrorWith(kMsh2, "f.msh", from, to); };
  EXPECT_THAT(two("2.2 0 8", "2.2 1 8"), HasSubstr("f.msh:2: the file is binary"));
  EXPECT_THAT(two("2.2 0 8", "4.0 0 8"), HasSubstr("f.msh:2: version '4.0' (expected: 2.2 or 4.1"));
  EXPECT_THAT(two("2 1 0 0", "2 1 nan 0"), HasSubstr("f.msh:12: 'nan' is no finite number"));
  EXPECT_THAT(two("7 1 1 1.5e0", "4 1 1 1.5e0"), HasSubstr("node 4 is there twice"));
  EXPECT_THAT(two("2 3 4 7", "2 3 4 8"), HasSubstr("f.msh:22: there is no node 8"));
  EXPECT_THAT(two("3 4 2 1 1 1 2 3 4", "3 11 2 1 1 1 2 3 4"), HasSubstr("f.msh:21: a volume element of type 11"));
  EXPECT_THAT(two("1 2 3 4\n", "1 2 3\n"), HasSubstr("f.msh:21: the line ends too early"));
  EXPECT_THAT(two("1 2 3 4\n", "1 2 3 4 5\n"), HasSubstr("f.msh:21: too many numbers"));
  EXPECT_THAT(two("6\n1 0", "7\n1 0"), HasSubstr("f.msh:16: '$EndNodes' is no whole number"));
  EXPECT_THAT(two("$MeshFormat", "$Nothing"), HasSubstr("before '$MeshFormat'"));
  EXPECT_THAT(ErrorOf([] { ParseMsh("", "f.msh"); }), HasSubstr("no tetrahedra"));
  EXPECT_THAT(ErrorWith(kMsh4, "f.msh", "3 1 4 2", "3 1 5 2"), HasSubstr("f.msh:32: a volume element of type 5"));
  EXPECT_THAT(ErrorWith(kMsh4, "f.msh", "3 1 0 5", "3 1 0 -5"), HasSubstr("f.msh:14: a count of -5"));
  EXPECT_THAT(ErrorWith(kMsh4, "f.msh", "3 1 0 5", "3 1 0 99999999999999"), HasSubstr("f.msh:25: '$EndNodes'"));
}

TEST(TetFile, VtkErrorsNameTheLine) {
  const auto vtk = [](const std::string& from, const std::string& to) { return ErrorWith(kVtk, "f.vtk", from, to); };
  EXPECT_THAT(vtk("ASCII", "BINARY"), HasSubstr("f.vtk:3: the file is binary"));
  EXPECT_THAT(vtk("# vtk", "# vtx"), HasSubstr("no legacy VTK file"));
  EXPECT_THAT(vtk("UNSTRUCTURED_GRID", "POLYDATA"), HasSubstr("DATASET UNSTRUCTURED_GRID"));
  EXPECT_THAT(vtk("4 0 2 3 4", "4 0 2 3 6"), HasSubstr("f.vtk:15: there is no node 6"));
  EXPECT_THAT(vtk("10\n10", "10\n12"), HasSubstr("f.vtk:19: a cell of type 12"));
  EXPECT_THAT(vtk("CELL_TYPES 4\n1", "CELL_TYPES 3\n"), HasSubstr("4 cells and 3 types"));
  EXPECT_THAT(vtk("3 0 3 2", "4 0 3 2"), HasSubstr("f.vtk:"));
  EXPECT_THAT(ErrorWith(kVtk5, "f.vtk", "0 1 4 8 12", "0 1 4 2 12"), HasSubstr("f.vtk:12: an offset of 2"));
  EXPECT_THAT(ErrorWith(kVtk5, "f.vtk", "0 1 4 8 12", "0 1 4 8 13"), HasSubstr("an offset of 13"));
}

TEST(TetFile, FilesThatAreCutOffSaySo) {
  const auto cut = [](const std::string& text, const std::string& file, const std::string& after) {
    return ErrorOf([&] { Parse(text.substr(0, text.find(after) + after.size()), file); });
  };
  EXPECT_THAT(cut(kMsh2, "f.msh", "\n2 1 0"), HasSubstr("f.msh:12: the file ends too early"));
  EXPECT_THAT(cut(kMsh2, "f.msh", "1 1 1.5e"), HasSubstr("f.msh:15: the file ends at '1.5e'"));
  EXPECT_THAT(cut(kMsh4, "f.msh", "3 1 2 3"), HasSubstr("the file ends too early"));
  EXPECT_THAT(cut(kVtk, "f.vtk", "0 1 0 0 0"), HasSubstr("the file ends too early"));
  EXPECT_THAT(cut(kVtk, "f.vtk", "4 0 2"), HasSubstr("the file ends too early"));
}

// What fuzzing does at length: every prefix, and bytes changed at random.
TEST(TetFile, AnyBytesAreAMeshOrAnError) {
  Random random(1);
  const auto attempt = [](const std::string& bytes) {
    for (const char* file : {"f.msh", "f.vtk"}) {
      try {
        const TetMesh mesh = Parse(bytes, file);
        for (const auto& tet : mesh.tets) {
          for (const int i : tet) ASSERT_LT(static_cast<std::size_t>(i), mesh.nodes.size());
        }
        for (const Vector3& x : mesh.nodes) ASSERT_TRUE(x.allFinite());
      } catch (const InputError&) {
        // The other answer.
      }
    }
  };
  for (const std::string seed : {kMsh2, kMsh4, kVtk, kVtk5}) {
    for (std::size_t size = 0; size < seed.size(); ++size) attempt(seed.substr(0, size));
    for (int i = 0; i < 1500; ++i) {
      std::string bytes = seed;
      for (int k = 0; k <= i % 4; ++k) {
        const auto at = static_cast<std::size_t>(random.Index(static_cast<int>(bytes.size())));
        // Digits make other counts and indices, which are the dangerous ones.
        bytes[at] = i % 2 ? static_cast<char>('0' + random.Index(10)) : static_cast<char>(random.Index(256));
      }
      attempt(bytes);
    }
  }
}

TEST(TetFile, ReadsByEnding) {
  const TemporaryFolder folder;
  const FileRoots roots({{folder.path().string()}, false, 100000});
  EXPECT_EQ(ReadTetFile(folder.Write("a.MSH", kMsh2), roots).tets.size(), 2u);
  EXPECT_EQ(ReadTetFile(folder.Write("a.vtk", kVtk), roots).tets.size(), 2u);
  EXPECT_THAT(ErrorOf([&] { ReadTetFile(folder.Write("a.stl", ""), roots); }), HasSubstr("*.msh or *.vtk"));
}

TriangleMesh BoxSurface() {
  const TetMesh box = MakeBoxTets(Vector3(0.2, 0.1, 0.1), {4, 2, 2});
  TriangleMesh surface;
  surface.vertices = box.nodes;
  surface.triangles = CalcSurface(box);
  return surface;
}

TEST(Gmsh, FillsAClosedSurface) {
  if (!HasGmsh()) GTEST_SKIP() << "the program gmsh is not installed";
  GmshSettings settings;
  settings.edge = 0.05;
  const TetMesh mesh = FillWithTets(BoxSurface(), settings, "box");
  EXPECT_NEAR(CalcVolume(mesh), 0.002, 1e-9);
  EXPECT_GT(mesh.tets.size(), 40u);
}

// As CAD programs write it: two triangles a side.
TriangleMesh CoarseBox(const Vector3& size) {
  const TetMesh box = MakeBeamTets(size[0], size[1], size[2], {1, 1, 1});
  return {box.nodes, CalcSurface(box), {}};
}

double LongestEdge(const TetMesh& mesh) {
  double longest = 0;
  for (const auto& tet : mesh.tets) {
    for (const int i : tet) {
      for (const int j : tet) {
        const auto at = [&](int k) { return mesh.nodes[static_cast<std::size_t>(k)]; };
        longest = std::max(longest, (at(i) - at(j)).norm());
      }
    }
  }
  return longest;
}

TEST(Gmsh, LongTrianglesAreSplit) {
  if (!HasGmsh()) GTEST_SKIP() << "the program gmsh is not installed";
  GmshSettings settings;
  settings.edge = 0.03;
  const TriangleMesh cube = CoarseBox(Vector3(0.1, 0.1, 0.1));
  ASSERT_EQ(cube.triangles.size(), 12u);
  const TetMesh mesh = FillWithTets(cube, settings, "cube");
  EXPECT_LT(LongestEdge(mesh), 2 * settings.edge);
  EXPECT_NEAR(CalcVolume(mesh), 0.001, 1e-12);
  settings.edge = 1e-7;
  EXPECT_THAT(ErrorOf([&] { FillWithTets(cube, settings, "cube"); }), HasSubstr("triangles (expected: at most 4e+06)"));
}

// Shell scripts in place of the program.
TEST(Gmsh, SaysWhatWentWrong) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& script, double seconds = 20) {
    GmshSettings settings;
    settings.seconds = seconds;
    settings.program = folder.Write("gmsh", "#!/bin/sh\n" + script).string();
    std::filesystem::permissions(settings.program, std::filesystem::perms::owner_all);
    return ErrorOf([&] { FillWithTets(BoxSurface(), settings, "box"); });
  };
  EXPECT_THAT(error("echo 'Error   : PLC Error: overlapping facets'; exit 1"),
              HasSubstr("box: gmsh ended with code 1: Error   : PLC Error: overlapping facets"));
  EXPECT_THAT(error("exec sleep 30", 0.3), HasSubstr("took more than"));
  EXPECT_THAT(error("exit 0"), HasSubstr("gmsh wrote no mesh"));
  EXPECT_THAT(error("for last; do :; done; echo rubbish > $last"), HasSubstr("box (by gmsh):1: 'rubbish'"));
  // A program that does its work: the last argument is the file to write, the first the script.
  folder.Write("answer.msh", kMsh2);
  EXPECT_EQ(error("for last; do :; done; grep -q 'Surface Loop' $1 && cp " + (folder.path() / "answer.msh").string() +
                  " $last"),
            "");
  GmshSettings missing;
  missing.program = "no-such-program-anywhere";
  EXPECT_FALSE(HasGmsh(missing));
  EXPECT_THAT(ErrorOf([&] { FillWithTets(BoxSurface(), missing, "box"); }),
              HasSubstr("box: the program 'no-such-program-anywhere' is not there"));
  TriangleMesh open = BoxSurface();
  open.triangles.pop_back();
  EXPECT_THAT(ErrorOf([&] { FillWithTets(open, {}, "box"); }), HasSubstr("box"));
  TriangleMesh sheet = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}, {}};
  EXPECT_THAT(ErrorOf([&] { FillWithTets(sheet, {}, "box"); }), HasSubstr("box: the surface encloses no volume"));
  GmshSettings bad;
  bad.edge = 0;
  EXPECT_THAT(ErrorOf([&] { Validate(bad); }), HasSubstr("edge is 0"));
}

}  // namespace
}  // namespace tactus
