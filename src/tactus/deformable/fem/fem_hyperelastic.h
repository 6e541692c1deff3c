// Energy density, stress and its derivative of one element, as functions of the deformation gradient F.
// The fast path of corotational elements is fem_kernels.cc; this is for everything else, and for tests.
#pragma once

#include "tactus/core/types.h"
#include "tactus/deformable/fem/fem_material.h"

namespace tactus {

/// dP/dF: entry (3 j + i, 3 l + k) is dP_ij/dF_kl.
using Matrix9 = Eigen::Matrix<double, 9, 9>;

/// Corotational: mu |F - R|^2 + lambda/2 tr(R^T F - 1)^2; neo-Hookean: Smith et al. 2018 eq. 13 with their constants
/// (section 3.4), which agree with Lame's for small strains; both are 0 at rest. [J/m^3]
double CalcEnergyDensity(FemModel model, const LameConstants& lame, const Matrix3& F);
/// P, first Piola-Kirchhoff [Pa].
Matrix3 CalcStress(FemModel model, const LameConstants& lame, const Matrix3& F);
/// The true derivative of P; symmetric, may be indefinite. Corotational: with the derivative of R; turns that are not
/// determined (two singular values that add up to 0) are left out.
Matrix9 CalcStressDerivative(FemModel model, const LameConstants& lame, const Matrix3& F);
/// Neo-Hookean: the true derivative with its negative eigenvalues set to 0, by its closed-form eigenvectors.
/// Corotational: what R K0 R^T comes from, positive semidefinite by itself.
Matrix9 CalcPositiveDerivative(FemModel model, const LameConstants& lame, const Matrix3& F);

/// Von Mises stress of Cauchy's stress P F^T / det F. Corotational: of the linear stress in turned axes. [Pa]
double CalcVonMises(FemModel model, const LameConstants& lame, const Matrix3& F);

}  // namespace tactus
