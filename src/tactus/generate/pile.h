// Spheres heaped in a box.
#pragma once

#include "tactus/generate/generator.h"

namespace tactus {

struct PileSettings {
  int bodies = 50;
  double mu = 0.5;
  double radius = 0.02;   ///< mean radius [m]
  double spread = 0;      ///< radii are uniform in radius (1 +- spread)
  double mass = 0.05;     ///< of a sphere of mean radius [kg]
  double mass_ratio = 1;  ///< densities vary by up to this factor
  double speed = 0.1;     ///< scale of random velocities before the step [m/s]
  double margin = 2e-3;   ///< pairs closer than this are contacts [m]
  double dt = 1.0 / 240;  ///< [s]
};

ContactProblem MakePile(const PileSettings& settings, std::uint64_t seed);
GeneratorEntry MakePileEntry();

}  // namespace tactus
