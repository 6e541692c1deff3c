// Poses, spatial vectors and inertias of rigid bodies.
//
// A spatial velocity is V = [v; w]: the velocity of the body's point that lies at the origin, and the angular velocity.
// A spatial force is F = [f; n]: force, and moment about the origin. All in the same axes.
#pragma once

#include <Eigen/Geometry>

#include "tactus/core/types.h"

namespace tactus {

using Quaternion = Eigen::Quaterniond;

/// X_AB: frame B seen from frame A. A point p_B of B is R p_B + p in A.
struct Pose {
  Matrix3 R = Matrix3::Identity();
  Vector3 p = Vector3::Zero();

  Pose() = default;
  Pose(const Matrix3& rotation, const Vector3& translation) : R(rotation), p(translation) {}
  explicit Pose(const Vector3& translation) : p(translation) {}

  Pose operator*(const Pose& other) const { return {R * other.R, R * other.p + p}; }
  Vector3 operator*(const Vector3& point) const { return R * point + p; }
  Pose Inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
};

inline Matrix3 Skew(const Vector3& a) {
  Matrix3 S;
  S << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return S;
}

/// Rotation vector -> rotation, and back (angle in [0, pi]).
Quaternion ExpRotation(const Vector3& rotation);
Vector3 LogRotation(const Quaternion& q);
/// A rotation that takes the z axis to the unit vector `axis`.
Matrix3 RotationFromZ(const Vector3& axis);

/// Mass properties in ten parameters about the origin of some frame: mass, first moment h = m c, and the rotational
/// inertia about the origin (xx, yy, zz, xy, xz, yz). They add up, over bodies and over point masses.
struct SpatialInertia {
  double m = 0;
  double h[3] = {0, 0, 0};
  double I[6] = {0, 0, 0, 0, 0, 0};

  /// From mass, centre of mass and inertia about the centre of mass, all in one frame's axes.
  static SpatialInertia FromCentral(double mass, const Vector3& com, const Matrix3& central);
  /// A point mass at p: what a penalty at a contact point adds (docs/theory.md).
  static SpatialInertia FromPoint(double mass, const Vector3& p);

  void operator+=(const SpatialInertia& other);
  SpatialInertia operator*(double s) const;
  /// The same body seen from frame A when this is about frame B and X_AB is given.
  SpatialInertia Transformed(const Pose& X_AB) const;

  Vector3 com() const { return m != 0 ? Vector3(Vector3(h[0], h[1], h[2]) / m) : Vector3::Zero(); }
  Matrix3 rotational() const;
  /// About the centre of mass.
  Matrix3 central() const;
  /// [m 1, -[h]x; [h]x, I].
  Matrix6 matrix() const;
};

}  // namespace tactus
