// Newton's method with an exact line search on the convex surrogate h(v) (paper 000, eq. 23-27): globally convergent.
// Shared by canal (each AL iteration) and soft-convex (the only one).
#pragma once

#include <functional>

#include "tactus/solvers/newton_common/augmented_lagrangian.h"

namespace tactus {

class ConvexNewton {
 public:
  /// `line_search_tolerance`: the line search ends at |h'(a)| <= this times |h'(0)|; (0, 1).
  explicit ConvexNewton(double line_search_tolerance = 1e-3) : line_search_tolerance_(line_search_tolerance) {}

  /// Brings point (with v set) to the minimum of h. `done` is asked with point evaluated before every step.
  InnerOutcome Minimize(Surrogate* surrogate, BodySpaceSystem* system, SurrogatePoint* point, int max_steps,
                        const std::function<bool()>& done);

 private:
  double SearchLine(Surrogate* surrogate, const SurrogatePoint& point);

  double line_search_tolerance_;
  VectorX blocks_, direction_, J_direction_, A_direction_;
};

}  // namespace tactus
