// What surfaces are made of, as far as contact is concerned. All in SI units.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "tactus/core/types.h"

namespace tactus {

/// How a property of two surfaces becomes one of their contact. If the two disagree, the later in this list decides.
enum class CombinationRule { GeometricMean, Average, Minimum, Product, Maximum };

const char* ToString(CombinationRule rule);
double Combine(double a, CombinationRule rule_a, double b, CombinationRule rule_b);

struct Material {
  double friction = 1;                            ///< coefficient; along `friction_direction` if there is a second one
  std::optional<double> friction2;                ///< across that direction
  Vector3 friction_direction = Vector3::UnitX();  ///< in the shape's axes, need not be unit
  CombinationRule friction_rule = CombinationRule::GeometricMean;
  double restitution = 0;  ///< 0: inelastic, 1: elastic
  CombinationRule restitution_rule = CombinationRule::Maximum;
  Vector3 surface_velocity = Vector3::Zero();  ///< of the surface along the body, in the shape's axes (conveyor) [m/s]
  /// Of a contact with something rigid; two in series. Infinite: rigid.
  double stiffness = std::numeric_limits<double>::infinity();  ///< [N/m]
  double damping = 0;                                          ///< beside the stiffness [N s/m]
  bool frictionless = false;  ///< no friction with materials that are so too (MJCF `condim` 1)

  bool isotropic() const { return !friction2 || *friction2 == friction; }
  bool rigid() const { return stiffness == std::numeric_limits<double>::infinity(); }
  /// Throws InputError, with `where`, for what makes no sense.
  void Validate(const std::string& where) const;
};

/// What a contact of two materials is made of.
struct ContactMaterial {
  double friction1 = 0, friction2 = 0;  ///< along and across the direction
  const Vector3* direction = nullptr;   ///< in the axes of one of the shapes; null: isotropic
  bool direction_of_b = false;          ///< whose axes
  double restitution = 0;
  double stiffness = std::numeric_limits<double>::infinity();
  double damping = 0;
};

ContactMaterial Combine(const Material& a, const Material& b);

}  // namespace tactus
