// Growth of memory with the size of a scene, for the parts `growth` of suites.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/bench_suite.h"

namespace tactus::cli {

/// Spheres in a drum by SubADMM: what simulator and solver hold, per sphere, and the exponent of its growth.
void AddSphereMemory(bool quick, std::vector<BenchRow>* rows);
/// The same of soft mats by COND, per dof.
void AddMatMemory(bool quick, std::vector<BenchRow>* rows);

}  // namespace tactus::cli
