// A soft mat of tetrahedra that falls and shears on uneven ground, perhaps between walls, pressed from above, or with
// rigid boxes on it: many contacts on one large sparse subsystem.
#pragma once

#include "tactus/generate/generator.h"

namespace tactus {

struct MatSettings {
  int nodes = 500;        ///< about so many
  int layers = 2;         ///< of cells across the thickness, >= 1
  double length = 0.5;    ///< of both sides [m]
  double thickness = 0;   ///< [m]; 0: cells are cubes
  double young = 1e5;     ///< [Pa]
  double poisson = 0.3;   ///< < 0.5
  double density = 1000;  ///< [kg/m^3]
  double mu = 0.5;
  int contacts = 0;       ///< with the ground, at most; 0: every node that may touch it in the step
  double bumps = 0.004;   ///< height of the ground's bumps [m]
  double pressed = 0.1;   ///< share of the top that a tilted plate touches, [0, 1]
  bool walls = false;     ///< the rim touches walls, so that nodes of its lower edge have two contacts or three
  int boxes = 0;          ///< rigid boxes that lie on it
  double box = 1;         ///< mass of each [kg]
  double speed = 0.5;     ///< of falling and of sliding [m/s]
  double strain = 0.01;   ///< size of the strain it starts with
  bool midpoint = false;  ///< theta = 1/2; otherwise semi-implicit Euler
  double dt = 0.01;       ///< [s]
};

ContactProblem MakeMat(const MatSettings& settings, std::uint64_t seed);
GeneratorEntry MakeMatEntry();

}  // namespace tactus
