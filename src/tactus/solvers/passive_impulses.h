// What a solve that was cut off may do to the bodies.
#pragma once

#include "tactus/solvers/contact_solver.h"

namespace tactus {

/// Impulses of a solve that was cut off may be far too large, and would throw bodies about. Those of contacts, limits
/// and welds are scaled down until they do no work, lambda . sigma <= 0: then they take energy, lambda . sigma - lambda
/// . W lambda / 2, as the exact ones do, and stay within their cones. Springs and drives may give energy and are left
/// as they are.
class PassiveImpulses {
 public:
  void Limit(const ContactProblem& problem, VectorX* lambda, SolveReport* report);
  /// The same where their work is known: in the motion that all make, and in that of springs and drives alone.
  void Limit(const ContactProblem& problem, double with, double without, VectorX* lambda, SolveReport* report);

 private:
  VectorX kept_, sigma_;
};

}  // namespace tactus
