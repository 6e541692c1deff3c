// Fields against all else. Fields of convex solids have twins among the convex shapes, whose gaps are known otherwise.
#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "tactus/collision/collision_testing.h"
#include "tactus/collision/field_testing.h"
#include "tactus/core/error.h"
#include "tactus/geometry/fields/fields.h"

namespace tactus {
namespace {

constexpr double kMargin = 0.3;

// The same solid as a field.
TestShape MakeTwin(const TestShape& shape) {
  const Vector3& s = shape.shape.size;
  switch (shape.shape.type) {
    case ShapeType::Sphere: return MakeTestField(MakeSphereField(s[0], 0.15));
    case ShapeType::Capsule: return MakeTestField(MakeCapsuleField(s[0], s[1], 0.15));
    case ShapeType::Cylinder: return MakeTestField(MakeCylinderField(s[0], s[1], 0.15));
    case ShapeType::Box: return MakeTestField(MakeBoxField(s, 0.15));
    default: return MakeTestField(MakeEllipsoidField(s, 0.15));
  }
}

void ExpectSound(const ContactManifold& manifold, double margin) {
  std::set<std::uint64_t> features;
  for (const ContactPoint& contact : manifold.points) {
    EXPECT_TRUE(contact.point.allFinite() && std::isfinite(contact.gap));
    EXPECT_NEAR(contact.normal.norm(), 1, 1e-12);
    EXPECT_LE(contact.gap, margin);
    EXPECT_TRUE(features.insert(contact.feature).second);
  }
}

constexpr ShapeType kFields[] = {ShapeType::Sphere, ShapeType::Capsule, ShapeType::Box, ShapeType::Cylinder,
                                 ShapeType::Ellipsoid};

struct FieldSamplePair {
  TestShape a, b, twin;  // b as a shape and as a field
  Pose X_WA, X_WB;
};

FieldSamplePair MakeSample(ShapeType a, ShapeType b, bool both, Random* random) {
  FieldSamplePair s;
  s.a = MakeRandomShape(a, random);
  s.b = MakeRandomShape(b, random);
  s.twin = MakeTwin(s.b);
  if (both) s.a = {s.a.shape, MakeTwin(s.a).prepared};
  s.X_WB = MakeRandomPose(random->Uniform(0, 3), random);
  s.X_WA = MakeRandomPose(random->Uniform(0, 1.8), random);
  s.X_WA.p += s.X_WB.p;
  return s;
}

void ExpectPair(ShapeType type_a, ShapeType type_b, bool both, int poses) {
  SCOPED_TRACE(std::string(ToString(type_a)) + (both ? " as a field" : "") + " and field of a " + ToString(type_b));
  Random random(11);
  CollisionScratch scratch;
  ContactManifold manifold, other;
  int apart = 0;
  double worst = 0;
  for (int i = 0; i < poses; ++i) {
    SCOPED_TRACE(i);
    const FieldSamplePair s = MakeSample(type_a, type_b, both, &random);
    CollideShapes(*s.a.prepared, s.X_WA, *s.twin.prepared, s.X_WB, kMargin, &scratch, &manifold);
    ExpectSound(manifold, kMargin);
    const double reference = ReferenceGap(s.a.shape, s.X_WA, s.b.shape, s.X_WB);
    const ContactPoint* deepest = Deepest(manifold);
    if (deepest == nullptr) {
      EXPECT_GT(reference, kMargin - 1e-6);
      continue;
    }
    if (reference > 1e-3) {
      ++apart;
      worst = std::max(worst, std::abs(deepest->gap - reference));
      EXPECT_NEAR(deepest->gap, reference, 1e-6);
      // The normal says so, too.
      EXPECT_NEAR(ReferenceSeparation(s.a.shape, s.X_WA, s.b.shape, s.X_WB, deepest->normal), deepest->gap, 1e-5);
      EXPECT_NEAR(ReferenceOutside(s.b.shape, s.X_WB, deepest->point - 0.5 * deepest->gap * deepest->normal), 0, 1e-4);
    } else if (reference < -1e-6) {
      EXPECT_LT(deepest->gap, 1e-9);
    }
    const double gap = deepest->gap;
    CollideShapes(*s.twin.prepared, s.X_WB, *s.a.prepared, s.X_WA, kMargin, &scratch, &other);
    ASSERT_FALSE(other.empty());
    // Deep inside, fields have ridges, along which minima are found less exactly.
    const bool deep = gap < -0.05;
    EXPECT_NEAR(Deepest(other)->gap, gap, deep ? 2e-3 : 1e-7);
    Pose moved = s.X_WA;
    moved.p += 1e-6 * MakeRandomDirection(&random);
    CollideShapes(*s.a.prepared, moved, *s.twin.prepared, s.X_WB, kMargin, &scratch, &other);
    if (!other.empty()) {
      EXPECT_NEAR(Deepest(other)->gap, gap, deep ? 2e-3 : 4e-6);
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GE(apart, poses / 20);
  ::testing::Test::RecordProperty("worst_gap_error", std::to_string(worst));
}

TEST(FieldPairs, GapsOfConvexShapes) {
  for (const ShapeType a : {ShapeType::Sphere, ShapeType::Capsule, ShapeType::Box, ShapeType::Cylinder,
                            ShapeType::Ellipsoid, ShapeType::Mesh}) {
    for (const ShapeType b : kFields) ExpectPair(a, b, false, 40);
  }
}

TEST(FieldPairs, GapsOfTwoFields) {
  for (const ShapeType a : kFields) {
    for (const ShapeType b : kFields) ExpectPair(a, b, true, 20);
  }
}

const DishProfile kBowl{{0.035, 0}, {0.075, 0.050}, 2e-3};

TEST(FieldPairs, StackedDishesAreAsHighAsTheirProfilesSay) {
  const DishProfile plate{{0.060, 0}, {0.110, 0.025}, 2e-3}, pot{{0.055, 0}, {0.070, 0.100}, 3e-3};
  CollisionScratch scratch;
  ContactManifold manifold;
  for (const auto& [lower, upper] : {std::pair{kBowl, kBowl}, {kBowl, plate}, {plate, pot}}) {
    const TestShape a = MakeTestField(MakeDishField(upper, 5e-3)), b = MakeTestField(MakeDishField(lower, 5e-3));
    const double height = CalcStackHeight(lower, upper);
    for (const double gap : {1e-4, 0.0, -1e-5}) {
      // Turned about the axis it is the same.
      for (const double angle : {0.0, 0.3}) {
        const Pose X(ExpRotation(Vector3(0, 0, angle)).toRotationMatrix(), Vector3(0, 0, height + gap));
        CollideShapes(*a.prepared, X, *b.prepared, Pose(), 2e-4, &scratch, &manifold);
        ExpectSound(manifold, 2e-4);
        ASSERT_GT(manifold.size(), 20);
        // Rings around the axis carry the dish: some point in each quarter, pushing up.
        double quarters[4] = {1, 1, 1, 1};
        for (const ContactPoint& c : manifold.points) {
          double& least = quarters[(c.point[0] < 0 ? 1 : 0) + (c.point[1] < 0 ? 2 : 0)];
          least = std::min(least, c.gap);
          EXPECT_GT(c.normal[2], -1e-9);
        }
        // Walls touch along their normals, at less than the lift.
        for (const double least : quarters) {
          EXPECT_LE(least, std::max(gap, 0.3 * gap) + 1e-8);
          EXPECT_GE(least, std::min(gap, 0.3 * gap) - 1e-8);
        }
      }
    }
  }
}

TEST(FieldPairs, NutOnBolt) {
  const double clearance = 2e-4;
  const TestShape bolt = MakeTestField(MakeBoltField({}, 0.08, 3e-3));
  const TestShape nut = MakeTestField(MakeNutField({}, {.clearance = clearance}, 3e-3));
  CollisionScratch scratch;
  ContactManifold manifold;
  CollideShapes(*nut.prepared, Pose(), *bolt.prepared, Pose(), 5e-4, &scratch, &manifold);
  ExpectSound(manifold, 5e-4);
  ASSERT_GT(manifold.size(), 500);
  for (const ContactPoint& c : manifold.points) {
    // Next to the nut's ends, parts of the bolt are farther from it.
    EXPECT_GE(c.gap, clearance * (1 - 1e-3));
    if (std::abs(c.point[2]) < 18e-3) {
      EXPECT_NEAR(c.gap, clearance, 1e-3 * clearance);
    }
  }
  // Lowered onto its flanks: the gap there is less by the flank's share of the way, cos 30 degrees (the helix takes off
  // little), and the nut is carried upwards.
  for (const double drop : {1e-4, clearance / std::cos(M_PI / 6)}) {
    CollideShapes(*nut.prepared, Pose(Vector3(0, 0, -drop)), *bolt.prepared, Pose(), 5e-4, &scratch, &manifold);
    const ContactPoint& deepest = *Deepest(manifold);
    EXPECT_NEAR(deepest.gap, clearance - drop * std::cos(M_PI / 6), 2e-7);
    EXPECT_NEAR(deepest.normal[2], std::cos(M_PI / 6), 1e-3);
    // Turned along the thread it is the same.
    const double angle = 1.0;
    CollideShapes(*nut.prepared,
                  Pose(ExpRotation({0, 0, angle}).toRotationMatrix(), Vector3(0, 0, 5e-3 * angle / (2 * M_PI) - drop)),
                  *bolt.prepared, Pose(), 5e-4, &scratch, &manifold);
    EXPECT_NEAR(Deepest(manifold)->gap, clearance - drop * std::cos(M_PI / 6), 2e-7);
  }
  // Out of step with the thread it overlaps.
  CollideShapes(*nut.prepared, Pose(Vector3(0, 0, 2.5e-3)), *bolt.prepared, Pose(), 5e-4, &scratch, &manifold);
  EXPECT_LT(Deepest(manifold)->gap, -5e-4);
}

TEST(FieldPairs, DishOnTheGround) {
  const TestShape dish = MakeTestField(MakeDishField(kBowl, 5e-3));
  const TestShape ground = MakeTestShape(ShapeType::HalfSpace, Vector3::Zero());
  CollisionScratch scratch;
  ContactManifold manifold;
  CollideShapes(*dish.prepared, Pose(Vector3(0, 0, kBowl.d + 1e-5)), *ground.prepared, Pose(), 1e-4, &scratch,
                &manifold);
  EXPECT_GE(manifold.size(), 12);
  EXPECT_NEAR(Deepest(manifold)->gap, 1e-5, 1e-12);
  // On its rim, at any angle: the circle's lowest point plus the rounding.
  for (const double tilt : {1.2, 2.0, M_PI / 2}) {
    const Matrix3 R =
        ExpRotation(Vector3(tilt, 0, 0)).toRotationMatrix() * ExpRotation(Vector3(0, 0, 0.123)).toRotationMatrix();
    CollideShapes(*dish.prepared, Pose(R, Vector3(0, 0, 0.2)), *ground.prepared, Pose(), 0.3, &scratch, &manifold);
    const double lowest = 0.2 - 0.075 * std::sin(tilt) + 0.05 * std::cos(tilt) - kBowl.d;
    EXPECT_NEAR(Deepest(manifold)->gap, lowest, 1e-12);
  }
}

// A ball between base and wall touches both.
TEST(FieldPairs, SphereInTheCornerOfADish) {
  const TestShape pot = MakeTestField(MakeDishField({{0.05, 0}, {0.05, 0.1}, 2e-3}, 5e-3));
  const TestShape ball = MakeTestShape(ShapeType::Sphere, Vector3(5e-3, 0, 0));
  CollisionScratch scratch;
  ContactManifold manifold;
  for (const double angle : {0.0, 0.4, 2.0}) {
    const double r = 0.05 - 2e-3 - 5e-3;
    CollideShapes(*ball.prepared, Pose(Vector3(r * std::cos(angle), r * std::sin(angle), 2e-3 + 5e-3 + 1e-6)),
                  *pot.prepared, Pose(), 1e-4, &scratch, &manifold);
    ExpectSound(manifold, 1e-4);
    ASSERT_EQ(manifold.size(), 2);
    EXPECT_NEAR(manifold.points[0].gap, 0, 1e-9);
    EXPECT_NEAR(manifold.points[0].normal[2], 0, 1e-9);
    EXPECT_NEAR(manifold.points[1].gap, 1e-6, 1e-9);
    EXPECT_NEAR(manifold.points[1].normal[2], 1, 1e-6);
  }
}

// One that falls along the wall sees the base below as far as it is asked to look, at any angle, and contacts keep
// their features whichever of the two is nearer.
TEST(FieldPairs, SphereBesideAWallSeesTheBase) {
  const TestShape pot = MakeTestField(MakeDishField({{0.05, 0}, {0.05, 0.1}, 2e-3}, 5e-3));
  const TestShape ball = MakeTestShape(ShapeType::Sphere, Vector3(5e-3, 0, 0));
  CollisionScratch scratch;
  ContactManifold manifold;
  const double floor = 2e-3 + 5e-3, wall = 0.05 - 2e-3 - 5e-3;
  for (const double angle : {0.0, 0.4, 0.7, 2.0, 4.1}) {
    std::set<std::uint64_t> features;
    for (const double up : {1e-5, 1e-3, 4e-3, 7e-3}) {
      for (const double off : {1e-6, 2e-4, 2e-3}) {
        const Vector3 place((wall - off) * std::cos(angle), (wall - off) * std::sin(angle), floor + up);
        CollideShapes(*ball.prepared, Pose(place), *pot.prepared, Pose(), 8e-3, &scratch, &manifold);
        ExpectSound(manifold, 8e-3);
        ASSERT_EQ(manifold.size(), 2) << angle << ' ' << up << ' ' << off;
        const std::size_t base = manifold.points[0].normal[2] > 0.5 ? 0 : 1;
        EXPECT_NEAR(manifold.points[base].gap, up, 1e-8);
        EXPECT_NEAR(manifold.points[1 - base].gap, off, 1e-8);
        EXPECT_NEAR(manifold.points[1 - base].normal.dot(place), -(wall - off), 1e-8);
        features.insert(manifold.points[base].feature);
        features.insert(manifold.points[1 - base].feature);
      }
    }
    EXPECT_EQ(features.size(), 2u) << angle;
  }
}

TEST(FieldPairs, CornersOnlyFindsWhatCornersTouch) {
  TestShape box = MakeTestShape(ShapeType::Box, Vector3(0.5, 0.4, 0.3));
  const TestShape table = MakeTestField(MakeBoxField(Vector3(2, 2, 0.5), 0.3));
  const TestShape ball = MakeTestField(MakeSphereField(0.2, 0.05));
  CollisionScratch scratch;
  ContactManifold full, corners;
  Shape shape = box.shape;
  shape.corners_only = true;
  const auto cheap = CollisionShape::Make(shape, "test");
  CollideShapes(*cheap, Pose(Vector3(0, 0, 0.8 + 1e-4)), *table.prepared, Pose(), 1e-3, &scratch, &corners);
  EXPECT_GE(corners.size(), 4);
  EXPECT_NEAR(Deepest(corners)->gap, 1e-4, 1e-12);
  EXPECT_NEAR(Deepest(corners)->normal[2], 1, 1e-12);
  // A ball below the middle of a face, between the corners of its triangles.
  CollideShapes(*box.prepared, Pose(Vector3(0.07, 0.05, 0.5)), *ball.prepared, Pose(), 1e-3, &scratch, &full);
  ASSERT_FALSE(full.empty());
  EXPECT_NEAR(Deepest(full)->gap, 0, 1e-9);
}

TEST(FieldPairs, ConcaveMeshesAndHeightFields) {
  const TestShape ball = MakeTestField(MakeSphereField(0.2, 0.05)), plate = MakeTestSurface(MakePlate(5, 1));
  CollisionScratch scratch;
  ContactManifold manifold;
  Random random(5);
  for (int i = 0; i < 50; ++i) {
    const double gap = random.Uniform(-0.02, 0.02);
    const Pose X(MakeRandomPose(0, &random).R,
                 Vector3(random.Uniform(-0.5, 0.5), random.Uniform(-0.5, 0.5), 0.2 + gap));
    CollideShapes(*plate.prepared, Pose(), *ball.prepared, X, 0.03, &scratch, &manifold);
    ExpectSound(manifold, 0.03);
    ASSERT_FALSE(manifold.empty());
    EXPECT_NEAR(Deepest(manifold)->gap, gap, 1e-8);
    EXPECT_NEAR(Deepest(manifold)->normal[2], -1, 1e-4);
  }
}

TEST(FieldPairs, MissingFieldsAreRefused) {
  Shape shape;
  shape.type = ShapeType::Field;
  EXPECT_THROW(CollisionShape::Make(shape, "test"), InputError);
}

}  // namespace
}  // namespace tactus
