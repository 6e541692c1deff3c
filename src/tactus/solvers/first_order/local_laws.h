// Every constraint's law against its own diagonal block W_ii: the kernels of sweeps.
#pragma once

#include <vector>

#include "tactus/contact/constraint_law.h"
#include "tactus/math/local_contact.h"
#include "tactus/solvers/first_order/impulse_system.h"

namespace tactus {

/// The impulse of a scalar row alone: lambda with y = w lambda + q obeying the law (q without e). A rigid row that no
/// impulse moves (w = 0) gets the impulse nearest 0.
inline double SolveLocalRow(const RowLaw& law, double w, double q, double e) {
  if (w > 0) return ProjectRow(law, -q / w, 1 / w, e);
  return law.rigid() ? Clip(0, law.lo, law.hi) : Clip(-law.ke - law.d * q, law.lo, law.hi);
}

/// How a contact's new impulse is found from sigma at its old one.
enum class LocalRule {
  Exact,   ///< the exact law with the block W_ii
  Strict,  ///< one step of the strict operator, T(lambda - sigma/L), L the largest eigenvalue of W_ii
};

/// Blocks scaled by `majorant` (1 for Gauss-Seidel; for Jacobi a bound of the eigenvalues of diag(W)^{-1} W).
class LocalLaws {
 public:
  void Prepare(const ContactProblem& problem, const ImpulseSystem& system, LocalRule rule, double majorant = 1);

  /// The impulse of contact i given sigma and the impulse it was computed with.
  void SolveContact(int i, const double* sigma, const double* old, double* out) const {
    const Contact& c = contacts_[i];
    if (rule_ == LocalRule::Strict) {
      const double x[3] = {old[0] - c.step * sigma[0], old[1] - c.step * sigma[1], old[2] - c.step * sigma[2]};
      StrictProjection(x, c.local.mu(), out);
      return;
    }
    const double* W = c.W;
    const double q[3] = {sigma[0] - (W[0] * old[0] + W[1] * old[1] + W[2] * old[2]),
                         sigma[1] - (W[1] * old[0] + W[3] * old[1] + W[4] * old[2]),
                         sigma[2] - (W[2] * old[0] + W[4] * old[1] + W[5] * old[2])};
    c.local.Solve(q, out);
  }
  /// The same for a scalar row.
  double SolveRow(int row, double sigma, double old) const {
    const Row& r = rows_[row];
    return SolveLocalRow(r.law, r.w, sigma - r.e - r.w * old, r.e);
  }
  const RowLaw& law(int row) const { return rows_[row].law; }
  double mu(int contact) const { return contacts_[contact].local.mu(); }

 private:
  struct Contact {
    SingleContact local;
    double W[6];  // upper triangle
    double step;
  };
  struct Row {
    RowLaw law;
    double w, e;
  };
  LocalRule rule_ = LocalRule::Exact;
  std::vector<Contact> contacts_;
  std::vector<Row> rows_;
};

}  // namespace tactus
