// Whether COND is likely to be quicker than the hybrid on a problem with deformables, from counts alone.
#pragma once

#include "tactus/contact/contact_problem.h"

namespace tactus {

struct CondEstimate {
  double iterations = 0;        ///< of COND to the tolerance
  double cond = 0, hybrid = 0;  ///< cycles of a processor
  bool prefers_cond() const { return cond < hybrid; }
};

/// Of a problem with sparse subsystems. Iterations are as the root of the stiffness of A over inertia, which is that of
/// W A's condition; the hybrid's work is that of a factor, of solves with it, and of dense matrices of contacts.
CondEstimate EstimateCond(const ContactProblem& problem, double tolerance);

}  // namespace tactus
