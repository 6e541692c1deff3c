// A chain of bodies with a heavy tip on the ground: every kind of scalar row beside a few contacts.
#pragma once

#include "tactus/generate/generator.h"

namespace tactus {

struct ChainSettings {
  int bodies = 6;
  double mu = 0.5;
  double mass = 0.5;       ///< of a link [kg]
  double tip = 10;         ///< mass of the last one [kg]
  double stiffness = 1e4;  ///< of the springs about z [N m/rad]
  double effort = 5;       ///< largest torque of the drives about x [N m]
  double dry = 0.5;        ///< dry friction torque about y at the first joint [N m]
  bool soft = true;        ///< springs, drives and dry friction are there
  double speed = 0.3;      ///< scale of random velocities [m/s, rad/s]
  double dt = 1.0 / 240;   ///< [s]
};

ContactProblem MakeChain(const ChainSettings& settings, std::uint64_t seed);
GeneratorEntry MakeChainEntry();

}  // namespace tactus
