#include "tactus/deformable/mesh/tet_mesh.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/deformable/deformable_testing.h"
#include "tactus/deformable/mesh/tet_shapes.h"

namespace tactus {
namespace {

using testing::HasSubstr;

double LeastQuality(const TetMesh& mesh) {
  double least = 1;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) least = std::min(least, CalcTetQuality(mesh, t));
  return least;
}

// The surface is closed and faces outwards: its volume is that of the elements.
void ExpectClosedSurface(const TetMesh& mesh) {
  double volume = 0;
  const auto triangles = CalcSurface(mesh);
  for (const auto& t : triangles) {
    const auto node = [&](std::size_t k) { return mesh.nodes[static_cast<std::size_t>(t[k])]; };
    volume += node(0).cross(node(1)).dot(node(2)) / 6;
  }
  EXPECT_NEAR(volume, CalcVolume(mesh), 1e-12 * CalcVolume(mesh));
  // Euler: a closed surface of a piece without holes.
  EXPECT_EQ(2 * static_cast<int>(CalcNodesOf(triangles).size()) - 4, static_cast<int>(triangles.size()));
}

TEST(TetShapes, BoxesHaveTheirVolumeAndCounts) {
  const TetMesh mesh = MakeBoxTets(Vector3(1, 2, 3), {2, 3, 4});
  CheckTetMesh(mesh, "box");
  EXPECT_EQ(mesh.nodes.size(), 60u);
  EXPECT_EQ(mesh.tets.size(), 5u * 24);
  EXPECT_NEAR(CalcVolume(mesh), 6, 1e-12);
  ExpectClosedSurface(mesh);
  EXPECT_GT(LeastQuality(MakeBoxTets(Vector3(1, 1, 1), {2, 2, 2})), 0.7);
  EXPECT_EQ(CalcCells(Vector3(1, 0.5, 0.05), 0.1), (std::array<int, 3>{10, 5, 1}));
  EXPECT_EQ(MakeBoxTets(Vector3(1, 0.5, 0.1), 0.1).nodes.size(), 11u * 6 * 2);
  EXPECT_DOUBLE_EQ(MakeBeamTets(2, 1, 1, {2, 1, 1}).nodes[0][0], 0);
  EXPECT_DOUBLE_EQ(MakeMatTets(2, 1, 0.5, {2, 1, 1}).nodes[0][2], 0);
  EXPECT_EQ(MakeBeamTets(1, 0.1, 0.1, 0.05).nodes.size(), 21u * 3 * 3);
  EXPECT_EQ(MakeMatTets(1, 0.5, 0.1, 0.1).nodes.size(), 11u * 6 * 2);
}

TEST(TetShapes, RoundShapesAreGoodAndConverge) {
  for (const int n : {2, 4, 6, 10, 16}) {
    const TetMesh ball = MakeBallTets(0.5, n), cylinder = MakeCylinderTets(0.5, 2, n, n);
    CheckTetMesh(ball, "ball");
    CheckTetMesh(cylinder, "cylinder");
    ExpectClosedSurface(ball);
    ExpectClosedSurface(cylinder);
    EXPECT_GT(LeastQuality(ball), 0.3) << n;
    EXPECT_GT(LeastQuality(MakeCylinderTets(0.5, 1, n, n)), 0.3) << n;
    const double pi = std::numbers::pi;
    EXPECT_NEAR(CalcVolume(ball), pi / 6, 2.2 * pi / 6 / (n * n)) << n;
    EXPECT_NEAR(CalcVolume(cylinder), pi / 2, 1.7 * pi / 2 / (n * n)) << n;
    for (const int i : CalcNodesOf(CalcSurface(ball))) {
      EXPECT_NEAR(ball.nodes[static_cast<std::size_t>(i)].norm(), 0.5, 1e-14);
    }
  }
  EXPECT_EQ(MakeBallTets(0.5, 0.1).nodes.size(), 11u * 11 * 11);
}

TEST(TetShapes, RefusesBadSizes) {
  EXPECT_THAT(ErrorOf([] { MakeBoxTets(Vector3(1, 0, 1), {1, 1, 1}); }), HasSubstr("a side is 0"));
  EXPECT_THAT(ErrorOf([] { MakeBoxTets(Vector3(1, 1, 1), {1, 0, 1}); }), HasSubstr("0 cells"));
  EXPECT_THAT(ErrorOf([] { MakeBoxTets(Vector3(1, 1, 1), {10000, 10000, 10000}); }), HasSubstr("at most 1e8"));
  EXPECT_THAT(ErrorOf([] { MakeBoxTets(Vector3(1, 1, 1), 1e-12); }), HasSubstr("at most 1e8"));
  EXPECT_THAT(ErrorOf([] { MakeBallTets(1, 3); }), HasSubstr("even"));
  EXPECT_THAT(ErrorOf([] { MakeBallTets(std::nan(""), 4); }), HasSubstr("radius"));
  EXPECT_THAT(ErrorOf([] { MakeCylinderTets(1, 1, 4, 0); }), HasSubstr("0 cells"));
}

TEST(TetMesh, ChecksNameWhatIsWrong) {
  const TetMesh good = MakeBoxTets(Vector3(1, 1, 1), {2, 2, 2});
  const auto error = [&](auto change) {
    TetMesh mesh = good;
    change(&mesh);
    return ErrorOf([&] { CheckTetMesh(mesh, "m"); });
  };
  EXPECT_EQ(error([](TetMesh*) {}), "");
  EXPECT_THAT(error([](TetMesh* m) { m->tets.clear(); }), HasSubstr("m: 27 nodes and 0 elements"));
  EXPECT_THAT(error([](TetMesh* m) { *m = {}; }), HasSubstr("at least one"));
  EXPECT_THAT(error([](TetMesh* m) { m->tets[7][2] = 27; }), HasSubstr("element 7 has node 27"));
  EXPECT_THAT(error([](TetMesh* m) { m->tets[7][2] = -1; }), HasSubstr("element 7 has node -1"));
  EXPECT_THAT(error([](TetMesh* m) { m->nodes[3][1] = std::numeric_limits<double>::quiet_NaN(); }),
              HasSubstr("node 3 is not finite"));
  EXPECT_THAT(error([](TetMesh* m) { std::swap(m->tets[5][0], m->tets[5][1]); }), HasSubstr("element 5 is inverted"));
  EXPECT_THAT(error([](TetMesh* m) {
                for (auto& t : m->tets) std::swap(t[0], t[1]);
              }),
              HasSubstr("all elements are inverted"));
  EXPECT_THAT(error([](TetMesh* m) { m->tets[5][0] = m->tets[5][1]; }), HasSubstr("element 5 has no volume"));
  EXPECT_THAT(error([](TetMesh* m) { m->nodes[4] = m->nodes[13]; }), HasSubstr("nodes 4 and 13 are at the same place"));
  EXPECT_THAT(error([](TetMesh* m) { m->nodes.emplace_back(5, 5, 5); }), HasSubstr("node 27 belongs to no element"));
  EXPECT_THAT(error([](TetMesh* m) {
                const int first = static_cast<int>(m->nodes.size());
                for (const Vector3& x : MakeBoxTets(Vector3(1, 1, 1), {1, 1, 1}).nodes) {
                  m->nodes.emplace_back(x + Vector3(9, 0, 0));
                }
                for (auto t : MakeBoxTets(Vector3(1, 1, 1), {1, 1, 1}).tets) {
                  for (int& i : t) i += first;
                  m->tets.push_back(t);
                }
              }),
              HasSubstr("elements 0 and 40 are in pieces"));
  EXPECT_THAT(error([](TetMesh* m) {
                // On the inner face of two elements, with the far corner of a third.
                m->tets.push_back(m->tets[4]);
                m->tets.back()[0] = 26;
                FixOrientation(m);
              }),
              HasSubstr("share the face"));
  EXPECT_THAT(error([](TetMesh* m) {
                m->nodes = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}, {0.02, 0.02, 0.15}};
                m->tets = {{0, 1, 2, 3}, {0, 1, 2, 4}};
              }),
              HasSubstr("elements 0 and 1 overlap: they are on the same side of the face of nodes 0, 1 and 2"));
}

