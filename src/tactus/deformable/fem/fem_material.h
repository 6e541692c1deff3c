// What a deformable solid is made of.
#pragma once

#include <string>

namespace tactus {

enum class FemModel {
  Corotational,  ///< linear elasticity in axes that turn with each element: fast, for strains up to some ten percent
  NeoHookean,    ///< stable neo-Hookean (Smith, de Goes, Kim 2018, eq. 13): large strains, recovers from inversion
};

struct FemMaterial {
  double young = 1e6;            ///< E [Pa], > 0
  double poisson = 0.3;          ///< nu, in (-1, 0.5); above about 0.45 linear tetrahedra lock
  double density = 1000;         ///< rho [kg/m^3], > 0
  double mass_damping = 0;       ///< alpha of D = alpha M + beta K (Rayleigh) [1/s], >= 0
  double stiffness_damping = 0;  ///< beta [s], >= 0
  FemModel model = FemModel::Corotational;
};

/// Throws InputError, with `where`.
void Validate(const FemMaterial& material, const std::string& where = "material");

/// First and second constant of Lame [Pa].
struct LameConstants {
  double lambda = 0, mu = 0;
};
LameConstants CalcLame(const FemMaterial& material);

}  // namespace tactus
