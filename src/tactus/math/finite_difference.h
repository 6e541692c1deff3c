// Central differences: the checker of every analytic derivative in our tests.
#pragma once

#include <algorithm>
#include <cmath>

#include "tactus/core/types.h"

namespace tactus {

/// Jacobian of f: R^n -> R^m (any callable VectorX -> VectorX) at x by central differences. The step of component k is
/// `step` max(1, |x_k|); with the default the error is about 1e-10 of f's second derivatives away from kinks.
template <typename Function>
MatrixX CalcFiniteDifferenceJacobian(const Function& f, const VectorX& x, double step = 1e-6) {
  MatrixX jacobian;
  VectorX moved = x;
  for (int k = 0; k < x.size(); ++k) {
    const double h = step * std::max(1.0, std::abs(x[k]));
    moved[k] = x[k] + h;
    const VectorX up = f(moved);
    const double width = moved[k] - (x[k] - h);  // what was represented, not what was asked for
    moved[k] = x[k] - h;
    const VectorX down = f(moved);
    moved[k] = x[k];
    if (jacobian.size() == 0) jacobian.resize(up.size(), x.size());
    jacobian.col(k) = (up - down) / width;
  }
  return jacobian;
}

/// Gradient of f: R^n -> R (any callable VectorX -> double), likewise.
template <typename Function>
VectorX CalcFiniteDifferenceGradient(const Function& f, const VectorX& x, double step = 1e-6) {
  return CalcFiniteDifferenceJacobian([&](const VectorX& y) { return VectorX::Constant(1, f(y)); }, x, step)
      .transpose();
}

}  // namespace tactus
