// Closed meshes, finer triangles and distances from them.
#include "tactus/geometry/mesh_distance.h"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/geometry/closed_mesh.h"
#include "tactus/geometry/convex_hull.h"
#include "tactus/geometry/mesh_testing.h"

namespace tactus {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const TriangleMesh& mesh) {
  try {
    MakeClosedMesh(mesh, "mesh.stl");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ClosedMesh, SaysWhatIsWrong) {
  const TriangleMesh good = MakeCuboidMesh(Vector3(0, 0, 0), Vector3(1, 2, 3));
  EXPECT_EQ(ErrorOf(good), "");
  TriangleMesh open = good;
  open.triangles.erase(open.triangles.begin() + 3);
  EXPECT_THAT(ErrorOf(open), HasSubstr("mesh.stl: the edge from (0, 0, 3) to (1, 2, 3) belongs to triangle 1 only"));
  TriangleMesh turned = good;
  std::swap(turned.triangles[5][0], turned.triangles[5][1]);
  EXPECT_THAT(ErrorOf(turned), HasSubstr("in the same direction by triangles "));
  EXPECT_THAT(ErrorOf(turned), HasSubstr("5"));
  TriangleMesh inverted = good;
  for (auto& t : inverted.triangles) std::swap(t[0], t[1]);
  EXPECT_THAT(ErrorOf(inverted), HasSubstr("look inwards: the volume is -6 m^3"));
  // A fin on an edge.
  TriangleMesh fin = good;
  fin.vertices.emplace_back(5, 5, 5);
  fin.triangles.push_back({0, 1, 8});
  fin.triangles.push_back({1, 0, 8});
  EXPECT_THAT(ErrorOf(fin), HasSubstr("belongs to 4 triangles:"));
  // Two boxes that share a corner.
  TriangleMesh corner = good;
  const TriangleMesh other = MakeCuboidMesh(Vector3(1, 2, 3), Vector3(2, 3, 4));
  for (const Vector3& p : other.vertices) corner.vertices.push_back(p);
  for (auto t : other.triangles) {
    for (int& v : t) v = v == 0 ? 6 : v + 8;
    corner.triangles.push_back(t);
  }
  EXPECT_THAT(ErrorOf(corner), HasSubstr("at (1, 2, 3) (vertex 6) parts of the surface meet in a point only"));
  TriangleMesh missing = good;
  missing.triangles[0][0] = 17;
  EXPECT_THAT(ErrorOf(missing), HasSubstr("a vertex that is not there"));
  TriangleMesh infinite = good;
  infinite.vertices[0][0] = NAN;
  EXPECT_THAT(ErrorOf(infinite), HasSubstr("not finite"));
  EXPECT_THAT(ErrorOf({}), HasSubstr("no triangles"));
}

TEST(ClosedMesh, LooseTrianglesAreSewnTogether) {
  const TriangleMesh torus = MakeTorusMesh(0.1, 0.03, 12, 8);
  TriangleMesh loose;
  for (const auto& t : torus.triangles) {
    const int first = static_cast<int>(loose.vertices.size());
    for (const int v : t) loose.vertices.push_back(torus.vertices[static_cast<std::size_t>(v)]);
    loose.triangles.push_back({first, first + 1, first + 2});
  }
  loose.triangles.push_back({0, 0, 1});
  const TriangleMesh closed = MakeClosedMesh(loose, "");
  EXPECT_EQ(closed.vertices.size(), torus.vertices.size());
  EXPECT_EQ(closed.triangles.size(), torus.triangles.size());
  EXPECT_NEAR(CalcVolume(closed), CalcVolume(torus), 1e-15);
}

TEST(ClosedMesh, RefinementKeepsTheSolid) {
  for (const TriangleMesh& mesh :
       {MakeCuboidMesh(Vector3(0, 0, 0), Vector3(1, 0.2, 0.01)), MakeLMesh(0.2, 0.3), MakeTorusMesh(1, 0.3, 7, 5)}) {
    const TriangleMesh fine = RefineMesh(mesh, 0.05);
    EXPECT_NO_THROW(MakeClosedMesh(fine, ""));
    EXPECT_NEAR(CalcVolume(fine), CalcVolume(mesh), 1e-12);
    for (const auto& t : fine.triangles) {
      for (std::size_t i = 0; i < 3; ++i) {
        const Vector3 &p = fine.vertices[static_cast<std::size_t>(t[i])],
                      &q = fine.vertices[static_cast<std::size_t>(t[(i + 1) % 3])];
        EXPECT_LE((p - q).norm(), 0.05);
      }
    }
    EXPECT_EQ(RefineMesh(mesh, 10).triangles, mesh.triangles);
  }
  EXPECT_THROW(RefineMesh(MakeLMesh(0.2, 0.3), 0), InputError);
}

TEST(MeshDistance, IsThatOfALookAtAllTriangles) {
  Random random(1);
  for (const TriangleMesh& mesh : {MakeSphereMesh(1, 10, 20), MakeTorusMesh(1, 0.3, 24, 12), MakeLMesh(0.3, 0.4)}) {
    const MeshDistance distance(mesh);
    int hint = -1;
    for (int i = 0; i < 2000; ++i) {
      const Vector3 p = MakeRandomPointAround(mesh, i % 10 == 0 ? 5 : 0.2, &random);
      const MeshDistance::Nearest nearest = distance.Find(p), hinted = distance.Find(p, hint);
      hint = random.Index(static_cast<int>(mesh.triangles.size()));
      EXPECT_NEAR(std::abs(nearest.distance), CalcMeshDistanceSlowly(mesh, p), 1e-14);
      EXPECT_NEAR((p - nearest.point).norm(), std::abs(nearest.distance), 1e-14);
      EXPECT_NEAR(hinted.distance, nearest.distance, 1e-14);
    }
  }
}

// Where the nearest point is a face, an edge or a corner, of either bend.
TEST(MeshDistance, SignsAreRight) {
  Random random(2);
  const TriangleMesh mesh = MakeLMesh(0.3, 0.4);
  const MeshDistance distance(mesh);
  int inside = 0;
  for (int i = 0; i < 100000; ++i) {
    const Vector3 p = MakeRandomPointAround(mesh, 0.3, &random);
    const double reference = CalcLDistance(0.3, 0.4, p), value = distance.Find(p).distance;
    ASSERT_EQ(value < 0, reference < 0) << p.transpose();
    if (reference > 0) {
      ASSERT_NEAR(value, reference, 1e-14);
    }
    inside += value < 0 ? 1 : 0;
  }
  EXPECT_GT(inside, 10000);
  // Straight over its edges, corners and the dent's edge.
  for (const Vector3& corner : mesh.vertices) {
    for (int i = 0; i < 1000; ++i) {
      const Vector3 p = corner + 1e-3 * Vector3(random.Normal(), random.Normal(), random.Normal());
      ASSERT_EQ(distance.Find(p).distance < 0, CalcLDistance(0.3, 0.4, p) < 0);
    }
  }
}

TEST(MeshDistance, TorusIsNegativeInItsTubeOnly) {
  Random random(3);
  const TriangleMesh mesh = MakeTorusMesh(1, 0.3, 48, 24);
  const MeshDistance distance(mesh);
  for (int i = 0; i < 20000; ++i) {
    const Vector3 p = MakeRandomPointAround(mesh, 0.3, &random);
    const double reference = std::hypot(std::hypot(p[0], p[1]) - 1, p[2]) - 0.3;
    if (std::abs(reference) > 0.01) {
      ASSERT_EQ(distance.Find(p).distance < 0, reference < 0);
    }
  }
}

}  // namespace
}  // namespace tactus
