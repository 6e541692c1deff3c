// Scenes of scenes/physics with known answers: what was measured against what is exact.
#pragma once

#include <string>
#include <vector>

#include "tactus/scene/compile_scene.h"

namespace tactus::cli {

/// One measured number beside the exact one.
struct PhysicsRow {
  std::string scene, what;
  double measured = 0, exact = 0, tolerance = 0;  ///< |measured - exact| <= tolerance
  bool pass = false;
};

/// All scenes of the suite, with a solver. `only`: one of them.
std::vector<PhysicsRow> MeasurePhysics(const std::string& solver, const std::string& only = {});
/// Names of the scenes.
std::vector<std::string> PhysicsScenes();

/// Prints the table; kAllSolved if all pass.
int RunPhysicsSuite(const std::string& solver, bool json);

}  // namespace tactus::cli
