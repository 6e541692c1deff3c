// What drives a soft robot in a simulation: a cable or a pressure cavity, which are forces, or a motor, which moves
// nodes that are held. The input of each is one number of Control::soft.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tactus/core/types.h"
#include "tactus/deformable/fem/actuators.h"
#include "tactus/model/model.h"

namespace tactus {

struct SoftActuator {
  std::string name = "actuator";
  int deformable = 0;
  /// A cable (input: tension [N]) or a cavity (pressure [Pa]), taken where the step begins. Null: a motor.
  std::shared_ptr<const ForceActuator> force;
  /// Motor: nodes that are held move along `axis` with the input as velocity [m/s], besides what their clamp does.
  std::vector<int> items;
  Vector3 axis = Vector3::UnitZ();  ///< unit vector, world axes
  double lower = 0;                 ///< of the input [N, Pa, m/s], <= upper
  double upper = std::numeric_limits<double>::infinity();
  /// Motor: how far it may go from where it starts [m].
  double travel_lower = -std::numeric_limits<double>::infinity();
  double travel_upper = std::numeric_limits<double>::infinity();

  bool is_motor() const { return force == nullptr; }
};

class DeformableSet;

/// How far a motor has moved its nodes from where they started, along its axis [m]; 0 of others.
double CalcSoftTravel(const DeformableSet& deformables, const SoftActuator& actuator, const State& state);

/// Bounds of the input in a step of length h, given how far a motor has gone: it stops where its way ends.
struct SoftBounds {
  double lower = 0, upper = 0;
};
SoftBounds CalcSoftBounds(const SoftActuator& actuator, double travel, double h);

}  // namespace tactus
