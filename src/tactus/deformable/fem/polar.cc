#include "tactus/deformable/fem/polar.h"

#include <limits>

#include <Eigen/SVD>

namespace tactus {

Matrix3 CalcRotation(const Matrix3& F) {
  // Scaled, as squares of very small or large entries leave the range of a double.
  const double scale = F.cwiseAbs().maxCoeff();
  if (!F.allFinite()) return Matrix3::Constant(std::numeric_limits<double>::quiet_NaN());
  if (scale == 0) return Matrix3::Identity();
  const Eigen::JacobiSVD<Matrix3> svd(F / scale, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Matrix3 U = svd.matrixU();
  if (U.determinant() * svd.matrixV().determinant() < 0) U.col(2) *= -1;  // singular values are descending
  return U * svd.matrixV().transpose();
}

}  // namespace tactus
