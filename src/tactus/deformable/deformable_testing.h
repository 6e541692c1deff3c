// Helpers of the tests of deformables.
#pragma once

#include <string>

#include <Eigen/SparseCholesky>

#include "tactus/core/error.h"
#include "tactus/core/random.h"
#include "tactus/deformable/deformable.h"

namespace tactus {

/// The message of the InputError that `call` throws; "" if it throws none.
template <typename Call>
std::string ErrorOf(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Numbers in [-size, size].
inline VectorX RandomVector(int count, double size, Random* random) {
  VectorX v(count);
  for (double& x : v) x = random->Uniform(-size, size);
  return v;
}

/// Steps a deformable on its own, without contacts.
class Stepper {
 public:
  Stepper(const Deformable& body, const DeformableScheme& scheme);

  /// Solves A v_hat = b and moves on. `newton`: how often the step is linearised anew about its own answer.
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
