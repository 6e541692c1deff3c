#include "tactus/model/model_description.h"

namespace tactus {

const char* ToString(ActuatorType type) {
  switch (type) {
    case ActuatorType::Motor: return "motor";
    case ActuatorType::Position: return "position";
    case ActuatorType::Velocity: return "velocity";
    case ActuatorType::General: return "general";
    case ActuatorType::IntegratedVelocity: return "intvelocity";
  }
  return "?";
}

}  // namespace tactus
