// A nut on an M48 bolt: one body, many contacts on the flanks of the thread.
#pragma once

#include "tactus/generate/generator.h"

namespace tactus {

struct BoltSettings {
  int contacts = 120;
  double mu = 0.3;
  double gap = 2e-5;      ///< gaps are |normal| times this [m]
  double mass = 0.3;      ///< of the nut [kg]
  double wrench = 50;     ///< scale of the random force [N]; torques are 0.02 m times it
  double dt = 1.0 / 240;  ///< [s]
};

ContactProblem MakeBolt(const BoltSettings& settings, std::uint64_t seed);
GeneratorEntry MakeBoltEntry();

}  // namespace tactus
