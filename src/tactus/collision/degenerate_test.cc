// Shapes without extent, on top of each other, far away, tiny beside huge: always finite, always unit normals.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/collision/collision_testing.h"
#include "tactus/core/error.h"
#include "tactus/geometry/fields/fields.h"

namespace tactus {
namespace {

void ExpectSound(const ContactManifold& manifold) {
  for (const ContactPoint& contact : manifold.points) {
    EXPECT_TRUE(contact.point.allFinite() && std::isfinite(contact.gap));
    EXPECT_NEAR(contact.normal.norm(), 1, 1e-12);
  }
}

std::vector<TestShape> AllShapes(double scale) {
  std::vector<TestShape> shapes;
  for (const Vector3& size : {Vector3(0.5, 0.4, 0.3), Vector3(0.5, 0.5, 0.5), Vector3(0, 0, 0), Vector3(0.5, 0, 0),
                              Vector3(0, 0.5, 0), Vector3(0.5, 0.5, 0), Vector3(1e-9, 0.5, 0.5)}) {
    for (const ShapeType type : {ShapeType::Sphere, ShapeType::Capsule, ShapeType::Box, ShapeType::Cylinder,
                                 ShapeType::Ellipsoid, ShapeType::HalfSpace}) {
      shapes.push_back(MakeTestShape(type, scale * size));
    }
  }
  shapes.push_back(MakeTestMesh(MakeBoxMesh(scale * Vector3(0.5, 0.4, 0.3)).vertices));
  shapes.push_back(MakeTestMesh(
      {scale * Vector3(0, 0, 0), scale * Vector3(1, 0, 0), scale * Vector3(0, 1, 0), scale * Vector3(0, 0, 1e-3)}));
  TriangleMesh plate = MakePlate(3, scale);
  shapes.push_back(MakeTestSurface(plate));
  plate.triangles.push_back({0, 0, 1});  // no area
  shapes.push_back(MakeTestSurface(plate));
  shapes.push_back(MakeTestSurface(MakeBoxMesh(scale * Vector3(0.5, 0.5, 0.5))));
  for (const FieldPointer& field :
       {MakeBoxField(scale * Vector3(0.5, 0.4, 0.3), 0.3 * scale),
        MakeCylinderField(0.5 * scale, 0.5 * scale, 0.3 * scale),
        MakeDishField({scale * Vector2(0.3, 0), scale * Vector2(0.5, 0.3), 0.05 * scale}, 0.2 * scale)}) {
    TestShape shape;
    shape.shape.type = ShapeType::Field;
    shape.shape.field = field;
    shape.prepared = CollisionShape::Make(shape.shape, "test");
    shapes.push_back(shape);
  }
  return shapes;
}

TEST(DegenerateShapes, CoincidentTouchingAndFlat) {
  const std::vector<TestShape> shapes = AllShapes(1);
  CollisionScratch scratch;
  ContactManifold manifold;
  std::vector<Matrix3> rotations = {
      Matrix3::Identity(), RotationFromZ(Vector3::UnitX()), ExpRotation(Vector3(0, 0, M_PI / 4)).toRotationMatrix(),
      ExpRotation(Vector3(1e-9, 1e-12, 0)).toRotationMatrix(), ExpRotation(Vector3(0.3, -0.4, 0.5)).toRotationMatrix()};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t j = i; j < shapes.size(); j += 3) {
      const TestShape &a = shapes[i], &b = shapes[j];
      SCOPED_TRACE(std::string(ToString(a.shape.type)) + " and " + ToString(b.shape.type));
      for (const Matrix3& R : rotations) {
        for (const Vector3& p : {Vector3(0, 0, 0), Vector3(0, 0, 1), Vector3(0.5, 0, 0), Vector3(0, 0, 0.3),
                                 Vector3(1, 0, 0), Vector3(1, 1, 1), Vector3(1e-12, 0, 0), Vector3(0, 1e-300, 0)}) {
          const Pose X(R, p);
          CollideShapes(*a.prepared, X, *b.prepared, Pose(), 0.01, &scratch, &manifold);
          ExpectSound(manifold);
          CollideShapes(*a.prepared, X, *b.prepared, X, 0.01, &scratch, &manifold);
          ExpectSound(manifold);
          if (a.prepared->kind() == CollisionKind::HalfSpace || b.prepared->kind() == CollisionKind::HalfSpace)
            continue;
          if (a.prepared->surface() != nullptr || b.prepared->surface() != nullptr) continue;
          EXPECT_FALSE(manifold.empty());  // same place: they touch
        }
      }
    }
  }
}

