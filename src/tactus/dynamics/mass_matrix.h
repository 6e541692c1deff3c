// The mass matrix by composite rigid bodies, and its factorization along the branches: M = L^T L with L lower
// triangular and zero where M is (Featherstone). Never a dense matrix: O(nv depth) memory, O(nv depth^2) work.
#pragma once

#include <span>

#include "tactus/dynamics/model_data.h"

namespace tactus {

/// M into data->M. Positions and inertias must be known (CalcPositions or CalcInverseDynamics).
void CalcMassMatrix(const Model& model, ModelData* data);
/// J_B^T diag(inertia) J_B + diag(diagonal) into data->M for any inertias per body, in world axes about the bodies'
/// origins (ModelData::origin): bodies with point masses at their contacts, for example.
void CalcMassMatrixOf(const Model& model, std::span<const SpatialInertia> inertia, const ConstVectorRef& diagonal,
                      ModelData* data);
/// data->L from data->M. False if M is not positive definite, numerically.
[[nodiscard]] bool FactorizeMassMatrix(const Model& model, ModelData* data);
/// x <- M^{-1} x.
void SolveMassMatrix(const Model& model, const ModelData& data, double* x);
/// y = M x.
void MultiplyMassMatrix(const Model& model, const ModelData& data, const ConstVectorRef& x, VectorX* y);

}  // namespace tactus
