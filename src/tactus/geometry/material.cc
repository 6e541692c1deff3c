#include "tactus/geometry/material.h"

#include <algorithm>
#include <cmath>

#include "tactus/core/error.h"

namespace tactus {

const char* ToString(CombinationRule rule) {
  switch (rule) {
    case CombinationRule::GeometricMean: return "geometric_mean";
    case CombinationRule::Average: return "average";
    case CombinationRule::Minimum: return "minimum";
    case CombinationRule::Product: return "product";
    case CombinationRule::Maximum: return "maximum";
  }
  return "?";
}

double Combine(double a, CombinationRule rule_a, double b, CombinationRule rule_b) {
  switch (std::max(rule_a, rule_b)) {
    case CombinationRule::GeometricMean: return a == b ? a : std::sqrt(a * b);
    case CombinationRule::Average: return 0.5 * (a + b);
    case CombinationRule::Minimum: return std::min(a, b);
    case CombinationRule::Product: return a * b;
    case CombinationRule::Maximum: return std::max(a, b);
  }
  return 0;
}

void Material::Validate(const std::string& where) const {
  const auto check = [&](bool ok, const char* what, double value, const char* expected) {
    if (!ok) throw InputError(where, std::string(what) + " is " + std::to_string(value), expected);
  };
  check(std::isfinite(friction) && friction >= 0, "friction", friction, "a number >= 0");
  if (friction2) check(std::isfinite(*friction2) && *friction2 >= 0, "friction2", *friction2, "a number >= 0");
  check(restitution >= 0 && restitution <= 1, "restitution", restitution, "a number from 0 to 1");
  check(stiffness > 0, "stiffness", stiffness, "a number > 0 [N/m], or none for rigid");
  check(std::isfinite(damping) && damping >= 0, "damping", damping, "a number >= 0 [N s/m]");
  Require(surface_velocity.allFinite(), where, "surface_velocity is not finite", "three numbers [m/s]");
  Require(friction_direction.allFinite() && (isotropic() || friction_direction.norm() > 0), where,
          "friction_direction has no direction", "three numbers, not all zero");
}

ContactMaterial Combine(const Material& a, const Material& b) {
  ContactMaterial out;
  const double second_a = a.friction2.value_or(a.friction), second_b = b.friction2.value_or(b.friction);
  if (!(a.frictionless && b.frictionless)) {
    out.friction1 = Combine(a.friction, a.friction_rule, b.friction, b.friction_rule);
    out.friction2 = Combine(second_a, a.friction_rule, second_b, b.friction_rule);
  }
  if (!a.isotropic() || !b.isotropic()) {
    // If both have a direction, a's is taken.
    out.direction_of_b = a.isotropic();
    out.direction = out.direction_of_b ? &b.friction_direction : &a.friction_direction;
  }
  out.restitution = Combine(a.restitution, a.restitution_rule, b.restitution, b.restitution_rule);
  if (!a.rigid() || !b.rigid()) {
    // In series.
    out.stiffness = 1 / (1 / a.stiffness + 1 / b.stiffness);
    out.damping = a.rigid() ? b.damping : b.rigid() ? a.damping : 0;
    if (!a.rigid() && !b.rigid() && a.damping + b.damping > 0)
      out.damping = a.damping * b.damping / (a.damping + b.damping);
  }
  return out;
}

}  // namespace tactus
