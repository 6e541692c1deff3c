// What all fields promise, and each one's distances against sampled surfaces.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/core/random.h"
#include "tactus/geometry/closest_on_triangle.h"
#include "tactus/geometry/convex_hull.h"
#include "tactus/geometry/fields/fields.h"
#include "tactus/math/finite_difference.h"

namespace tactus {
namespace {

struct FieldCase {
  std::string name;
  FieldPointer field;
  bool exact_outside = true;
  bool exact_inside = true;
  bool closed = true;  ///< its triangles are sewn together
};

const DishProfile kBowl{{0.035, 0}, {0.075, 0.050}, 2e-3};

FieldPointer MakeBottle(double edge) {
  return MakeRevolvedField({{0, 0}, {0.035, 0}, {0.035, 0.12}, {0.012, 0.16}, {0.012, 0.2}}, 2e-3, edge);
}

std::vector<FieldCase> AllFields() {
  const FieldPointer sphere = MakeSphereField(0.05, 0.01), box = MakeBoxField({0.05, 0.04, 0.03}, 0.01);
  const Pose X(ExpRotation({0.3, -0.5, 0.2}).toRotationMatrix(), {0.02, 0.03, 0.04});
  const FieldPointer moved = MakePlacedField(X, sphere);
  return {
      {"sphere", sphere},
      {"box", box},
      {"capsule", MakeCapsuleField(0.03, 0.05, 0.01)},
      {"cylinder", MakeCylinderField(0.03, 0.05, 0.01)},
      {"ellipsoid", MakeEllipsoidField({0.05, 0.03, 0.02}, 2e-3)},
      {"hull",
       MakeConvexField(MakeConvexHull({{0, 0, 0}, {0.1, 0, 0}, {0, 0.08, 0}, {0, 0, 0.06}, {0.05, 0.05, 0.05}}, ""))},
      {"dish", MakeDishField(kBowl, 5e-3), true, false},
      {"hollow", MakeRevolvedField({{0, 0.02}, {0.05, 0}, {0.06, 0.04}}, 2e-3, 5e-3), true, false},
      {"bottle", MakeBottle(5e-3), true, false},
      {"tube", MakeRevolvedField({{0.02, 0}, {0.03, 0.05}}, 3e-3, 5e-3), true, false},
      {"bolt", MakeBoltField({}, 0.04, 2.5e-3), false, false},
      {"nut", MakeNutField({}, {}, 2.5e-3), false, false},
      {"cylindrical nut", MakeNutField({.diameter = 6e-3, .pitch = 1e-3}, {5e-3, 12e-3, false, 5e-5}, 5e-4), false,
       false},
      {"placed", MakePlacedField(X, box)},
      {"union", MakeUnionField(box, moved), true, false, false},
      {"intersection", MakeIntersectionField(box, moved), false, false, false},
      {"difference", MakeDifferenceField(box, moved), false, false, false},
  };
}

Vector3 RandomPoint(const Aabb& box, Random* random) {
  const Vector3 size = box.high - box.low;
  return box.low +
         size.cwiseProduct(Vector3(random->Uniform(-0.3, 1.3), random->Uniform(-0.3, 1.3), random->Uniform(-0.3, 1.3)));
}

Vector3 RandomSurfacePoint(const TriangleMesh& mesh, Random* random) {
  const auto& t = mesh.triangles[static_cast<std::size_t>(random->Index(static_cast<int>(mesh.triangles.size())))];
  double u = random->Uniform(), v = random->Uniform();
  if (u + v > 1) u = 1 - u, v = 1 - v;
  const auto at = [&](std::size_t i) { return mesh.vertices[static_cast<std::size_t>(t[i])]; };
  return (1 - u - v) * at(0) + u * at(1) + v * at(2);
}

double DistanceFromMesh(const TriangleMesh& mesh, const Vector3& p) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& t : mesh.triangles) {
    const Vector3 &a = mesh.vertices[static_cast<std::size_t>(t[0])],
                  &b = mesh.vertices[static_cast<std::size_t>(t[1])],
                  &c = mesh.vertices[static_cast<std::size_t>(t[2])];
    const Vector3 w = ClosestOnTriangle(p, a, b, c);
    least = std::min(least, (w[0] * a + w[1] * b + w[2] * c - p).squaredNorm());
  }
  return std::sqrt(least);
}

TEST(Fields, GradientsAreThoseOfTheValues) {
  Random random(1);
  for (const FieldCase& c : AllFields()) {
    SCOPED_TRACE(c.name);
    const double size = (c.field->box().high - c.field->box().low).norm(), step = 1e-6 * size;
    int kinks = 0;
    for (int i = 0; i < 2000; ++i) {
      const Vector3 p = i % 2 == 0 ? RandomPoint(c.field->box(), &random)
                                   : Vector3(RandomSurfacePoint(c.field->surface(), &random) +
                                             0.01 * size * Vector3(random.Normal(), random.Normal(), random.Normal()));
      Vector3 gradient;
      const double value = c.field->Evaluate(p, &gradient);
      EXPECT_EQ(value, c.field->Evaluate(p, nullptr));
      EXPECT_LE(gradient.norm(), 1 + 1e-12);
      if (value > 0 ? c.exact_outside : c.exact_inside) {
        EXPECT_NEAR(gradient.norm(), 1, 1e-12);
      }
      const auto f = [&](const VectorX& x) { return c.field->Evaluate(Vector3(x), nullptr); };
      const Vector3 difference = CalcFiniteDifferenceGradient(f, p, step);
      kinks += (difference - gradient).norm() > 1e-4 ? 1 : 0;
    }
    EXPECT_LE(kinks, 4);
  }
}

