// Grid fields against the exact distance from their meshes.
#include "tactus/geometry/fields/grid.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/core/timer.h"
#include "tactus/geometry/fields/fields.h"
#include "tactus/geometry/mesh_distance.h"
#include "tactus/geometry/mesh_testing.h"
#include "tactus/math/finite_difference.h"

namespace tactus {
namespace {

using ::testing::HasSubstr;

struct MeshCase {
  std::string name;
  TriangleMesh mesh;
};

std::vector<MeshCase> AllMeshes() {
  return {{"box", MakeCuboidMesh(Vector3(-0.5, -0.3, -0.2), Vector3(0.5, 0.3, 0.2))},
          {"sphere", MakeSphereMesh(0.5, 24, 48)},
          {"torus", MakeTorusMesh(0.5, 0.2, 48, 24)},
          {"L", MakeLMesh(0.3, 0.4)}};
}

FieldPointer MakeUncached(const TriangleMesh& mesh, int cells, GridFieldReport* report = nullptr) {
  return MakeGridField(mesh, {.cells = cells, .cached = false}, "test", report);
}

// Whatever the cells are, also where features are smaller.
TEST(GridField, IsTheDistanceFromTheMesh) {
  Random random(1);
  for (const MeshCase& c : AllMeshes()) {
    SCOPED_TRACE(c.name);
    const MeshDistance distance(c.mesh);
    for (const int cells : {4, 16, 64}) {
      GridFieldReport report;
      const FieldPointer field = MakeUncached(c.mesh, cells, &report);
      for (int i = 0; i < 8000; ++i) {
        const Vector3 p = MakeRandomPointAround(c.mesh, i % 2 == 0 ? 0.02 : 0.5, &random);
        EXPECT_NEAR(field->Evaluate(p, nullptr), distance.Find(p).distance, 1e-14);
      }
      EXPECT_LE(report.surface_value, 1e-14);
    }
  }
}

// A wall of a hundredth of a cell.
TEST(GridField, ThinWallsAreNotLost) {
  const FieldPointer field = MakeUncached(MakeCuboidMesh(Vector3(0, 0, 0), Vector3(1, 1, 1e-3)), 10);
  Vector3 gradient;
  EXPECT_NEAR(field->Evaluate(Vector3(0.52, 0.47, 4e-4), &gradient), -4e-4, 1e-15);
  EXPECT_NEAR(gradient[2], -1, 1e-12);
  EXPECT_NEAR(field->Evaluate(Vector3(0.52, 0.47, 7e-4), &gradient), -3e-4, 1e-15);
  EXPECT_NEAR(gradient[2], 1, 1e-12);
}

TEST(GridField, IsExactNextToFlatFaces) {
  const FieldPointer field = MakeUncached(MakeCuboidMesh(Vector3(-0.5, -0.3, -0.2), Vector3(0.5, 0.3, 0.2)), 32);
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const double height = random.Uniform(-0.05, 0.05);
    Vector3 gradient;
    const double value =
        field->Evaluate(Vector3(random.Uniform(-0.3, 0.3), random.Uniform(-0.1, 0.1), 0.2 + height), &gradient);
    EXPECT_NEAR(value, height, 1e-14);
    EXPECT_NEAR((gradient - Vector3::UnitZ()).norm(), 0, 1e-12);
  }
}

// Spheres are held against fields by their centres, which may be anywhere.
TEST(GridField, IsExactBeyondTheGrid) {
  Random random(8);
  for (const MeshCase& c : AllMeshes()) {
    SCOPED_TRACE(c.name);
    const FieldPointer field = MakeUncached(c.mesh, 16);
    const MeshDistance distance(c.mesh);
    for (int i = 0; i < 2000; ++i) {
      const Vector3 p = MakeRandomPointAround(c.mesh, 3, &random);
      const double exact = distance.Find(p).distance;
      if (exact > 0.6) {
        EXPECT_EQ(field->Evaluate(p, nullptr), exact);
      }
    }
  }
}

TEST(GridField, GradientsAreThoseOfTheValues) {
  Random random(4);
  for (const MeshCase& c : AllMeshes()) {
    SCOPED_TRACE(c.name);
    const FieldPointer field = MakeUncached(c.mesh, 24);
    const auto f = [&](const VectorX& x) { return field->Evaluate(Vector3(x), nullptr); };
    int kinks = 0;
    for (int i = 0; i < 2000; ++i) {
      const Vector3 p = MakeRandomPointAround(c.mesh, i % 2 == 0 ? 0.05 : 0.6, &random);
      Vector3 gradient;
      const double value = field->Evaluate(p, &gradient);
      EXPECT_EQ(value, field->Evaluate(p, nullptr));
      kinks += (CalcFiniteDifferenceGradient(f, p, 1e-6) - gradient).norm() > 1e-4 ? 1 : 0;
      EXPECT_NEAR(gradient.norm(), 1, 1e-12);
    }
    EXPECT_LE(kinks, 4);  // in the middle of walls and far from dents the distance has some
  }
}

TEST(GridField, ChangesNoFasterThanDistance) {
  Random random(5);
  for (const MeshCase& c : AllMeshes()) {
    SCOPED_TRACE(c.name);
    const FieldPointer field = MakeUncached(c.mesh, 24);
    double steepest = 0;
    for (int i = 0; i < 50000; ++i) {
      const Vector3 p = MakeRandomPointAround(c.mesh, 0.5, &random);
      const Vector3 q =
          p + std::pow(10, random.Uniform(-5, 0)) * Vector3(random.Normal(), random.Normal(), random.Normal());
      const double change = std::abs(field->Evaluate(p, nullptr) - field->Evaluate(q, nullptr));
      EXPECT_LE(change, (p - q).norm() + 1e-14);
      steepest = std::max(steepest, change / (p - q).norm());
    }
    RecordProperty(c.name, std::to_string(steepest));
  }
}

TEST(GridField, SignsAreRight) {
  Random random(6);
  for (const MeshCase& c : AllMeshes()) {
    SCOPED_TRACE(c.name);
    const FieldPointer field = MakeUncached(c.mesh, 32);
    const MeshDistance distance(c.mesh);
    for (int i = 0; i < 50000; ++i) {
      const Vector3 p = MakeRandomPointAround(c.mesh, i % 2 == 0 ? 0.1 : 2, &random);
      const double exact = distance.Find(p).distance;
      if (std::abs(exact) > 1e-12) {
        ASSERT_EQ(field->Evaluate(p, nullptr) < 0, exact < 0) << p.transpose();
      }
    }
  }
}

TEST(GridField, SurfaceIsTheMesh) {
  const TriangleMesh mesh = MakeLMesh(0.3, 0.4);
  const FieldPointer field = MakeGridField(mesh, {.cells = 16, .edge = 0.05, .cached = false}, "test");
  const MeshDistance distance(mesh);
  EXPECT_EQ(field->surface_error(), 0);
  EXPECT_GT(field->surface().triangles.size(), 1000u);
  for (const Vector3& p : field->surface().vertices) EXPECT_NEAR(distance.Find(p).distance, 0, 1e-14);
  EXPECT_EQ(field->box().low, Vector3(0, 0, 0));
  EXPECT_EQ(field->box().high, Vector3(1, 1, 0.4));
}

TEST(GridField, BadInputIsRefused) {
  const TriangleMesh box = MakeCuboidMesh(Vector3(0, 0, 0), Vector3(1, 1, 1));
  TriangleMesh open = box;
  open.triangles.pop_back();
  EXPECT_THROW(MakeUncached(open, 16), InputError);
  EXPECT_THROW(MakeUncached(box, 3), InputError);
  EXPECT_THROW(MakeUncached(box, 2000), InputError);
  for (const double bad : {-1.0, 1e-9, std::nan("")}) {
    EXPECT_THROW(MakeGridField(box, {.cell = bad, .cached = false}, "test"), InputError);
  }
  EXPECT_THROW(MakeGridField(box, {.padding = -1, .cached = false}, "test"), InputError);
  EXPECT_THROW(MakeGridField(box, {.padding = 1e9, .cached = false}, "test"), InputError);
  EXPECT_THROW(MakeGridField(box, {.edge = INFINITY, .cached = false}, "test"), InputError);
  // A box that looks outwards next to a smaller one that looks inwards: the volume is positive.
  TriangleMesh two = box;
  const TriangleMesh other = MakeCuboidMesh(Vector3(2, 0, 0), Vector3(2.5, 0.5, 0.5));
  for (const Vector3& p : other.vertices) two.vertices.push_back(p);
  for (const auto& t : other.triangles) two.triangles.push_back({t[1] + 8, t[0] + 8, t[2] + 8});
  try {
    MakeUncached(two, 16);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("looks inwards"));
  }
}

// In as many cells as 64 x 64 x 64.
TEST(GridField, BakesTenThousandTriangles) {
  const TriangleMesh torus = MakeTorusMesh(0.1, 0.03, 100, 50);
  EXPECT_EQ(torus.triangles.size(), 10000u);
  const ThreadCpuTimer timer;
  GridFieldReport report;
  const FieldPointer field = MakeUncached(torus, 88, &report);
  const double bake = timer.seconds();
  Random random(7);
  std::vector<Vector3> points;
  for (int i = 0; i < 100000; ++i) points.push_back(MakeRandomPointAround(torus, 0, &random));
  const ThreadCpuTimer evaluations;
  double sum = 0;
  for (const Vector3& p : points) {
    Vector3 gradient;
    sum += field->Evaluate(p, &gradient) + gradient[0];
  }
  RecordProperty("bake_seconds", std::to_string(bake));
  RecordProperty("cells", std::to_string(report.cells.prod()));
  RecordProperty("evaluate_ns", std::to_string(1e9 * evaluations.seconds() / static_cast<double>(points.size())));
  EXPECT_TRUE(std::isfinite(sum));
}

}  // namespace
}  // namespace tactus
