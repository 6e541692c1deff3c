#include "tactus/io/mesh/mesh_file.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/random.h"
#include "tactus/io/temporary_folder_testing.h"

namespace tactus {
namespace {

using testing::HasSubstr;

void AppendLittleEndian(std::uint32_t value, std::string* bytes) {
  for (int i = 0; i < 4; ++i) bytes->push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

// A binary file of triangles with nine coordinates each.
std::string BinaryStl(const std::vector<std::vector<float>>& triangles, const std::string& header = "") {
  std::string bytes = header;
  bytes.resize(80, ' ');
  AppendLittleEndian(static_cast<std::uint32_t>(triangles.size()), &bytes);
  for (const std::vector<float>& triangle : triangles) {
    bytes.append(12, '\0');
    for (const float x : triangle) AppendLittleEndian(std::bit_cast<std::uint32_t>(x), &bytes);
    bytes.append(2, '\0');
  }
  return bytes;
}

const std::vector<std::vector<float>> kTwo = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 1, 0, 0, 0, 2}};

const char* const kAscii = R"(
solid a b
 facet normal 0 0 1
  outer loop
   vertex 0 0 0
   VERTEX 1 0 0
   vertex 0 1 0
  endloop
 endfacet
endsolid a b
solid
facet normal nan nan nan
outer loop
vertex 0 0 0
vertex 0 1 0
vertex 0 0 2e0
endloop
endfacet
endsolid
)";

TEST(Stl, ReadsBinaryAndAsciiAlike) {
  for (const std::string& bytes : {BinaryStl(kTwo), BinaryStl(kTwo, "solid as some exporters write"),
                                   BinaryStl(kTwo) + "rest", std::string(kAscii)}) {
    const TriangleMesh mesh = ParseStl(bytes, "f.stl");
    ASSERT_EQ(mesh.vertices.size(), 4u);
    EXPECT_EQ(mesh.vertices[3], Vector3(0, 0, 2));
    ASSERT_EQ(mesh.triangles.size(), 2u);
    EXPECT_EQ(mesh.triangles[0], (std::array<int, 3>{0, 1, 2}));
    EXPECT_EQ(mesh.triangles[1], (std::array<int, 3>{0, 2, 3}));
  }
  const TriangleMesh mesh = ParseStl(kAscii, "f.stl");
  ASSERT_EQ(mesh.parts.size(), 2u);
  EXPECT_EQ(mesh.parts[0].name, "a b");
  EXPECT_EQ(mesh.parts[1].first_triangle, 1);
}

TEST(Stl, RefusesBrokenFiles) {
  const auto error = [](const std::string& bytes) { return ErrorOf([&] { ParseStl(bytes, "f.stl"); }); };
  const std::string good = BinaryStl(kTwo);
  EXPECT_THAT(error(good.substr(0, good.size() - 1)), HasSubstr("has 183 bytes for 2 triangles (expected: 184 bytes)"));
  std::string many = good;
  many[83] = '\x7f';  // two thousand million triangles
  EXPECT_THAT(error(many), HasSubstr("f.stl: has 184 bytes for"));
  EXPECT_THAT(error(BinaryStl({})), HasSubstr("no triangles"));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(error(BinaryStl({{0, 0, 0, 1, 0, 0, 0, nan, 0}})), HasSubstr("f.stl: offset 124"));
  EXPECT_THAT(error(""), HasSubstr("no STL file"));
  EXPECT_THAT(error("solid"), HasSubstr("ends within a solid"));
  EXPECT_THAT(error("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n"),
              HasSubstr("f.stl:4: the file ends too early"));
  EXPECT_THAT(error("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n"), HasSubstr("f.stl:4: 'inf'"));
  EXPECT_THAT(error("solid\nfacet\nouter space\n"), HasSubstr("f.stl:3: 'space' (expected: 'loop')"));
  EXPECT_THAT(error("solid\nendsolid\n"), HasSubstr("no triangles"));
}