// Far from the origin everything is as near it, to the rounding of positions.
TEST(DegenerateShapes, FarFromTheOrigin) {
  Random random(3);
  CollisionScratch scratch;
  ContactManifold near, far;
  const Vector3 away(1e5, -2e5, 3e4);
  for (const TestShape& a : AllShapes(1)) {
    for (const TestShape& b : AllShapes(1)) {
      SCOPED_TRACE(std::string(ToString(a.shape.type)) + " and " + ToString(b.shape.type));
      const Pose X_WA = MakeRandomPose(0.4, &random), X_WB = MakeRandomPose(0.4, &random);
      CollideShapes(*a.prepared, X_WA, *b.prepared, X_WB, 0.01, &scratch, &near);
      CollideShapes(*a.prepared, Pose(X_WA.R, X_WA.p + away), *b.prepared, Pose(X_WB.R, X_WB.p + away), 0.01, &scratch,
                    &far);
      ExpectSound(far);
      EXPECT_EQ(near.empty(), far.empty());
      if (!near.empty() && !far.empty()) {
        const bool field = a.prepared->field() != nullptr || b.prepared->field() != nullptr;
        EXPECT_NEAR(Deepest(near)->gap, Deepest(far)->gap, field ? 1e-7 : 1e-9);
      }
    }
  }
}

TEST(DegenerateShapes, TinyBesideHuge) {
  Random random(4);
  CollisionScratch scratch;
  ContactManifold manifold;
  const std::vector<TestShape> huge = AllShapes(1e4), tiny = AllShapes(1e-4);
  for (const TestShape& a : tiny) {
    for (const TestShape& b : huge) {
      SCOPED_TRACE(std::string(ToString(a.shape.type)) + " and " + ToString(b.shape.type));
      for (int i = 0; i < 5; ++i) {
        CollideShapes(*a.prepared, MakeRandomPose(random.Uniform(0, 6e3), &random), *b.prepared,
                      MakeRandomPose(0, &random), 1e-3, &scratch, &manifold);
        ExpectSound(manifold);
      }
    }
  }
  // A grain of a tenth of a millimetre on a block of 20 km.
  const TestShape grain = MakeTestShape(ShapeType::Box, Vector3::Constant(1e-4));
  const TestShape block = MakeTestShape(ShapeType::Box, Vector3(1e4, 1e4, 10));
  CollideShapes(*grain.prepared, Pose(Vector3(3e3, 2e3, 10 + 1e-4)), *block.prepared, Pose(), 1e-5, &scratch,
                &manifold);
  EXPECT_EQ(manifold.size(), 4);
  EXPECT_NEAR(Deepest(manifold)->gap, 0, 1e-11);
}

TEST(DegenerateShapes, BadInputIsRefused) {
  const auto make = [](ShapeType type, const Vector3& size) {
    Shape shape;
    shape.type = type;
    shape.size = size;
    return CollisionShape::Make(shape, "shape");
  };
  EXPECT_THROW(make(ShapeType::Sphere, Vector3(-1, 0, 0)), InputError);
  EXPECT_THROW(make(ShapeType::Box, Vector3(1, std::nan(""), 1)), InputError);
  EXPECT_THROW(make(ShapeType::Mesh, Vector3::Zero()), InputError);
  EXPECT_THROW(make(ShapeType::HeightField, Vector3::Zero()), InputError);
  EXPECT_THROW(MakeTestSurface(TriangleMesh{}), InputError);
  EXPECT_THROW(MakeTestSurface(TriangleMesh{{Vector3::Zero()}, {{0, 1, 2}}, {}}), InputError);
  EXPECT_THROW(MakeTestMesh({Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0, 1, 0)}), InputError);
  HeightField field{2, 2, 1, 1, {0, 0, 0}};
  EXPECT_THROW(MakeTestHeightField(field), InputError);
}

TEST(DegenerateShapes, PairsThatCannotCollideSaySo) {
  EXPECT_FALSE(CanCollide(CollisionKind::HalfSpace, CollisionKind::HalfSpace));
  EXPECT_FALSE(CanCollide(CollisionKind::Surface, CollisionKind::Surface));
  for (int a = 0; a < kCollisionKinds; ++a) {
    for (int b = 0; b < kCollisionKinds; ++b) {
      const auto kind_a = static_cast<CollisionKind>(a), kind_b = static_cast<CollisionKind>(b);
      EXPECT_EQ(CanCollide(kind_a, kind_b), CanCollide(kind_b, kind_a));
      const bool neither = kind_a == kind_b && (kind_a == CollisionKind::HalfSpace || kind_a == CollisionKind::Surface);
      EXPECT_EQ(CanCollide(kind_a, kind_b), !neither);
    }
  }
}

}  // namespace
}  // namespace tactus