TEST(Fields, ChangeNoFasterThanDistance) {
  Random random(2);
  for (const FieldCase& c : AllFields()) {
    SCOPED_TRACE(c.name);
    const double size = (c.field->box().high - c.field->box().low).norm();
    for (int i = 0; i < 20000; ++i) {
      const Vector3 p = RandomPoint(c.field->box(), &random);
      const double step = size * std::pow(10, random.Uniform(-5, 0));
      const Vector3 q = p + step * Vector3(random.Normal(), random.Normal(), random.Normal());
      EXPECT_LE(std::abs(c.field->Evaluate(p, nullptr) - c.field->Evaluate(q, nullptr)), (p - q).norm() * (1 + 1e-9));
    }
  }
}

TEST(Fields, SurfacesAreWhereTheyAreZero) {
  Random random(3);
  for (const FieldCase& c : AllFields()) {
    SCOPED_TRACE(c.name);
    const TriangleMesh& mesh = c.field->surface();
    const double size = (c.field->box().high - c.field->box().low).norm();
    for (const Vector3& p : mesh.vertices)
      EXPECT_NEAR(c.field->Evaluate(p, nullptr), 0, 1e-12 * size + (c.closed ? 0 : c.field->surface_error()));
    for (int i = 0; i < 1000; ++i) {
      EXPECT_LE(std::abs(c.field->Evaluate(RandomSurfacePoint(mesh, &random), nullptr)),
                c.field->surface_error() + 1e-12);
    }
    for (int i = 0; i < 1000; ++i) {
      const Vector3 p = RandomPoint(c.field->box(), &random);
      EXPECT_TRUE(c.field->Evaluate(p, nullptr) > 0 || c.field->box().Contains({p, p}));
    }
    EXPECT_GT(CalcVolume(mesh), 0);
    if (!c.closed) continue;
    std::map<std::pair<int, int>, int> edges;
    for (const auto& t : mesh.triangles) {
      for (std::size_t i = 0; i < 3; ++i) ++edges[{t[i], t[(i + 1) % 3]}];
    }
    for (const auto& [edge, uses] : edges) {
      EXPECT_EQ(uses, 1);
      EXPECT_EQ(edges.count({edge.second, edge.first}), 1u);
    }
  }
}

TEST(Fields, DistancesAreThoseFromTheSurface) {
  Random random(4);
  for (const FieldCase& c : AllFields()) {
    SCOPED_TRACE(c.name);
    for (int i = 0; i < 100; ++i) {
      const Vector3 p = RandomPoint(c.field->box(), &random);
      const double value = c.field->Evaluate(p, nullptr), distance = DistanceFromMesh(c.field->surface(), p);
      EXPECT_LE(std::abs(value), distance + c.field->surface_error() + 1e-12);
      if (value > 0 ? c.exact_outside : c.exact_inside) {
        EXPECT_NEAR(std::abs(value), distance, c.field->surface_error() + 1e-12);
      }
    }
  }
}

TEST(Fields, SupportPointsAreFarthest) {
  Random random(5);
  for (const FieldCase& c : AllFields()) {
    SCOPED_TRACE(c.name);
    for (int i = 0; i < 50; ++i) {
      const Vector3 d =
          i == 0 ? Vector3(0, 0, -1) : Vector3(random.Normal(), random.Normal(), random.Normal()).normalized();
      Vector3 point;
      if (!c.field->CalcSupport(d, &point)) break;
      double most = -1e9;
      for (const Vector3& p : c.field->surface().vertices) most = std::max(most, d.dot(p));
      EXPECT_GE(d.dot(point), most - 1e-12);
      EXPECT_LE(d.dot(point), most + c.field->surface_error() + 1e-12);
      EXPECT_NEAR(c.field->Evaluate(point, nullptr), 0, 1e-12);
    }
  }
}

// Near the thread the field is the distance but for a part of k^2 / 2, k the slope of the helix; against the same
// surface in triangles of half a millimetre, which are off by 1.4 micrometres.
TEST(Threads, DistancesNearTheFlanks) {
  const FieldPointer coarse = MakeBoltField({}, 0.02, 5e-3), fine = MakeBoltField({}, 0.02, 4e-4);
  const double k = 5e-3 / (2 * M_PI * 21.3e-3);
  EXPECT_LT(fine->surface_error(), 1e-6);
  Random random(6);
  double worst = 0;
  for (int i = 0; i < 200; ++i) {
    Vector3 p = RandomSurfacePoint(fine->surface(), &random);
    p += 2e-4 * Vector3(random.Normal(), random.Normal(), random.Normal());
    if (std::abs(p[2]) > 9e-3) continue;
    const double value = coarse->Evaluate(p, nullptr), distance = DistanceFromMesh(fine->surface(), p);
    worst = std::max(worst, std::abs(std::abs(value) - distance));
    EXPECT_NEAR(std::abs(value), distance, 0.5 * k * k * distance + fine->surface_error());
  }
  RecordProperty("worst_error_m", std::to_string(worst));
}

