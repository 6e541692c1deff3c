// The law S_i of every constraint kind as one operator: what impulse does the law allow near an estimate?
#pragma once

#include <algorithm>

#include "tactus/contact/contact_problem.h"
#include "tactus/math/cones.h"

namespace tactus {

/// Natural map of a scalar row with weight beta: the impulse for which (y, lambda) obeys the law, given
/// x = lambda - beta y with y = J v (e apart, because soft laws do not use it as a velocity).
inline double ProjectRow(const RowLaw& law, double x, double beta, double e, double* slope = nullptr) {
  if (law.rigid()) return Clip(x - beta * e, law.lo, law.hi, slope);
  return SoftProjection(x, beta, law.d, law.ke, law.lo, law.hi, slope);
}

/// The velocity-like quantity of a row at rest impulse: for rigid rows sigma = y + e; for soft rows the value of
/// (d y + ke)/(d + rho), so that units cancel in relative residuals.
inline double RowFreeSigma(const RowLaw& law, double y, double e, double rho) {
  return law.rigid() ? y + e : (law.d * y + law.ke) / (law.d + rho);
}

/// Velocity that a rigid row forbids whatever its impulse is, because the impulse that would remove it has no bound.
inline double RowViolation(const RowLaw& law, double sigma) {
  if (!law.rigid()) return 0;
  return std::max(law.hi == kInfinity ? -sigma : 0.0, law.lo == -kInfinity ? sigma : 0.0);
}

/// True if some contact has an elliptic cone.
inline bool HasEllipticContacts(const ContactProblem& p) {
  for (int i = 0; i < p.num_contacts(); ++i) {
    if (!p.friction(i).isotropic()) return true;
  }
  return false;
}

/// The same problem with every elliptic contact's tangential rows scaled by diag(mu1, mu2) and mu = 1: impulses of the
/// original are lambda = scale .* lambda'. Isotropic contacts are left alone. (Scaling an impulse radially onto the
/// ellipse instead would break maximum dissipation.)
ContactProblem MakeIsotropic(const ContactProblem& problem, VectorX* scale);

}  // namespace tactus
