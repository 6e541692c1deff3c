// Properties of pairs with fields on many poses, from apart to deep in each other. There is no reference for concave
// solids; what is checked is that points are where they say, and that samples of the surfaces find nothing lower.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tactus/collision/collision_testing.h"
#include "tactus/geometry/fields/fields.h"
#include "tactus/geometry/fields/grid.h"

namespace tactus {
namespace {

constexpr int kPoses = 10000;
constexpr int kSamples = 60;

struct FieldPairCase {
  std::string name;
  TestShape a, b;
  double reach;   // centres are up to that far apart [m]
  double margin;  // [m]
  bool threaded;  // every other pose next to that in which the thread fits
};

TestShape MakeTestField(FieldPointer field) {
  TestShape out;
  out.shape.type = ShapeType::Field;
  out.shape.field = std::move(field);
  out.prepared = CollisionShape::Make(out.shape, "test");
  return out;
}

FieldPairCase MakeCase(const std::string& name) {
  const TestShape dish = MakeTestField(MakeDishField({{0.035, 0}, {0.075, 0.050}, 2e-3}, 5e-3));
  if (name == "dish_box") return {name, MakeTestShape(ShapeType::Box, {0.02, 0.03, 0.01}), dish, 0.12, 1e-3, false};
  if (name == "dish_sphere") return {name, MakeTestShape(ShapeType::Sphere, {0.02, 0, 0}), dish, 0.12, 1e-3, false};
  if (name == "dish_dish") return {name, dish, dish, 0.15, 1e-3, false};
  if (name == "nut_bolt") {
    return {name,
            MakeTestField(MakeNutField({}, {.clearance = 2e-4}, 4e-3)),
            MakeTestField(MakeBoltField({}, 0.06, 4e-3)),
            0.08,
            5e-4,
            true};
  }
  // Two blocks with a slot between them, in cells of 2 mm.
  TriangleMesh blocks = MakeBoxMesh({0.06, 0.01, 0.03});
  const TriangleMesh second = MakeBoxMesh({0.01, 0.04, 0.03});
  for (const Vector3& p : second.vertices) blocks.vertices.push_back(p + Vector3(0, 0.06, 0));
  for (const auto& t : second.triangles) blocks.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  const FieldPointer grid = MakeGridField(blocks, {.cell = 2e-3, .cached = false}, "blocks");
  return {name, MakeTestShape(ShapeType::Box, {0.02, 0.03, 0.01}), MakeTestField(grid), 0.12, 1e-3, false};
}

Pose MakePose(const FieldPairCase& c, int i, Random* random) {
  if (!c.threaded || i % 2 == 0) return MakeRandomPose(random->Uniform(0, c.reach), random);
  const double angle = random->Uniform(-3, 3);
  const Matrix3 lean = ExpRotation(2e-3 * random->Normal() * MakeRandomDirection(random)).toRotationMatrix();
  return {lean * ExpRotation(Vector3(0, 0, angle)).toRotationMatrix(),
          Vector3(0, 0, 5e-3 * angle / (2 * M_PI)) + 3e-4 * random->Normal() * MakeRandomDirection(random)};
}

// Fields of the two, in world coordinates; that of convex shapes is the one collision uses.
double Value(const CollisionShape& shape, const Pose& X, const Vector3& p) {
  const Vector3 local = X.R.transpose() * (p - X.p);
  if (shape.kind() == CollisionKind::Sphere) return local.norm() - shape.core().radius;
  return shape.probe().field()->Evaluate(local, nullptr);
}

double ValueError(const CollisionShape& shape) {
  if (shape.kind() == CollisionKind::Sphere) return 0;
  return shape.probe().field()->value_error() + shape.probe().error();
}

Vector3 MakeSurfacePoint(const CollisionShape& shape, const Pose& X, Random* random) {
  if (shape.kind() == CollisionKind::Sphere) return X * (shape.core().radius * MakeRandomDirection(random));
  const TriangleSurface& surface = shape.probe().surface();
  const auto& t = surface.triangle(random->Index(static_cast<int>(surface.triangles().size())));
  double u = random->Uniform(), v = random->Uniform();
  if (u + v > 1) u = 1 - u, v = 1 - v;
  return X * ((1 - u - v) * surface.vertex(t.vertex[0]) + u * surface.vertex(t.vertex[1]) +
              v * surface.vertex(t.vertex[2]));
}

struct Figures {
  int touching = 0, shallow = 0;
  double place = 0;        // of a point's side off the surface it is on [m]
  double missed = 0;       // by how much a sample was lower than the manifold where that is shallow [m]
  double missed_deep = 0;  // the same where it is deep
  double swapped = 0, moved = 0;
};

// One side of each point is on the one surface, as deep in the other as the gap says.
void ExpectPlaces(const FieldPairCase& c, const Pose& X_WA, const ContactManifold& manifold, Figures* figures) {
  std::set<std::uint64_t> features;
  const double tolerance = 1e-9 + ValueError(*c.a.prepared) + ValueError(*c.b.prepared);
  for (const ContactPoint& contact : manifold.points) {
    ASSERT_TRUE(contact.point.allFinite() && std::isfinite(contact.gap));
    EXPECT_NEAR(contact.normal.norm(), 1, 1e-12);
    EXPECT_LE(contact.gap, c.margin);
    EXPECT_TRUE(features.insert(contact.feature).second);
    const Vector3 on_a = contact.point + 0.5 * contact.gap * contact.normal,
                  on_b = contact.point - 0.5 * contact.gap * contact.normal;
    const double a_on_b = std::max(std::abs(Value(*c.a.prepared, X_WA, on_a)),
                                   std::abs(Value(*c.b.prepared, Pose(), on_a) - contact.gap));
    const double b_on_a = std::max(std::abs(Value(*c.b.prepared, Pose(), on_b)),
                                   std::abs(Value(*c.a.prepared, X_WA, on_b) - contact.gap));
    // A sphere whose centre is inside is as deep as that, plus its radius.
    const bool centre_inside =
        c.a.prepared->kind() == CollisionKind::Sphere && Value(*c.b.prepared, Pose(), X_WA.p) < 0;
    const double off = centre_inside ? std::abs(Value(*c.b.prepared, Pose(), X_WA.p) - c.a.shape.size[0] - contact.gap)
                                     : std::min(a_on_b, b_on_a);
    figures->place = std::max(figures->place, off);
    EXPECT_LE(off, tolerance);
  }
}

class FieldPropertiesLong : public ::testing::TestWithParam<std::string> {};

TEST_P(FieldPropertiesLong, Hold) {
  const FieldPairCase c = MakeCase(GetParam());
  const CollisionShape &a = *c.a.prepared, &b = *c.b.prepared;
  Random random(1);
  CollisionScratch scratch;
  ContactManifold manifold, other;
  Figures figures;
  const double error = ValueError(a) + ValueError(b);
  for (int i = 0; i < kPoses && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const Pose X_WA = MakePose(c, i, &random);
    CollideShapes(a, X_WA, b, Pose(), c.margin, &scratch, &manifold);
    ExpectPlaces(c, X_WA, manifold, &figures);
    const ContactPoint* found = Deepest(manifold);
    const double least = found != nullptr ? found->gap : c.margin;
    const bool shallow = least > -1e-3;
    figures.touching += found != nullptr ? 1 : 0;
    figures.shallow += found != nullptr && shallow ? 1 : 0;
    double sampled = least;
    for (int k = 0; k < kSamples; ++k) {
      sampled = std::min({sampled, Value(b, Pose(), MakeSurfacePoint(a, X_WA, &random)),
                          Value(a, X_WA, MakeSurfacePoint(b, Pose(), &random))});
    }
    double& missed = shallow ? figures.missed : figures.missed_deep;
    missed = std::max(missed, least - sampled);
    EXPECT_LE(least - sampled, 1e-8 + 2 * error + (shallow ? 0 : 1e-3));
    if (found == nullptr) continue;
    // Either way round, and after a small motion.
    CollideShapes(b, Pose(), a, X_WA, c.margin, &scratch, &other);
    ASSERT_FALSE(other.empty());
    figures.swapped = std::max(figures.swapped, std::abs(Deepest(other)->gap - least));
    EXPECT_NEAR(Deepest(other)->gap, least, 1e-9);
    Pose moved = X_WA;
    moved.p += 1e-7 * MakeRandomDirection(&random);
    CollideShapes(a, moved, b, Pose(), c.margin, &scratch, &other);
    if (least < c.margin - 1e-6) {
      ASSERT_FALSE(other.empty());
      if (shallow) {
        figures.moved = std::max(figures.moved, std::abs(Deepest(other)->gap - least));
        EXPECT_NEAR(Deepest(other)->gap, least, 1e-6 + 2 * error);
      }
    }
  }
  EXPECT_GT(figures.touching, kPoses / 10);
  std::printf(
      "%s: %d poses, %d touch, %d of them less than 1 mm deep; place %.1e, missed %.1e, deep %.1e, swapped %.1e, "
      "moved %.1e\n",
      c.name.c_str(), kPoses, figures.touching, figures.shallow, figures.place, figures.missed, figures.missed_deep,
      figures.swapped, figures.moved);
}

INSTANTIATE_TEST_SUITE_P(Pairs, FieldPropertiesLong,
                         ::testing::Values("dish_box", "dish_sphere", "dish_dish", "nut_bolt", "grid_box"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tactus
