#include "tactus/collision/buried_point.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace tactus {
namespace {

// What a polygon in the plane z = 0 covers up to z = 1; `caps` are its triangles.
TriangleMesh Extrude(const std::vector<Vector2>& corners, const std::vector<std::array<int, 3>>& caps) {
  TriangleMesh mesh;
  const int n = static_cast<int>(corners.size());
  for (const double z : {0.0, 1.0}) {
    for (const Vector2& c : corners) mesh.vertices.emplace_back(c[0], c[1], z);
  }
  for (const auto& t : caps) {
    mesh.triangles.push_back({t[0], t[2], t[1]});
    mesh.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
  }
  for (int i = 0; i < n; ++i) {
    const int j = (i + 1) % n;
    mesh.triangles.push_back({i, j, j + n});
    mesh.triangles.push_back({i, j + n, i + n});
  }
  return mesh;
}
TriangleMesh MakeCube() { return Extrude({{0, 0}, {1, 0}, {1, 1}, {0, 1}}, {{0, 1, 2}, {0, 2, 3}}); }
TriangleMesh MakeStep() {
  return Extrude({{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}, {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}});
}

struct Finder {
  explicit Finder(const TriangleMesh& mesh) : surface(TriangleSurface::FromMesh(mesh, "mesh")) {}
  bool Find(const Vector3& p, double reach = 0.5) {
    return CollideBuriedPoint(surface, X, p, reach, 0.1, &scratch, &manifold);
  }
  TriangleSurface surface;
  Pose X;
  CollisionScratch scratch;
  ContactManifold manifold;
};

TEST(BuriedPoint, GetsOutTheNearestWay) {
  Finder cube(MakeCube());
  cube.X = Pose(Vector3(10, 0, 0));
  ASSERT_TRUE(cube.Find(Vector3(10.9, 0.3, 0.4)));
  ASSERT_EQ(cube.manifold.size(), 1);
  EXPECT_NEAR(cube.manifold.points[0].gap, -0.1, 1e-12);
  EXPECT_LT((cube.manifold.points[0].normal + Vector3::UnitX()).norm(), 1e-12);  // from the point to the surface's body
  EXPECT_LT((cube.manifold.points[0].point - Vector3(10.95, 0.3, 0.4)).norm(), 1e-12);
  EXPECT_FALSE(cube.Find(Vector3(11.05, 0.3, 0.4)));      // in front
  EXPECT_FALSE(cube.Find(Vector3(10.5, 0.5, 0.5), 0.4));  // deeper than it may be
  // In front of a corner and of an edge, where the nearest triangles disagree.
  EXPECT_FALSE(cube.Find(Vector3(11.05, 1.04, 1.03)));
  EXPECT_FALSE(cube.Find(Vector3(11.05, 1.04, 0.5)));
}

// A step: behind its dent, the two faces of which see the point at their common edge.
TEST(BuriedPoint, DentsAndCorners) {
  Finder step(MakeStep());
  const Vector3 middle = 0.5 * (step.surface.box().low + step.surface.box().high);
  int inside = 0, outside = 0;
  for (int i = 0; i < 4000; ++i) {
    const Vector3 p = middle + Vector3::Random().cwiseProduct(0.6 * (step.surface.box().high - step.surface.box().low));
    // Along a line that meets no edge, an odd number of faces is in the way of what is inside.
    const Vector3 d = Vector3(0.123, 0.456, 0.88).normalized();
    int crossings = 0;
    for (const auto& t : step.surface.triangles()) {
      const Vector3 a = step.surface.vertex(t.vertex[0]), b = step.surface.vertex(t.vertex[1]),
                    c = step.surface.vertex(t.vertex[2]);
      Matrix3 M;
      M << b - a, c - a, -d;
      const Vector3 x = M.inverse() * (p - a);
      crossings += x[0] > 0 && x[1] > 0 && x[0] + x[1] < 1 && x[2] > 0;
    }
    const bool expected = crossings % 2 == 1;
    EXPECT_EQ(step.Find(p, 10), expected);
    (expected ? inside : outside)++;
  }
  EXPECT_GT(inside, 100);
  EXPECT_GT(outside, 100);
}

// Terrain with a step: a point just below the floor beside the step's wall feels both.
TEST(BuriedPoint, AlsoWhatIsBeforeIt) {
  TriangleSurface terrain = TriangleSurface::FromHeightField({2, 4, 1.5, 1, {0, 0, 1, 1, 0, 0, 1, 1}}, "step");
  // Between x = -0.5 and 0.5 it rises at 45 degrees from z = 0 to 1.
  CollisionScratch scratch;
  ContactManifold manifold;
  const Vector3 p(-0.5 - 0.02, 0.3, -0.01);
  ASSERT_TRUE(CollideBuriedPoint(terrain, Pose(), p, 0.1, 0.1, &scratch, &manifold));
  ASSERT_EQ(manifold.size(), 1);  // the slope's foot is not under it
  EXPECT_NEAR(manifold.points[0].gap, -0.01, 1e-12);
  // Below the floor of a box without lid and before its wall.
  Finder step(MakeStep());
  const Vector3 middle = 0.5 * (step.surface.box().low + step.surface.box().high);
  int several = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vector3 q = middle + Vector3::Random().cwiseProduct(0.5 * (step.surface.box().high - step.surface.box().low));
    if (!step.Find(q)) continue;
    for (int k = 1; k < step.manifold.size(); ++k) {
      const ContactPoint& other = step.manifold.points[static_cast<std::size_t>(k)];
      EXPECT_GE(other.gap, 0);
      EXPECT_LT(other.normal.dot(step.manifold.points[0].normal), 0.999);
    }
    several += step.manifold.size() > 1;
  }
  EXPECT_EQ(several, 0);  // what is inside a solid with right angles is behind all faces that it is over
}

TEST(BuriedPoint, SheetsHaveNoInside) {
  TriangleMesh sheet;
  sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  sheet.triangles = {{0, 1, 2}};
  Finder finder(sheet);
  EXPECT_FALSE(finder.Find(Vector3(0.2, 0.2, -0.05)));
}

}  // namespace
}  // namespace tactus
