#include "tactus/geometry/convex_hull.h"

#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/core/random.h"

namespace tactus {
namespace {

// Closed: every edge once in each direction. Convex and the right way round: all points behind every face.
void ExpectHullOf(const std::vector<Vector3>& points, const TriangleMesh& hull, double tolerance) {
  std::map<std::pair<int, int>, int> edges;
  for (const auto& [a, b, c] : hull.triangles) {
    ++edges[{a, b}];
    ++edges[{b, c}];
    ++edges[{c, a}];
  }
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_TRUE(edges.contains({edge.second, edge.first}));
  }
  EXPECT_EQ(hull.vertices.size() + hull.triangles.size(), edges.size() / 2 + 2);  // Euler
  for (const auto& [a, b, c] : hull.triangles) {
    const Vector3 origin = hull.vertices[static_cast<std::size_t>(a)];
    const Vector3 normal = (hull.vertices[static_cast<std::size_t>(b)] - origin)
                               .cross(hull.vertices[static_cast<std::size_t>(c)] - origin);
    if (normal.norm() == 0) continue;
    for (const Vector3& p : points) EXPECT_LT(normal.normalized().dot(p - origin), tolerance);
  }
}

TEST(ConvexHull, OfABoxWithPointsInsideAndOnFaces) {
  std::vector<Vector3> points;
  points.reserve(28);
  for (int i = 0; i < 27; ++i) points.emplace_back(i % 3 - 1, 2 * (i / 3 % 3 - 1), 3 * (i / 9 - 1));
  points.push_back(points[0]);  // twice
  const TriangleMesh hull = MakeConvexHull(points, "box");
  ExpectHullOf(points, hull, 1e-12);
  EXPECT_NEAR(CalcVolume(hull), 48, 1e-12);
}

TEST(ConvexHull, OfRandomPointsAtAnyScale) {
  for (const double scale : {1.0, 1e-9, 1e9, 1e150}) {
    Random random(3);
    std::vector<Vector3> points;
    points.reserve(300);
    for (int i = 0; i < 300; ++i) {
      points.emplace_back(scale *
                          (Vector3(random.Normal(), 0.01 * random.Normal(), random.Normal()) + Vector3(5, 5, 5)));
    }
    if (scale > 1e100) {
      EXPECT_NO_THROW(MakeConvexHull(points, "cloud"));
      continue;
    }
    const TriangleMesh hull = MakeConvexHull(points, "cloud");
    ExpectHullOf(points, hull, 1e-12 * scale);
    EXPECT_GT(CalcVolume(hull), 0);
    EXPECT_LT(hull.vertices.size(), points.size());
    EXPECT_EQ(hull.triangles, MakeConvexHull(points, "cloud").triangles);
  }
}

TEST(ConvexHull, RefusesWhatHasNoVolume) {
  const auto refuses = [](const std::vector<Vector3>& points) {
    EXPECT_THROW(MakeConvexHull(points, "flat"), InputError);
  };
  refuses({});
  refuses({Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0, 1, 0)});
  refuses(std::vector<Vector3>(10, Vector3(1, 2, 3)));
  refuses({Vector3(0, 0, 0), Vector3(1, 1, 1), Vector3(2, 2, 2), Vector3(3, 3, 3), Vector3(4, 4, 4)});
  std::vector<Vector3> plane;
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    const double x = random.Normal(), y = random.Normal();
    plane.emplace_back(x, y, x + 2 * y);
  }
  refuses(plane);
  refuses({Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, std::nan(""))});
  const double huge = std::numeric_limits<double>::max();
  refuses({Vector3(-huge, 0, 0), Vector3(huge, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)});
}

}  // namespace
}  // namespace tactus
