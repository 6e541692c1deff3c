#include "tactus/deformable/rods/rod_joint.h"

#include <cmath>

#include <Eigen/Eigenvalues>

namespace tactus {

namespace {

// c of M(f) = 1 - [f]/2 + c [f]^2, and its derivative by the angle, divided by the angle.
struct LogFactor {
  explicit LogFactor(double angle) {
    const double t2 = angle * angle;
    if (angle < 0.5) {
      // Sum of |B_2k| t^(2k - 2) / (2k)!, with Bernoulli's numbers: what follows cancels here.
      constexpr double kSeries[6] = {1.0 / 12,      1.0 / 720,      1.0 / 30240,
                                     1.0 / 1209600, 1.0 / 47900160, 691.0 / 1307674368000};
      double power = 1;
      c = kSeries[0];
      for (int k = 1; k < 6; ++k) {
        slope += 2 * k * kSeries[k] * power;
        power *= t2;
        c += kSeries[k] * power;
      }
    } else {
      const double cot = 1 / std::tan(0.5 * angle), sine = std::sin(0.5 * angle);
      c = (1 - 0.5 * angle * cot) / t2;
      slope = (-2 + 0.5 * angle * cot + 0.25 * t2 / (sine * sine)) / (t2 * t2);
    }
  }
  double c = 0, slope = 0;
};

}  // namespace

Matrix3 CalcLogDerivative(const Vector3& f) {
  const Matrix3 S = Skew(f);
  return Matrix3::Identity() - 0.5 * S + LogFactor(f.norm()).c * S * S;
}

RodJoint CalcRodJoint(const Vector3& p_a, const Quaternion& R_a, const Vector3& p_b, const Quaternion& R_b,
                      double half) {
  RodJoint joint;
  const Matrix3 to_a = R_a.toRotationMatrix().transpose();
  const Vector3 r_a = R_a * Vector3(half, 0, 0), r_b = R_b * Vector3(-half, 0, 0);
  const Vector3 d = p_b + r_b - p_a - r_a;
  const Vector3 f = LogRotation(R_a.conjugate() * R_b);
  joint.e << to_a * d, f;
  joint.J.block<3, 3>(0, 0) = -to_a;
  joint.J.block<3, 3>(0, 3) = to_a * Skew(r_a + d);
  joint.J.block<3, 3>(0, 6) = to_a;
  joint.J.block<3, 3>(0, 9) = -to_a * Skew(r_b);
  const Matrix3 turn = CalcLogDerivative(f) * to_a;
  joint.J.block<3, 3>(3, 3) = -turn;
  joint.J.block<3, 3>(3, 9) = turn;
  return joint;
}

Matrix12 CalcGeometricStiffness(const Vector3& p_a, const Quaternion& R_a, const Vector3& p_b, const Quaternion& R_b,
                                double half, const Vector6& s) {
  const Matrix3 R = R_a.toRotationMatrix();
  const Vector3 r_b = R_b * Vector3(-half, 0, 0);
  const Matrix3 F = Skew(R * s.head<3>()), arm_a = Skew(p_b + r_b - p_a), arm_b = Skew(r_b);
  Matrix12 G = Matrix12::Zero();
  // The force at the joint turns with a, and its arms change.
  G.block<3, 3>(0, 3) = F;
  G.block<3, 3>(3, 0) = -F;
  G.block<3, 3>(3, 3) = arm_a * F;
  G.block<3, 3>(3, 6) = F;
  G.block<3, 3>(3, 9) = -F * arm_b;
  G.block<3, 3>(6, 3) = -F;
  G.block<3, 3>(9, 3) = -arm_b * F;
  G.block<3, 3>(9, 9) = F * arm_b;
  // The moment n = R_a M(f)^T s turns with a, and M changes with f.
  const Vector3 f = LogRotation(R_a.conjugate() * R_b), m = s.tail<3>();
  const LogFactor factor(f.norm());
  const Matrix3 log = CalcLogDerivative(f);
  const Vector3 fm = f.cross(m), ffm = f.cross(fm);
  const Matrix3 change =
      -0.5 * Skew(m) - factor.c * (Skew(fm) + Skew(f) * Skew(m)) + factor.slope * ffm * f.transpose();
  const Matrix3 by_turn = R * change * log * R.transpose();
  const Matrix3 by_a = -Skew(R * (log.transpose() * m)) - by_turn;
  G.block<3, 3>(3, 3) -= by_a;
  G.block<3, 3>(3, 9) -= by_turn;
  G.block<3, 3>(9, 3) += by_a;
  G.block<3, 3>(9, 9) += by_turn;
  return G;
}

Matrix12 CalcPositivePart(const Matrix12& G) {
  const Eigen::SelfAdjointEigenSolver<Matrix12> eigen(0.5 * (G + G.transpose()));
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * eigen.eigenvectors().transpose();
}

}  // namespace tactus
