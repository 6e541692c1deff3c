#include "tactus/geometry/coarse_mesh.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tactus/geometry/fields/fields.h"

namespace tactus {
namespace {

TEST(CoarseMesh, SmallOnesStayAsTheyAre) {
  const TriangleMesh mesh = MakeSphereField(1, 0.3)->surface();
  const TriangleMesh same = MakeCoarseMesh(mesh, static_cast<int>(mesh.triangles.size()));
  EXPECT_EQ(same.vertices, mesh.vertices);
  EXPECT_EQ(same.triangles, mesh.triangles);
}

TEST(CoarseMesh, LargeOnesKeepTheirForm) {
  const TriangleMesh mesh = MakeSphereField(1, 0.02)->surface();
  ASSERT_GT(mesh.triangles.size(), 20000u);
  const TriangleMesh coarse = MakeCoarseMesh(mesh, 5000);
  EXPECT_LE(coarse.triangles.size(), 5000u);
  EXPECT_GT(coarse.triangles.size(), 2000u);
  for (const Vector3& v : coarse.vertices) EXPECT_NEAR(v.norm(), 1, 1e-9);
  for (const auto& t : coarse.triangles) {
    Vector3 middle = Vector3::Zero();
    for (const int v : t) middle += coarse.vertices[static_cast<std::size_t>(v)] / 3;
    EXPECT_NEAR(middle.norm(), 1, 0.01);
  }
}

}  // namespace
}  // namespace tactus
