#include "tactus/solvers/cond/cond_inverse.h"

#include "tactus/contact/constraint_law.h"

namespace tactus {

void CondInverseImpulses(const ContactProblem& p, const CondSettings& settings, const ConstVectorRef& v,
                         VectorX* lambda) {
  settings.Validate();
  if (!(settings.omega > 0)) throw InputError("cond omega", "is 0", "a compliance > 0: the rigid law has no inverse");
  if (!p.has_dynamics() || v.size() != p.num_dofs()) {
    throw InputError("velocities", "do not fit the problem", std::to_string(p.num_dofs()) + " numbers");
  }
  VectorX y;
  p.MultiplyJ(v, &y);
  lambda->resize(p.size());
  const double stiffness = 1 / settings.omega;
  for (int i = 0; i < p.num_contacts(); ++i) {
    const Vector3 x = -stiffness * (y.segment<3>(3 * i) + p.e().segment<3>(3 * i));
    const Friction& f = p.friction(i);
    if (settings.law == CondOperator::Strict) {
      StrictEllipseProjection(x.data(), f.mu1, f.mu2, lambda->data() + 3 * i);
    } else {
      ConeProjection(x.data(), f.mu1, lambda->data() + 3 * i);
    }
  }
  for (int r = 0; r < p.num_rows(); ++r) {
    const int o = 3 * p.num_contacts() + r;
    const RowLaw& law = p.law(r);
    (*lambda)[o] = law.rigid() ? Clip(-stiffness * (y[o] + p.row_offset(r)), law.lo, law.hi)
                               : Clip(-law.ke - law.d * y[o], law.lo, law.hi);
  }
}

void CondInverseDynamics(const ContactProblem& p, const CondSettings& settings, const ConstVectorRef& v,
                         VectorX* lambda, VectorX* actuation) {
  CondInverseImpulses(p, settings, v, lambda);
  p.mass().Multiply(v, actuation);
  *actuation -= p.b();
  VectorX push = VectorX::Zero(p.num_dofs());
  p.AddMultiplyJT(*lambda, &push);
  *actuation -= push;
}

}  // namespace tactus
