// Augmented Lagrangian with the strict operator, its surrogate problem solved by a trust-region dogleg method: the
// baseline "TRDogleg" of paper 000, Table II. See README.md.
#pragma once

#include "tactus/solvers/newton_common/augmented_lagrangian.h"

namespace tactus {

struct TrDoglegSettings : AugmentedLagrangianSettings {
  double accept = 1e-4;      ///< a step is taken if it brings this part of the predicted decrease; (0, 0.25)
  double max_radius = 1e10;  ///< largest trust radius, as a multiple of the first Newton step; > 0

  void Validate() const;  ///< throws InputError
};

class TrDoglegSolver final : public AugmentedLagrangianSolver {
 public:
  explicit TrDoglegSolver(const TrDoglegSettings& settings = {});
  std::string name() const override { return "tr-dogleg"; }

 private:
  InnerOutcome SolveSurrogate(int max_steps) override;
  void CalcModel();
  void CalcDogleg(double radius);
  double CalcPredictedMerit();

  double accept_, max_radius_;
  SurrogatePoint trial_;
  // All in the scaled variables S^{-1} v and S r, S = diag(weight)^{1/2}.
  VectorX scale_, residual_, newton_, gradient_, cauchy_, step_, scratch_, product_;
  bool has_newton_ = false;
};

}  // namespace tactus
