#include "tactus/deformable/fem/fem_material.h"

#include <cmath>

#include <fmt/format.h>

#include "tactus/core/error.h"

namespace tactus {

void Validate(const FemMaterial& material, const std::string& where) {
  const auto require = [&](bool ok, const char* what, double value, const char* expected) {
    Require(ok && std::isfinite(value), where, fmt::format("{} is {}", what, value), expected);
  };
  require(material.young > 0, "young", material.young, "a finite modulus > 0 [Pa]");
  require(material.poisson > -1 && material.poisson < 0.5, "poisson", material.poisson,
          "in (-1, 0.5); 0.5 itself would be incompressible");
  require(material.density > 0, "density", material.density, "a finite density > 0 [kg/m^3]");
  require(material.mass_damping >= 0, "mass_damping", material.mass_damping, ">= 0 [1/s]");
  require(material.stiffness_damping >= 0, "stiffness_damping", material.stiffness_damping, ">= 0 [s]");
}

LameConstants CalcLame(const FemMaterial& material) {
  const double E = material.young, nu = material.poisson;
  return {E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))};
}

}  // namespace tactus