// Collision looks for deep points from triangle to triangle: the ends' must not be larger than the thread's.
TEST(Threads, BoltsHaveNoLargeTriangles) {
  const double edge = 3e-3;
  const FieldPointer bolt = MakeBoltField({}, 0.05, edge);
  const TriangleMesh& mesh = bolt->surface();
  double longest = 0;
  for (const auto& t : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3 &p = mesh.vertices[static_cast<std::size_t>(t[i])],
                    &q = mesh.vertices[static_cast<std::size_t>(t[(i + 1) % 3])];
      longest = std::max(longest, (p - q).norm());
    }
  }
  EXPECT_LE(longest, std::sqrt(2.0) * edge);
}

TEST(Threads, NutFitsItsBolt) {
  for (const double clearance : {0.0, 1e-4, 5e-4}) {
    const FieldPointer bolt = MakeBoltField({}, 0.08, 2.5e-3);
    const FieldPointer nut = MakeNutField({}, {.clearance = clearance}, 2.5e-3);
    double least = 1, most_inside = 0;
    for (const Vector3& p : nut->surface().vertices) {
      const double value = bolt->Evaluate(p, nullptr);
      least = std::min(least, value);
      if (std::abs(p[2]) < 18.9e-3 && std::hypot(p[0], p[1]) < 25e-3) most_inside = std::max(most_inside, value);
    }
    EXPECT_NEAR(least, clearance, 1e-3 * clearance + 1e-12);
    EXPECT_NEAR(most_inside, clearance, 1e-3 * clearance + 1e-12);
    // Turned by an angle and lifted by the pitch's share it fits as well; turned alone it does not.
    const double angle = 0.7, lift = 5e-3 * angle / (2 * M_PI);
    const Matrix3 R = ExpRotation(Vector3(0, 0, angle)).toRotationMatrix();
    for (const Vector3& p : nut->surface().vertices) {
      EXPECT_GE(bolt->Evaluate(R * p + Vector3(0, 0, lift), nullptr), clearance * (1 - 1e-3) - 1e-12);
    }
  }
}

// Next to the middle plane of the thinnest axis the nearest point is on the one side or the other, always as far.
TEST(Fields, EllipsoidsAreExactInTheirMiddle) {
  const Vector3 axes(0.5, 0.4, 0.3);
  const FieldPointer field = MakeEllipsoidField(axes, 0.2);
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const Vector3 p(random.Uniform(-0.3, 0.3), random.Uniform(-0.2, 0.2), 0);
    const double middle = field->Evaluate(p, nullptr);
    for (double z = 1e-2; z > 1e-18; z *= 0.3) {
      EXPECT_LE(std::abs(field->Evaluate(p + Vector3(0, 0, z), nullptr) - middle), z + 1e-15);
      EXPECT_LE(std::abs(field->Evaluate(p - Vector3(0, 0, z), nullptr) - middle), z + 1e-15);
    }
  }
  EXPECT_EQ(field->Evaluate(Vector3::Zero(), nullptr), -0.3);
}

TEST(Fields, BadSizesAreRefused) {
  EXPECT_THROW(MakeSphereField(0, 0.1), InputError);
  EXPECT_THROW(MakeSphereField(1, 0), InputError);
  EXPECT_THROW(MakeBoxField({1, -1, 1}, 0.1), InputError);
  EXPECT_THROW(MakeRevolvedField({{0, 0}}, 1e-3, 1e-2), InputError);
  EXPECT_THROW(MakeRevolvedField({{0, 0}, {0.1, 0}, {0, 0.1}}, 1e-3, 1e-2), InputError);  // back to the axis
  EXPECT_THROW(MakeRevolvedField({{0, 0}, {0.1, 0}, {0.1, 1e-3}, {0.05, 1e-3}}, 2e-3, 1e-2),
               InputError);                                                        // into itself
  EXPECT_THROW(MakeRevolvedField({{1e-3, 0}, {0.1, 0}}, 2e-3, 1e-2), InputError);  // across the axis
  EXPECT_THROW(MakeBoltField({.diameter = 1e-2, .pitch = 5e-3}, 0.1, 1e-3), InputError);
  EXPECT_THROW(MakeNutField({}, {.clearance = 2e-3}, 1e-3), InputError);
  EXPECT_THROW(MakeNutField({}, {.across_flats = 40e-3}, 1e-3), InputError);
  EXPECT_THROW(MakeUnionField(nullptr, nullptr), InputError);
}

}  // namespace
}  // namespace tactus
