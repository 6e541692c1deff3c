// Convex shapes apart from concave meshes and terrain, in random poses: gaps against the nearest of all triangles.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/collision/collision_testing.h"

namespace tactus {
namespace {

constexpr double kMargin = 0.3;

// An L of thickness 1 along y: the square [-1, 1]^2 in x and z without its upper right quarter.
TriangleMesh MakeCorner() {
  const double xz[6][2] = {{-1, -1}, {1, -1}, {1, 0}, {0, 0}, {0, 1}, {-1, 1}};
  TriangleMesh mesh;
  for (const double y : {-0.5, 0.5}) {
    for (const auto& p : xz) mesh.vertices.emplace_back(p[0], y, p[1]);
  }
  for (const auto& t : {std::array<int, 3>{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}) {
    mesh.triangles.push_back({t[0], t[1], t[2]});
    mesh.triangles.push_back({t[0] + 6, t[2] + 6, t[1] + 6});
  }
  for (int i = 0; i < 6; ++i) {
    const int j = (i + 1) % 6;
    mesh.triangles.push_back({i, i + 6, j});
    mesh.triangles.push_back({j, i + 6, j + 6});
  }
  return mesh;
}

bool InCorner(const Vector3& p) {
  if (std::abs(p[1]) > 0.5 || std::abs(p[0]) > 1 || std::abs(p[2]) > 1) return false;
  return p[0] < 0 || p[2] < 0;
}

// One triangle as a convex shape of its own.
struct Facet {
  Shape shape;
  Vector3 centre;
  double radius = 0;
};

std::vector<Facet> MakeFacets(const TriangleMesh& mesh) {
  std::vector<Facet> facets;
  for (const auto& t : mesh.triangles) {
    Facet facet;
    auto single = std::make_shared<TriangleMesh>();
    for (const int v : t) single->vertices.push_back(mesh.vertices[static_cast<std::size_t>(v)]);
    facet.centre = (single->vertices[0] + single->vertices[1] + single->vertices[2]) / 3;
    for (const Vector3& v : single->vertices) facet.radius = std::max(facet.radius, (v - facet.centre).norm());
    facet.shape.type = ShapeType::Mesh;
    facet.shape.mesh = single;
    facets.push_back(facet);
  }
  return facets;
}

// The least distance to any facet; `reach` of the shape about its centre. Facets too far away to matter are left out.
double ReferenceDistance(const Shape& a, const Pose& X_WA, const Vector3& centre, double reach,
                         const std::vector<Facet>& facets) {
  // Nearest first.
  std::vector<std::pair<double, const Facet*>> order;
  double best = kMargin + 1e-3;
  for (const Facet& facet : facets) {
    const double least = (facet.centre - centre).norm() - facet.radius - reach;
    if (least < best) order.emplace_back(least, &facet);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [least, facet] : order) {
    if (least > best) break;
    best = std::min(best, ReferenceGap(a, X_WA, facet->shape, Pose()));
    if (best <= 0) break;
  }
  return best;
}

class SurfaceGaps : public ::testing::TestWithParam<ShapeType> {
 protected:
  template <typename Inside>
  void ExpectGaps(const TestShape& surface, const std::vector<Facet>& facets, double spread, const Inside& inside) {
    Random random(static_cast<unsigned>(GetParam()) + 7);
    CollisionScratch scratch;
    ContactManifold manifold, swapped;
    int compared = 0;
    double worst = 0;
    constexpr int kPoses = 100000;
    for (int i = 0; i < kPoses && !HasFailure(); ++i) {
      SCOPED_TRACE(i);
      const TestShape a = MakeRandomShape(GetParam(), &random);
      const Pose X = MakeRandomPose(random.Uniform(0.3, spread), &random);
      CollideShapes(*a.prepared, X, *surface.prepared, Pose(), kMargin, &scratch, &manifold);
      for (const ContactPoint& c : manifold.points) {
        EXPECT_TRUE(c.point.allFinite() && std::isfinite(c.gap));
        EXPECT_NEAR(c.normal.norm(), 1, 1e-12);
        EXPECT_LE(c.gap, kMargin);
      }
      CollideShapes(*surface.prepared, Pose(), *a.prepared, X, kMargin, &scratch, &swapped);
      ASSERT_EQ(manifold.size(), swapped.size());
      const Vector3 centre = X * a.prepared->centre();
      if (inside(centre)) continue;
      const Aabb box = a.prepared->CalcBox(X);
      const double reference = ReferenceDistance(a.shape, X, centre, 0.5 * (box.high - box.low).norm(), facets);
      if (!(reference > 1e-6)) continue;  // they overlap
      const ContactPoint* deepest = Deepest(manifold);
      if (deepest == nullptr) {
        EXPECT_GT(reference, kMargin - 1e-6);
        continue;
      }
      ++compared;
      worst = std::max(worst, std::abs(deepest->gap - reference));
      EXPECT_NEAR(deepest->gap, reference, 1e-6);
    }
    EXPECT_GT(compared, kPoses / 50);
    std::printf("%s: %d poses, %d apart within the margin, gap %.1e\n", ToString(GetParam()), kPoses, compared, worst);
  }
};

TEST_P(SurfaceGaps, OfAConcaveMesh) {
  const TriangleMesh mesh = MakeCorner();
  ExpectGaps(MakeTestSurface(mesh), MakeFacets(mesh), 2.2, InCorner);
}

TEST_P(SurfaceGaps, OfTerrain) {
  HeightField field;
  field.rows = field.columns = 5;
  field.half_x = field.half_y = 2;
  Random random(3);
  for (int k = 0; k < 25; ++k) field.heights.push_back(random.Uniform(-0.3, 0.3));
  const TestShape surface = MakeTestHeightField(field);
  // The same triangles, as the prepared surface has them.
  const TriangleSurface& prepared = *surface.prepared->surface();
  TriangleMesh mesh;
  mesh.vertices = prepared.vertices();
  for (const TriangleSurface::Triangle& t : prepared.triangles()) {
    mesh.triangles.push_back({t.vertex[0], t.vertex[1], t.vertex[2]});
  }
  // Above its middle: what reaches down beside the border is below the terrain there, and not felt.
  ExpectGaps(surface, MakeFacets(mesh), 2.5,
             [](const Vector3& p) { return p[2] < 0.4 || std::abs(p[0]) > 0.9 || std::abs(p[1]) > 0.9; });
}

INSTANTIATE_TEST_SUITE_P(Convex, SurfaceGaps,
                         ::testing::Values(ShapeType::Sphere, ShapeType::Capsule, ShapeType::Box, ShapeType::Cylinder,
                                           ShapeType::Ellipsoid, ShapeType::Mesh),
                         [](const auto& shape) { return std::string(ToString(shape.param)); });

}  // namespace
}  // namespace tactus
