// Steps a deformable on its own, without contacts: for comparison with what is known of beams, rods and integrators.
#pragma once

#include <memory>

#include <Eigen/SparseCholesky>

#include "tactus/deformable/deformable.h"

namespace tactus {

class DeformableStepper {
 public:
  /// `body` must outlive it.
  DeformableStepper(const Deformable& body, const DeformableScheme& scheme);

  /// Solves A v_hat = b and moves on; throws NumericalError where that fails. `newton`: how often the step is
  /// linearised anew about its own answer.
  void Step(int newton = 0);
  DeformableEnergy energy();
  DeformableMomentum momentum() const { return body.CalcMomentum(input()); }
  DeformableInput input() const;

  const Deformable& body;
  DeformableScheme scheme;
  VectorX q, v, v_hat, held, external;
  Vector3 gravity = Vector3::Zero();
  std::unique_ptr<DeformableData> data;
  SparseMatrix A;
  VectorX b;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor;
};

/// Where forces and elastic forces balance, by Newton's method with steps of growing length.
VectorX FindEquilibrium(const Deformable& body, const VectorX& external, const Vector3& gravity, const VectorX& start);

}  // namespace tactus
