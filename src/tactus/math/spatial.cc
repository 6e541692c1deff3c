#include "tactus/math/spatial.h"

#include <cmath>

namespace tactus {

Quaternion ExpRotation(const Vector3& rotation) {
  const double angle = rotation.norm();
  // sin(angle/2)/angle, by its series where the quotient loses digits.
  const double half = 0.5 * angle;
  const double s = angle > 1e-4 ? std::sin(half) / angle : 0.5 - angle * angle / 48;
  return {std::cos(half), s * rotation[0], s * rotation[1], s * rotation[2]};
}

Vector3 LogRotation(const Quaternion& q) {
  const double sign = q.w() < 0 ? -1 : 1;
  const double w = sign * q.w(), s = q.vec().norm();
  if (s == 0) return Vector3::Zero();
  const double angle = 2 * std::atan2(s, w);
  return (sign * angle / s) * q.vec();
}

Matrix3 RotationFromZ(const Vector3& axis) {
  // Exact for the coordinate axes, so that aligned joints stay aligned.
  const Vector3 z = axis.normalized();
  Vector3 x;
  if (std::abs(z[2]) > 0.9) {
    x = z[2] > 0 ? Vector3(z[2], 0, -z[0]) : Vector3(-z[2], 0, z[0]);
  } else {
    x = Vector3(-z[1], z[0], 0);
  }
  x.normalize();
  Matrix3 R;
  R.col(0) = x;
  R.col(1) = z.cross(x);
  R.col(2) = z;
  return R;
}

SpatialInertia SpatialInertia::FromCentral(double mass, const Vector3& com, const Matrix3& central) {
  SpatialInertia out = FromPoint(mass, com);
  out.I[0] += central(0, 0);
  out.I[1] += central(1, 1);
  out.I[2] += central(2, 2);
  out.I[3] += 0.5 * (central(0, 1) + central(1, 0));
  out.I[4] += 0.5 * (central(0, 2) + central(2, 0));
  out.I[5] += 0.5 * (central(1, 2) + central(2, 1));
  return out;
}

SpatialInertia SpatialInertia::FromPoint(double mass, const Vector3& p) {
  SpatialInertia out;
  out.m = mass;
  for (int k = 0; k < 3; ++k) out.h[k] = mass * p[k];
  out.I[0] = mass * (p[1] * p[1] + p[2] * p[2]);
  out.I[1] = mass * (p[0] * p[0] + p[2] * p[2]);
  out.I[2] = mass * (p[0] * p[0] + p[1] * p[1]);
  out.I[3] = -mass * p[0] * p[1];
  out.I[4] = -mass * p[0] * p[2];
  out.I[5] = -mass * p[1] * p[2];
  return out;
}

void SpatialInertia::operator+=(const SpatialInertia& other) {
  m += other.m;
  for (int k = 0; k < 3; ++k) h[k] += other.h[k];
  for (int k = 0; k < 6; ++k) I[k] += other.I[k];
}

SpatialInertia SpatialInertia::operator*(double s) const {
  SpatialInertia out = *this;
  out.m *= s;
  for (double& x : out.h) x *= s;
  for (double& x : out.I) x *= s;
  return out;
}

Matrix3 SpatialInertia::rotational() const {
  Matrix3 out;
  out << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
  return out;
}

Matrix3 SpatialInertia::central() const {
  const Matrix3 S = Skew(com());
  return rotational() + m * S * S;
}

SpatialInertia SpatialInertia::Transformed(const Pose& X) const {
  if (m == 0) {
    SpatialInertia out = FromCentral(0, Vector3::Zero(), X.R * rotational() * X.R.transpose());
    return out;
  }
  return FromCentral(m, X * com(), X.R * central() * X.R.transpose());
}

Matrix6 SpatialInertia::matrix() const {
  Matrix6 out;
  const Matrix3 S = Skew(Vector3(h[0], h[1], h[2]));
  out << m * Matrix3::Identity(), -S, S, rotational();
  return out;
}

}  // namespace tactus