// Files with a copy of an element for each group it is in.
TEST(TetMesh, EqualElementsAreNamed) {
  TetMesh box = MakeBoxTets(Vector3(1, 1, 1), {2, 2, 2});
  for (const std::size_t t : {0u, 4u, 17u}) {
    TetMesh mesh = box;
    const auto [a, b, c, d] = box.tets[t];
    mesh.tets.push_back({b, c, a, d});
    EXPECT_THAT(ErrorOf([&] { CheckTetMesh(mesh, "m"); }),
                HasSubstr("m: element 40 repeats " + std::to_string(t) + " (expected: each once; Gmsh 2.2"));
  }
  TetMesh one = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}};
  EXPECT_EQ(ErrorOf([&] { CheckTetMesh(one, "m"); }), "");
  one.tets.push_back(one.tets[0]);
  EXPECT_THAT(ErrorOf([&] { CheckTetMesh(one, "m"); }), HasSubstr("element 1 repeats 0"));
}

TEST(TetMesh, ElementsMustNotBeFlatNorTiny) {
  const auto error = [](double size, double height) {
    const TetMesh mesh = {{{0, 0, 0}, {0, size, 0}, {size, 0, 0}, {size, size, height}}, {{0, 2, 1, 3}}};
    return ErrorOf([&] { CheckTetMesh(mesh, "m"); });
  };
  EXPECT_EQ(error(0.1, 1e-6), "");
  EXPECT_EQ(error(1e-6, 1e-6), "");
  EXPECT_THAT(error(0.1, 1e-9), HasSubstr("m: element 0 is flat: its quality is 1"));
  EXPECT_THAT(error(0.1, 0), HasSubstr("element 0 has no volume"));
  EXPECT_THAT(error(1e200, 1e200), HasSubstr("element 0"));
  for (const double size : {1e-10, 1e-100, 1e-200}) {
    EXPECT_THAT(error(size, size), HasSubstr("m long (expected: 1e-07 m or more"));
  }
}

}  // namespace
}  // namespace tactus
