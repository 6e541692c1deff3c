#include "tactus/math/spatial.h"

#include <gtest/gtest.h>

#include "tactus/core/random.h"

namespace tactus {
namespace {

Vector3 RandomVector(Random* random) { return {random->Normal(), random->Normal(), random->Normal()}; }

Pose RandomPose(Random* random) { return {ExpRotation(2 * RandomVector(random)).matrix(), RandomVector(random)}; }

TEST(Rotation, LogUndoesExp) {
  Random random(1);
  for (const double scale : {0.0, 1e-9, 1e-5, 1e-3, 0.5, 1.7}) {
    const Vector3 r = scale * RandomVector(&random).normalized();
    EXPECT_LE((LogRotation(ExpRotation(r)) - r).norm(), 1e-15 + 1e-14 * scale) << scale;
    EXPECT_NEAR(ExpRotation(r).norm(), 1, 1e-15);
  }
}

TEST(Rotation, FromZ) {
  Random random(2);
  for (int k = 0; k < 100; ++k) {
    const Vector3 axis = RandomVector(&random).normalized();
    const Matrix3 R = RotationFromZ(axis);
    EXPECT_LE((R.col(2) - axis).norm(), 1e-15);
    EXPECT_LE((R.transpose() * R - Matrix3::Identity()).norm(), 1e-14);
    EXPECT_NEAR(R.determinant(), 1, 1e-14);
  }
  EXPECT_EQ(RotationFromZ(Vector3::UnitZ()), Matrix3::Identity());
  for (const Vector3& axis : {Vector3(1, 0, 0), Vector3(0, -1, 0), Vector3(0, 0, -1)}) {
    EXPECT_EQ(RotationFromZ(axis).cwiseAbs().sum(), 3) << axis.transpose();  // a permutation with signs
  }
}

// Kinetic energy and momentum do not depend on the frame that they are computed in.
TEST(SpatialInertia, MovesWithFrames) {
  Random random(3);
  const Matrix3 B = Matrix3::Random();
  const SpatialInertia body = SpatialInertia::FromCentral(2.5, RandomVector(&random), B * B.transpose());
  const Pose X = RandomPose(&random);
  const SpatialInertia moved = body.Transformed(X);
  const Vector3 v = RandomVector(&random), w = RandomVector(&random);
  Vector6 V_B, V_A;
  V_B << v, w;
  V_A << X.R * v + X.p.cross(X.R * w), X.R * w;
  EXPECT_NEAR(V_B.dot(body.matrix() * V_B), V_A.dot(moved.matrix() * V_A), 1e-12);
  EXPECT_LE((moved.com() - X * body.com()).norm(), 1e-14);
}

TEST(SpatialInertia, AddsPointMasses) {
  Random random(4);
  SpatialInertia sum;
  Matrix6 expected = Matrix6::Zero();
  for (int k = 0; k < 5; ++k) {
    const Vector3 p = RandomVector(&random);
    const double m = random.Uniform(0.1, 2);
    sum += SpatialInertia::FromPoint(m, p);
    Eigen::Matrix<double, 3, 6> J;
    J << Matrix3::Identity(), -Skew(p);
    expected += m * J.transpose() * J;
  }
  EXPECT_LE((sum.matrix() - expected).norm(), 1e-13);
}

}  // namespace
}  // namespace tactus
