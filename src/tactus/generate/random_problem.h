// Random problems with every kind of subsystem and constraint, with a solution that exists, or that is even known.
#pragma once

#include "tactus/generate/generator.h"

namespace tactus {

struct RandomSettings {
  int bodies = 5;  ///< free rigid bodies
  int trees = 1;   ///< robots of 7 dofs, branching
  int meshes = 1;  ///< deformables of 8 nodes
  int contacts = 12;
  int rows = 10;           ///< scalar rows, the five kinds in turn
  double mu = 1;           ///< friction coefficients are uniform in [0, mu], some exactly 0
  bool elliptic = false;   ///< a third of the contacts has different friction along t1 and t2
  double mass_ratio = 10;  ///< of the heaviest to the lightest free body, at most
};

/// Some velocity meets all hard constraints strictly (J v + e inside the dual cones), so the problem has a solution.
ContactProblem MakeRandom(const RandomSettings& settings, std::uint64_t seed);
GeneratorEntry MakeRandomEntry();

/// A problem and impulses that solve it exactly (to rounding).
struct KnownProblem {
  ContactProblem problem;
  VectorX impulse;
};

/// Chooses velocities, modes (open, stick, slip; active, inactive) and impulses first, then b and e such that the laws
/// hold.
KnownProblem MakeKnown(const RandomSettings& settings, std::uint64_t seed);
GeneratorEntry MakeKnownEntry();

}  // namespace tactus
