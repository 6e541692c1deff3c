// Articulated bodies: the accelerations that forces make, O(nv).
#pragma once

#include "tactus/dynamics/model_data.h"

namespace tactus {

/// a = M^{-1} (tau - C v - g + sum J_b^T f_b), `external` as in CalcInverseDynamics. False if a dof moves no mass.
[[nodiscard]] bool CalcForwardDynamics(const Model& model, const ConstVectorRef& q, const ConstVectorRef& v,
                                       const ConstVectorRef& tau, ModelData* data, VectorX* a,
                                       const std::vector<Vector6>* external = nullptr);

}  // namespace tactus
