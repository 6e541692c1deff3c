#include "tactus/collision/property_testing.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "tactus/collision/collision_testing.h"

namespace tactus {

namespace {

constexpr double kMargin = 0.3;

struct Sample {
  TestShape a, b;
  Pose X_WA, X_WB;
};

Sample MakeSample(ShapeType a, ShapeType b, Random* random) {
  Sample sample{MakeRandomShape(a, random), MakeRandomShape(b, random), {}, {}};
  // From deep in each other to apart.
  sample.X_WB = MakeRandomPose(random->Uniform(0, 3), random);
  sample.X_WA = MakeRandomPose(random->Uniform(0, 1.8), random);
  sample.X_WA.p += sample.X_WB.p;
  return sample;
}

void Collide(const Sample& s, CollisionScratch* scratch, ContactManifold* out) {
  CollideShapes(*s.a.prepared, s.X_WA, *s.b.prepared, s.X_WB, kMargin, scratch, out);
}

void ExpectSoundPoints(const Sample& s, const ContactManifold& manifold) {
  for (std::size_t i = 0; i < manifold.points.size(); ++i) {
    const ContactPoint& contact = manifold.points[i];
    EXPECT_TRUE(contact.point.allFinite() && contact.normal.allFinite() && std::isfinite(contact.gap));
    EXPECT_NEAR(contact.normal.norm(), 1, 1e-12);
    EXPECT_LE(contact.gap, kMargin);
    // No point claims to be deeper than the shapes are along its normal.
    EXPECT_GE(contact.gap, ReferenceSeparation(s.a.shape, s.X_WA, s.b.shape, s.X_WB, contact.normal) - 1e-8);
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(contact.feature, manifold.points[j].feature);
  }
}

void ExpectSwapped(const Sample& s, const ContactPoint& deepest, CollisionScratch* scratch) {
  ContactManifold swapped;
  CollideShapes(*s.b.prepared, s.X_WB, *s.a.prepared, s.X_WA, kMargin, scratch, &swapped);
  const ContactPoint* other = Deepest(swapped);
  ASSERT_NE(other, nullptr);
  EXPECT_NEAR(other->gap, deepest.gap, 1e-8);
  // Of several equally short ways out either may be taken; its separation is the same.
  EXPECT_NEAR(ReferenceSeparation(s.a.shape, s.X_WA, s.b.shape, s.X_WB, -other->normal), deepest.gap, 1e-7);
}

void ExpectContinuous(const Sample& s, const ContactPoint& deepest, Random* random, CollisionScratch* scratch) {
  constexpr double kMove = 1e-6;
  Sample moved = s;
  moved.X_WA.p += kMove * MakeRandomDirection(random);
  moved.X_WA.R = ExpRotation(kMove * MakeRandomDirection(random)).toRotationMatrix() * s.X_WA.R;
  ContactManifold manifold;
  Collide(moved, scratch, &manifold);
  const ContactPoint* after = Deepest(manifold);
  if (after == nullptr) {
    EXPECT_GT(deepest.gap, kMargin - 4 * kMove);
    return;
  }
  EXPECT_NEAR(after->gap, deepest.gap, 4 * kMove);
  if (deepest.gap > 0.01) {
    EXPECT_LT((after->normal - deepest.normal).norm(), 4 * kMove / deepest.gap + 1e-5);
  }
}

}  // namespace

PropertyFigures ExpectProperties(ShapeType a, ShapeType b, int poses, unsigned seed) {
  SCOPED_TRACE(std::string(ToString(a)) + " and " + ToString(b));
  Random random(seed);
  CollisionScratch scratch;
  ContactManifold manifold;
  PropertyFigures figures;
  for (int i = 0; i < poses; ++i) {
    SCOPED_TRACE(i);
    const Sample s = MakeSample(a, b, &random);
    Collide(s, &scratch, &manifold);
    ++figures.poses;
    double reference = ReferenceGap(s.a.shape, s.X_WA, s.b.shape, s.X_WB);
    const ContactPoint* found = Deepest(manifold);
    if (found == nullptr) {
      EXPECT_GT(reference, kMargin - 1e-6);
    } else {
      ++figures.touching;
      const ContactPoint deepest = *found;
      ExpectSoundPoints(s, manifold);
      // Moved by -gap along the normal they just touch: the gap is that along the normal, and none is greater.
      const double along = ReferenceSeparation(s.a.shape, s.X_WA, s.b.shape, s.X_WB, deepest.normal);
      figures.certificate = std::max(figures.certificate, std::abs(along - deepest.gap));
      EXPECT_NEAR(along, deepest.gap, 1e-7);
      // The search may miss the best of many ways out; the way found is a lower bound, too.
      reference = std::max(reference, along);
      figures.gap_error = std::max(figures.gap_error, std::abs(reference - deepest.gap));
      EXPECT_NEAR(reference, deepest.gap, 1e-6);
      const double outside_a = ReferenceOutside(s.a.shape, s.X_WA, deepest.point + 0.5 * deepest.gap * deepest.normal);
      const double outside_b = ReferenceOutside(s.b.shape, s.X_WB, deepest.point - 0.5 * deepest.gap * deepest.normal);
      figures.outside = std::max({figures.outside, std::abs(outside_a), std::abs(outside_b)});
      // Along curved surfaces the place is known to the root of the gap's error.
      EXPECT_NEAR(outside_a, 0, 1e-4);
      EXPECT_NEAR(outside_b, 0, 1e-4);
      ExpectSwapped(s, deepest, &scratch);
      ExpectContinuous(s, deepest, &random, &scratch);
    }
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "gap " << (found != nullptr ? Deepest(manifold)->gap : std::nan("")) << " reference "
                    << reference;
      break;
    }
  }
  return figures;
}

std::vector<TypePair> ConvexPairs() {
  constexpr ShapeType kTypes[] = {ShapeType::Sphere,    ShapeType::Capsule, ShapeType::Box,      ShapeType::Cylinder,
                                  ShapeType::Ellipsoid, ShapeType::Mesh,    ShapeType::HalfSpace};
  std::vector<TypePair> pairs;
  for (std::size_t i = 0; i < std::size(kTypes); ++i) {
    for (std::size_t j = i; j < std::size(kTypes); ++j) {
      if (kTypes[i] != ShapeType::HalfSpace) pairs.emplace_back(kTypes[i], kTypes[j]);
    }
  }
  return pairs;
}

std::string PairName(const TypePair& pair) {
  std::string name = std::string(ToString(pair.first)) + "_" + ToString(pair.second);
  for (char& c : name) {
    if (c == '-' || c == ' ') c = '_';
  }
  return name;
}

}  // namespace tactus
