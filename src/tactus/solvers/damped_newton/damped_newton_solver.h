// Augmented Lagrangian with the strict operator, its surrogate problem solved by a damped semismooth Newton method: the
// baseline "DampedSN" of paper 000, Table II. See README.md.
#pragma once

#include "tactus/solvers/newton_common/augmented_lagrangian.h"

namespace tactus {

struct DampedNewtonSettings : AugmentedLagrangianSettings {
  double armijo = 1e-4;      ///< sufficient decrease of the merit, relative to its slope; (0, 0.5)
  int max_backtracks = 30;   ///< halvings of the step before the inner solve gives up; >= 1
  double min_descent = 1e-8; ///< a direction d is used if its slope is below -min_descent |gradient| |d|; [0, 1)

  void Validate() const;  ///< throws InputError
};

class DampedNewtonSolver final : public AugmentedLagrangianSolver {
 public:
  explicit DampedNewtonSolver(const DampedNewtonSettings& settings = {});
  std::string name() const override { return "damped-newton"; }

 private:
  InnerOutcome SolveSurrogate(int max_steps) override;
  double ChooseDirection();
  bool Backtrack(double slope);

  double armijo_, min_descent_;
  int max_backtracks_;
  SurrogatePoint trial_;
  VectorX direction_, gradient_, weighted_;
};

}  // namespace tactus
