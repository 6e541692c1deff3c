#include "tactus/deformable/deformable_stepper.h"

#include "tactus/core/error.h"

namespace tactus {

DeformableStepper::DeformableStepper(const Deformable& deformable, const DeformableScheme& s)
    : body(deformable),
      scheme(s),
      q(body.initial_q()),
      v(VectorX::Zero(body.nv())),
      v_hat(v),
      held(VectorX::Zero(body.num_held_dofs())),
      external(v),
      data(body.MakeData()),
      A(body.pattern()),
      b(VectorX::Zero(body.nv())) {}

DeformableInput DeformableStepper::input() const {
  DeformableInput in;
  in.q = &q;
  in.v = &v;
  in.gravity = gravity;
  in.external = &external;
  in.held_velocity = &held;
  return in;
}

void DeformableStepper::Step(int newton) {
  DeformableInput in = input();
  for (int k = 0; k <= newton; ++k) {
    if (!body.Assemble(scheme, in, nullptr, data.get(), &A, &b)) throw NumericalError("a deformable is not finite");
    const Eigen::SparseMatrix<double> columns = A;
    if (factor.rows() == 0) factor.analyzePattern(columns);
    factor.factorize(columns);
    if (factor.info() != Eigen::Success) throw NumericalError("A of a deformable is not positive definite");
    v_hat = factor.solve(b);
    in.v_hat = &v_hat;
  }
  body.Integrate(v_hat, &held, scheme.step, &q);
  Deformable::CalcEndVelocity(scheme, v_hat, &v);
}

DeformableEnergy DeformableStepper::energy() { return body.CalcEnergy(input(), data.get()); }

VectorX FindEquilibrium(const Deformable& body, const VectorX& external, const Vector3& gravity, const VectorX& start) {
  DeformableStepper stepper(body, {1e-3, 0});
  stepper.q = start;
  stepper.gravity = gravity;
  stepper.external = external;
  // Long steps without inertia: backward Euler whose velocity is forgotten is Newton's method with a growing trust.
  for (int k = 0; k < 60; ++k) {
    stepper.v.setZero();
    stepper.Step();
    if (stepper.scheme.step < 1e4) stepper.scheme.step *= 3;
    if (stepper.v_hat.norm() * stepper.scheme.step < 1e-12 && k > 20) break;
  }
  return stepper.q;
}

}  // namespace tactus
