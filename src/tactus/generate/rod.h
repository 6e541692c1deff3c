// A rod of rigid segments, joined by stiff springs, wound on a cylinder and lying on the ground: a chain with six dofs
// a segment in one sparse subsystem, and contacts on segments.
#pragma once

#include "tactus/generate/generator.h"

namespace tactus {

struct RodProblemSettings {
  int segments = 80;
  double length = 0.4;     ///< [m]
  double radius = 0.002;   ///< [m]
  double young = 2.954e6;  ///< [Pa]
  double poisson = 0.49;
  double density = 1259;  ///< [kg/m^3]
  double mu = 0.8;
  double core = 0.02;  ///< radius of the cylinder [m]
  double turns = 0.5;  ///< around it
  double speed = 0.3;  ///< [m/s]
  double dt = 0.01;    ///< [s]
};

ContactProblem MakeRod(const RodProblemSettings& settings, std::uint64_t seed);
GeneratorEntry MakeRodEntry();

}  // namespace tactus