TEST(Obj, ReadsPolygonsGroupsAndNegativeIndices) {
  const TriangleMesh mesh = ParseObj(
      "# comment\r\nmtllib a.mtl\r\no first\r\nv 0 0 0\r\nv 1 0 0 0.5 0.5 0.5\r\nv 1 1 0 1\r\nv 0 1 0\r\nvt 0 0\r\n"
      "vn 0 0 1\r\ns off\r\nf 1/1/1 2//1 3/1 4\r\ng other part # comment\r\nusemtl m\r\nf -4 -3 \\\r\n -1\r\n",
      "f.obj");
  ASSERT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.vertices[2], Vector3(1, 1, 0));
  ASSERT_EQ(mesh.triangles.size(), 3u);
  EXPECT_EQ(mesh.triangles[0], (std::array<int, 3>{0, 1, 2}));
  EXPECT_EQ(mesh.triangles[1], (std::array<int, 3>{0, 2, 3}));
  EXPECT_EQ(mesh.triangles[2], (std::array<int, 3>{0, 1, 3}));
  ASSERT_EQ(mesh.parts.size(), 2u);
  EXPECT_EQ(mesh.parts[0].name, "first");
  EXPECT_EQ(mesh.parts[0].triangle_count, 2);
  EXPECT_EQ(mesh.parts[1].name, "other part");
}

TEST(Obj, RefusesBrokenFiles) {
  const auto error = [](const std::string& text) { return ErrorOf([&] { ParseObj(text, "f.obj"); }); };
  const std::string three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  EXPECT_EQ(error(three + "f 1 2 3"), "");
  EXPECT_EQ(error(three + "f 1 2 4"),
            "f.obj:4: '4' is no vertex (expected: a whole number from 1 to 3 or from -3 to -1)");
  for (const char* face : {"f 1 2 0", "f 1 2 -4", "f 1 2 x", "f 1 2 3/x", "f 1 2 1.5", "f 1 2 99999999999999999999"}) {
    EXPECT_THAT(error(three + face), HasSubstr("f.obj:4: ")) << face;
  }
  EXPECT_THAT(error(three + "f 1 2"), HasSubstr("a face with 2 vertices"));
  EXPECT_THAT(error("v 0 0\nv 0"), HasSubstr("f.obj:1: the line ends too early"));
  EXPECT_THAT(error("v 0 0 1\nv 0"), HasSubstr("f.obj:2: the file ends too early"));
  EXPECT_THAT(error("v 0 0 1e-"), HasSubstr("f.obj:1: the file ends at '1e-'"));
  EXPECT_THAT(error("v 0 0 nan\n"), HasSubstr("'nan' is no finite number"));
  EXPECT_THAT(error("\x7f"
                    "ELF\n"),
              HasSubstr("unknown statement '?ELF'"));
  EXPECT_THAT(error(three), HasSubstr("no faces"));
  EXPECT_THAT(error(""), HasSubstr("no faces"));
}

// What fuzzing does at length.
TEST(Mesh, AnyBytesAreAMeshOrAnError) {
  Random random(1);
  const std::string seeds[] = {BinaryStl(kTwo), kAscii,
                               "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1//1 2/2 3/1/1\nf -1 -2 -3\n"};
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = seeds[i % 3];
    for (int k = 0; k <= i % 4; ++k) {
      bytes[static_cast<std::size_t>(random.Index(static_cast<int>(bytes.size())))] =
          static_cast<char>(random.Index(256));
    }
    for (const bool obj : {false, true}) {
      try {
        const TriangleMesh mesh = obj ? ParseObj(bytes, "f") : ParseStl(bytes, "f");
        for (const auto& triangle : mesh.triangles) {
          for (const int index : triangle) ASSERT_LT(static_cast<std::size_t>(index), mesh.vertices.size());
        }
      } catch (const InputError&) {
        // The other answer.
      }
    }
  }
}

TEST(MeshLibrary, ScalesMirrorsAndShares) {
  const TemporaryFolder folder;
  const auto file = folder.Write("A.STL", BinaryStl(kTwo));
  const FileRoots roots({{folder.path().string()}, false, 1000});
  MeshLibrary library(&roots);
  const auto plain = library.Load(file, Vector3::Ones());
  EXPECT_EQ(plain, library.Load(file, Vector3::Ones()));
  const auto mirrored = library.Load(file, Vector3(1, 1, -2));
  EXPECT_EQ(mirrored->vertices[3], Vector3(0, 0, -4));
  EXPECT_EQ(mirrored->triangles[1], (std::array<int, 3>{0, 3, 2}));
  EXPECT_THAT(ErrorOf([&] { library.Load(folder.Write("a.dae", ""), Vector3::Ones()); }), HasSubstr("*.obj or *.stl"));
  EXPECT_EQ(MeshFormatOf("x/Y.Obj"), MeshFormat::Obj);
  EXPECT_EQ(MeshFormatOf("obj"), MeshFormat::Unknown);
}

}  // namespace
}  // namespace tactus
