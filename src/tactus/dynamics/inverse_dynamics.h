// Recursive Newton-Euler: the generalized forces that a motion takes.
#pragma once

#include "tactus/dynamics/model_data.h"

namespace tactus {

/// tau = M a + C v + g - sum J_b^T f_b. `external`: per body [force; moment about the body's origin] in world axes, or
/// none. Sets positions, velocities and inertias of `data` on the way.
void CalcInverseDynamics(const Model& model, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& a,
                         ModelData* data, VectorX* tau, const std::vector<Vector6>* external = nullptr);
/// The same with a = 0: Coriolis, centrifugal and gravity terms.
void CalcBias(const Model& model, const ConstVectorRef& q, const ConstVectorRef& v, ModelData* data, VectorX* tau,
              const std::vector<Vector6>* external = nullptr);
/// Gravity alone.
void CalcGravityTorque(const Model& model, const ConstVectorRef& q, ModelData* data, VectorX* tau);

}  // namespace tactus
