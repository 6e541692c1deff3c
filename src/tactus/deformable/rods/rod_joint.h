// The six soft terms between two neighbouring segments of a rod.
//
// e = [R_a^T d; log(R_a^T R_b)]: how far the end of segment a and the beginning of b are apart,
// d = p_b + r_b - p_a - r_a, in a's axes (stretch along x, shear), and how b is turned in them (twist about x,
// bending). The energy is 1/2 e^T K e with a diagonal K. Derivatives are with respect to motions [v_a; w_a; v_b; w_b]
// in world axes. (Paper 001's rods take dlog = 1, which is wrong by half the angle between segments; ours is the true
// one.)
#pragma once

#include "tactus/core/types.h"
#include "tactus/math/spatial.h"

namespace tactus {

using Vector12 = Eigen::Matrix<double, 12, 1>;
using Matrix12 = Eigen::Matrix<double, 12, 12>;

struct RodJoint {
  Vector6 e = Vector6::Zero();
  Eigen::Matrix<double, 6, 12> J = Eigen::Matrix<double, 6, 12>::Zero();
};

/// `half` is half a segment's length. Turns of pi or more between neighbours have no unique log; stay below.
RodJoint CalcRodJoint(const Vector3& p_a, const Quaternion& R_a, const Vector3& p_b, const Quaternion& R_b,
                      double half);

/// The derivative of J^T s for constant s = K e, by which J^T K J differs from the true derivative of J^T K e. Not
/// symmetric, as turns do not commute.
Matrix12 CalcGeometricStiffness(const Vector3& p_a, const Quaternion& R_a, const Vector3& p_b, const Quaternion& R_b,
                                double half, const Vector6& s);

/// The symmetric part of a matrix without its negative eigenvalues.
Matrix12 CalcPositivePart(const Matrix12& G);

/// With f = log(R): d f = M(f) w where R <- exp(w) R, the inverse of the left Jacobian of SO(3).
Matrix3 CalcLogDerivative(const Vector3& f);

}  // namespace tactus
