// A body jammed between two walls that both push it. The walls lean by 0.2, so it could escape upwards, but with more
// friction than that (mu > 0.2) sliding up needs more impulse the more impulse there is: the exact law has no solution.
#pragma once

#include "tactus/generate/generator.h"

namespace tactus {

struct WedgeSettings {
  double mu = 0.3;
  double mass = 1;        ///< [kg]
  double push = 0.1;      ///< speed with which every contact demands to separate [m/s]
  bool feasible = false;  ///< contacts allow approach with that speed instead
  double speed = 0.5;     ///< velocity along x before the step [m/s]
  double dt = 1.0 / 240;  ///< [s]
};

/// The seed turns the body's velocity in the horizontal plane; 0 leaves it along x.
ContactProblem MakeWedge(const WedgeSettings& settings, std::uint64_t seed);
GeneratorEntry MakeWedgeEntry();

}  // namespace tactus
