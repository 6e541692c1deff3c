// Contacts of a model with itself and the world.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tactus/collision/broad_phase.h"
#include "tactus/collision/collide.h"
#include "tactus/core/thread_pool.h"
#include "tactus/dynamics/model_data.h"
#include "tactus/simulation/step_report.h"

namespace tactus {

struct ContactFinderSettings {
  /// Contacts are looked for this far ahead, beyond what velocities cover in a step [m].
  double margin = 1e-3;
  /// Most points of a pair of shapes; more are merged into fewer, and the report says how many.
  int max_points = 120;
};

/// A shape that collides.
struct SimulatorObject {
  int link = -1;  ///< Model::links(); -1: part of the world
  int body = -1;  ///< of the model; -1: fixed, or moves as prescribed
  std::string name;
  std::shared_ptr<const CollisionShape> shape;
  Pose X_BS;  ///< in the body's frame; in the link's if it has no body
  Material material;
};

}  // namespace tactus
