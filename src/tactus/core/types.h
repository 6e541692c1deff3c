// Eigen aliases used across tactus. Plain double everywhere; SI units.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace tactus {

using Vector2 = Eigen::Vector2d;
using Vector3 = Eigen::Vector3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using VectorX = Eigen::VectorXd;
using Matrix2 = Eigen::Matrix2d;
using Matrix3 = Eigen::Matrix3d;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Matrix3X = Eigen::Matrix<double, 3, Eigen::Dynamic>;
using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using MatrixX = Eigen::MatrixXd;
using RowMatrixX = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// Row-compressed sparse matrix: the order in which all our row-wise products run.
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

using ConstVectorRef = Eigen::Ref<const VectorX>;

}  // namespace tactus
