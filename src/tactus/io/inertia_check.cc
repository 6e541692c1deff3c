#include "tactus/io/inertia_check.h"

#include <Eigen/Eigenvalues>

#include <fmt/format.h>

namespace tactus {

std::string DescribeNonPhysical(const LinkInertia& inertia) {
  if (inertia.mass <= 0) return fmt::format("its mass is {:g}", inertia.mass);
  const double scale = inertia.central.cwiseAbs().maxCoeff();
  if (scale == 0) return "its rotational inertia is zero";
  const Eigen::SelfAdjointEigenSolver<Matrix3> solver(inertia.central / scale, Eigen::EigenvaluesOnly);
  const Vector3& principal = solver.eigenvalues();  // ascending
  constexpr double kRounding = 1e-6;
  const char* what = nullptr;
  if (principal[0] <= 0) {
    what = "is not positive definite";
  } else if (principal[0] + principal[1] < principal[2] * (1 - kRounding)) {
    what = "violates the triangle inequality";
  }
  if (what == nullptr) return "";
  return fmt::format("its rotational inertia {}: principal values {:.4g}, {:.4g}, {:.4g}", what, principal[0] * scale,
                     principal[1] * scale, principal[2] * scale);
}

}  // namespace tactus
