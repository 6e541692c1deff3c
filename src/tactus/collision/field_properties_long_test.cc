// Properties of pairs with fields on many poses, from apart to deep in each other: points are where they say, and a
// reference that samples the surfaces finds nothing lower.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tactus/collision/collision_testing.h"
#include "tactus/collision/field_testing.h"
#include "tactus/geometry/fields/fields.h"
#include "tactus/geometry/fields/grid.h"

namespace tactus {
namespace {

constexpr int kPoses = 100000;
constexpr int kSamples = 60;
constexpr int kMoved = 5;  // every so many poses are tried the other way round and moved, too
constexpr double kGapError = 1e-6;

struct FieldPairCase {
  std::string name;
  TestShape a, b;
  ReferenceSolid solid_a, solid_b;
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
  const FieldPointer dish = MakeDishField({{0.035, 0}, {0.075, 0.050}, 2e-3}, 5e-3);
  const ReferenceSolid solid_dish = MakeReferenceSolid(dish);
  const TestShape box = MakeTestShape(ShapeType::Box, {0.02, 0.03, 0.01});
  const ReferenceSolid solid_box = MakeReferenceSolid(MakeBoxField(box.shape.size, 5e-3));
  if (name == "dish_box") return {name, box, MakeTestField(dish), solid_box, solid_dish, 0.12, 1e-3, false};
  if (name == "dish_sphere") {
    return {name,
            MakeTestShape(ShapeType::Sphere, {0.02, 0, 0}),
            MakeTestField(dish),
            MakeReferenceSolid(MakeSphereField(0.02, 5e-3)),
            solid_dish,
            0.12,
            1e-3,
            false};
  }
  if (name == "dish_dish") {
    return {name, MakeTestField(dish), MakeTestField(dish), solid_dish, solid_dish, 0.15, 1e-3, false};
  }
  if (name == "nut_bolt") {
    const FieldPointer nut = MakeNutField({}, {.clearance = 2e-4}, 4e-3), bolt = MakeBoltField({}, 0.06, 4e-3);
    return {
        name, MakeTestField(nut), MakeTestField(bolt), MakeReferenceSolid(nut), MakeReferenceSolid(bolt), 0.08, 5e-4,
        true};
  }
  // Two blocks with a slot between them, in cells of 2 mm.
  TriangleMesh blocks = MakeBoxMesh({0.06, 0.01, 0.03});
  const TriangleMesh second = MakeBoxMesh({0.01, 0.04, 0.03});
  for (const Vector3& p : second.vertices) blocks.vertices.push_back(p + Vector3(0, 0.06, 0));
  for (const auto& t : second.triangles) blocks.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  const FieldPointer grid = MakeGridField(blocks, {.cell = 2e-3, .cached = false}, "blocks");
  return {name, box, MakeTestField(grid), solid_box, MakeReferenceSolid(blocks, 5e-3), 0.12, 1e-3, false};
}

Pose MakePose(const FieldPairCase& c, int i, Random* random) {
  if (!c.threaded || i % 2 == 0) return MakeRandomPose(random->Uniform(0, c.reach), random);
  const double angle = random->Uniform(-3, 3);
  const Matrix3 lean = ExpRotation(2e-3 * random->Normal() * MakeRandomDirection(random)).toRotationMatrix();
  return {lean * ExpRotation(Vector3(0, 0, angle)).toRotationMatrix(),
          Vector3(0, 0, 5e-3 * angle / (2 * M_PI)) + 3e-4 * random->Normal() * MakeRandomDirection(random)};
}

double Value(const ReferenceSolid& solid, const Pose& X, const Vector3& p) {
  return solid.field->Evaluate(X.R.transpose() * (p - X.p), nullptr);
}

struct Figures {
  int touching = 0, shallow = 0;
  double place = 0;        // of a point's side off the surface it is on [m]
  double missed = 0;       // by how much the reference was lower than the manifold where that is shallow [m]
  double missed_deep = 0;  // the same where it is deep
  int missed_count = 0;    // how often that was more than kGapError
  double swapped = 0, moved = 0;
};

// One side of each point is on the one surface, as deep in the other as the gap says.
void ExpectPlaces(const FieldPairCase& c, const Pose& X_WA, const ContactManifold& manifold, Figures* figures) {
  std::set<std::uint64_t> features;
  for (const ContactPoint& contact : manifold.points) {
    ASSERT_TRUE(contact.point.allFinite() && std::isfinite(contact.gap));
    EXPECT_NEAR(contact.normal.norm(), 1, 1e-12);
    EXPECT_LE(contact.gap, c.margin);
    EXPECT_TRUE(features.insert(contact.feature).second);
    const Vector3 on_a = contact.point + 0.5 * contact.gap * contact.normal,
                  on_b = contact.point - 0.5 * contact.gap * contact.normal;
    const double a_on_b =
        std::max(std::abs(Value(c.solid_a, X_WA, on_a)), std::abs(Value(c.solid_b, Pose(), on_a) - contact.gap));
    const double b_on_a =
        std::max(std::abs(Value(c.solid_b, Pose(), on_b)), std::abs(Value(c.solid_a, X_WA, on_b) - contact.gap));
    // A sphere whose centre is inside is as deep as that, plus its radius.
    const bool centre_inside = c.a.prepared->kind() == CollisionKind::Sphere && Value(c.solid_b, Pose(), X_WA.p) < 0;
    const double off = centre_inside ? std::abs(Value(c.solid_b, Pose(), X_WA.p) - c.a.shape.size[0] - contact.gap)
                                     : std::min(a_on_b, b_on_a);
    figures->place = std::max(figures->place, off);
    EXPECT_LE(off, 2e-9);
  }
}

class FieldPropertiesLong : public ::testing::TestWithParam<std::string> {};

TEST_P(FieldPropertiesLong, Hold) {
  const FieldPairCase c = MakeCase(GetParam());
  const CollisionShape &a = *c.a.prepared, &b = *c.b.prepared;
  Random random(1), samples(2);
  CollisionScratch scratch;
  ContactManifold manifold, other;
  Figures figures;
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
    const ReferencePoint reference = FindReferencePoint(c.solid_a, X_WA, c.solid_b, Pose(), least, kSamples, &samples);
    double& missed = shallow ? figures.missed : figures.missed_deep;
    missed = std::max(missed, least - reference.value);
    figures.missed_count += least - reference.value > kGapError ? 1 : 0;
    if (found == nullptr || i % kMoved != 0) continue;
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
        EXPECT_NEAR(Deepest(other)->gap, least, 1e-6);
      }
    }
  }
  EXPECT_GT(figures.touching, kPoses / 10);
  EXPECT_LE(figures.missed, kGapError);
  EXPECT_LE(figures.missed_deep, kGapError);
  std::printf(
      "%s: %d poses, %d touch, %d of them less than 1 mm deep; place %.1e, missed %.1e, deep %.1e (%d), swapped %.1e, "
      "moved %.1e\n",
      c.name.c_str(), kPoses, figures.touching, figures.shallow, figures.place, figures.missed, figures.missed_deep,
      figures.missed_count, figures.swapped, figures.moved);
}

INSTANTIATE_TEST_SUITE_P(Pairs, FieldPropertiesLong,
                         ::testing::Values("dish_box", "dish_sphere", "dish_dish", "nut_bolt", "grid_box"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tactus
