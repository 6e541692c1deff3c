// CANAL, the cascaded Newton-based augmented Lagrangian method, as published (papers 000 section V and 003). See
// README.md.
#pragma once

#include "tactus/solvers/newton_common/augmented_lagrangian.h"
#include "tactus/solvers/newton_common/convex_newton.h"

namespace tactus {

/// Each field says symbol, meaning and range; the outer loop's constants are inherited.
struct CanalSettings : AugmentedLagrangianSettings {
  double line_search_tolerance = 1e-3;  ///< exact line search ends at |h'(a)| <= this times |h'(0)|; (0, 1)

  void Validate() const;  ///< throws InputError
};

class CanalSolver final : public AugmentedLagrangianSolver {
 public:
  explicit CanalSolver(const CanalSettings& settings = {});
  std::string name() const override { return "canal"; }

 private:
  InnerOutcome SolveSurrogate(int max_steps) override;

  ConvexNewton newton_;
};

}  // namespace tactus
