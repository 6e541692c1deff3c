// Motion that large impulses hide from relative residuals.
#pragma once

#include <algorithm>

namespace tactus {

/// Velocity of a contact that its impulse should have stopped, being inside its cone: parting while it pushes, sliding
/// while friction could do more. Counts like forbidden velocities (NcpResidual::violation): without it loads a million
/// times the masses they rest on may be off by percents in a step. `slide` and `friction` are lengths of the tangential
/// parts.
inline double FalseMotion(double sigma_n, double slide, double lambda_n, double friction, double mu, double rho) {
  return std::max(std::min(sigma_n, lambda_n / rho), std::min(slide, (mu * lambda_n - friction) / rho));
}

}  // namespace tactus
