// What collides in a simulation.
#pragma once

#include <memory>
#include <string>

#include "tactus/collision/collision_shape.h"
#include "tactus/core/types.h"
#include "tactus/geometry/material.h"
#include "tactus/math/spatial.h"

namespace tactus {

/// A shape that collides, or something that deforms.
struct SimulatorObject {
  int link = -1;  ///< Model::links(); -1: part of the world, or deforms
  int body = -1;  ///< of the model; -1: fixed, or moves as prescribed, or deforms
  std::string name;
  std::shared_ptr<const CollisionShape> shape;  ///< null: it deforms
  Pose X_BS;                                    ///< in the body's frame; in the world's if it has no body
  Pose X_LS;                                    ///< in the link's frame
  Material material;
  unsigned contact_type = 1, contact_affinity = 1;  ///< as in BroadPhaseObject
  int deformable = -1;                              ///< Simulator::deformables(); -1: rigid
};

/// Of a rigid shape, at its middle, world axes.
struct ObjectMotion {
  Vector3 v = Vector3::Zero(), w = Vector3::Zero();
};

}  // namespace tactus
