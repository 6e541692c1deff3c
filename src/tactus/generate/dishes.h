// Four stacked dishes, bowl, bowl, plate, pot: light below, heavy above, many contacts along the profiles.
#pragma once

#include "tactus/generate/generator.h"

namespace tactus {

struct DishesSettings {
  int contacts = 100;  ///< in all, shared by the four interfaces (ground, and dish on dish)
  double mu = 0.3;
  double mass = 0.1;      ///< of bowls and plate [kg]
  double pot = 5;         ///< mass of the pot [kg]
  double gap = 1e-4;      ///< random gaps on two of three contacts are |normal| times this [m]
  double wrench = 1;      ///< random forces are weight times this, torques 0.03 m times that
  double speed = 0;       ///< scale of random velocities [m/s, rad/s]
  double dt = 1.0 / 240;  ///< [s]
};

ContactProblem MakeDishes(const DishesSettings& settings, std::uint64_t seed);
GeneratorEntry MakeDishesEntry();

}  // namespace tactus
