// Augmented Lagrangian with the strict operator, its surrogate problem solved by a damped semismooth Newton method: the
// baseline "DampedSN" of paper 000, Table II. See README.md.
#pragma once

#include "tactus/solvers/newton_common/augmented_lagrangian.h"

namespace tactus {

struct DampedNewtonSettings : AugmentedLagrangianSettings {
  double armijo = 1e-4;       ///< sufficient decrease of the merit, relative to its slope; (0, 0.5)
  int max_backtracks = 30;    ///< halvings of the step before a direction is given up; >= 1
  double min_descent = 1e-8;  ///< a direction d is used if its slope is below -min_descent |gradient| |d|; [0, 1)
  /// Where neither Newton's direction nor the gradient descends (at a kink of r), go uphill: the best of 16 halved
  /// Newton steps. Not published; false: the inner solve fails there.
  bool climb = false;

  void Validate() const;  ///< throws InputError
};

class DampedNewtonSolver final : public AugmentedLagrangianSolver {
 public:
  explicit DampedNewtonSolver(const DampedNewtonSettings& settings = {});
  std::string name() const override { return "damped-newton"; }

 private:
  InnerOutcome SolveSurrogate(int max_steps) override;
  void CalcGradient();
  bool TryDirection();
  void Climb();

  double armijo_, min_descent_;
  int max_backtracks_;
  bool climb_;
  SurrogatePoint trial_;
  VectorX newton_, direction_, gradient_, weighted_;
};

}  // namespace tactus
