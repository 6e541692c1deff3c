// Actuators of soft robots in a simulator.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/simulation/simulator.h"

namespace tactus {

SoftBounds CalcSoftBounds(const SoftActuator& actuator, double travel, double h) {
  SoftBounds out{actuator.lower, actuator.upper};
  if (!actuator.is_motor()) return out;
  // A motor beyond its way, by rounding, may come back but need not hurry.
  out.lower = std::max(out.lower, std::min((actuator.travel_lower - travel) / h, 0.0));
  out.upper = std::min(out.upper, std::max((actuator.travel_upper - travel) / h, 0.0));
  return out;
}

double CalcSoftTravel(const DeformableSet& deformables, const SoftActuator& actuator, const State& state) {
  if (!actuator.is_motor()) return 0;
  // All its nodes move alike: the first says it.
  const Deformable& body = deformables.body(actuator.deformable);
  const Vector3 start =
      deformables.setup(actuator.deformable).pose * CalcItemPose(body, body.initial_q(), actuator.items[0]).p;
  const VectorX& q = state.deformables[static_cast<std::size_t>(actuator.deformable)].q;
  return actuator.axis.dot(CalcItemPose(body, q, actuator.items[0]).p - start);
}

int Simulator::AddSoftActuator(const SoftActuator& actuator) {
  const std::string where = "actuator '" + actuator.name + "'";
  Require(steps_ == 0, where, "the simulation has begun", "all before the first step");
  Require(settings_.method != StepMethod::Xpbd, where, "method xpbd knows none", "another method");
  Require(actuator.deformable >= 0 && actuator.deformable < deformables_.size(), where,
          fmt::format("there is no deformable {}", actuator.deformable), "one that was added");
  Require(deformables_.setup(actuator.deformable).pieces == 1, where, "its deformable is cut into pieces", "a whole");
  Require(actuator.lower <= actuator.upper, where,
          fmt::format("its bounds are {} and {}", actuator.lower, actuator.upper), "lower <= upper");
  Require(actuator.travel_lower <= 0 && actuator.travel_upper >= 0, where,
          fmt::format("its way goes from {} to {}", actuator.travel_lower, actuator.travel_upper), "zero within");
  const Deformable& body = deformables_.body(actuator.deformable);
  if (actuator.is_motor()) {
    Require(!actuator.items.empty(), where, "it moves nothing", "nodes that are held");
    Require(actuator.axis.allFinite() && std::abs(actuator.axis.norm() - 1) < 1e-9, where,
            "its axis is not a unit vector", "one");
    for (const int item : actuator.items) {
      Require(item >= 0 && item < body.num_items() && body.first_dof(item) < 0, where,
              fmt::format("item {} is not held", item), "nodes that are held");
    }
  }
  soft_actuators_.push_back(actuator);
  soft_rows_.push_back(actuator.is_motor() ? ActuatorRow() : actuator.force->MakeRow());
  for (const int dof : soft_rows_.back().dof) {
    Require(dof >= 0 && dof < body.nv(), where, "it belongs to another body", "one of its deformable");
  }
  control_.soft.conservativeResize(control_.soft.size() + 1);
  control_.soft[control_.soft.size() - 1] = std::clamp(0.0, actuator.lower, actuator.upper);
  return static_cast<int>(soft_actuators_.size()) - 1;
}

void Simulator::CollectSoftForces() {
  if (soft_actuators_.empty()) return;
  for (int k = 0; k < deformables_.size(); ++k) {
    deformables_.external(k).setZero(deformables_.body(k).nv());
    deformables_.driven(k).setZero(deformables_.body(k).num_held_dofs());
  }
  for (std::size_t i = 0; i < soft_actuators_.size(); ++i) {
    const SoftActuator& a = soft_actuators_[i];
    const SoftBounds bounds = CalcSoftBounds(a, CalcSoftTravel(deformables_, a, state_), settings_.scheme.step);
    const double input = std::clamp(control_.soft[static_cast<Eigen::Index>(i)], bounds.lower, bounds.upper);
    if (!a.is_motor()) {
      a.force->CalcRow(state_.deformables[static_cast<std::size_t>(a.deformable)].q, &soft_rows_[i]);
      soft_rows_[i].AddTo(input, &deformables_.external(a.deformable));
      continue;
    }
    const Deformable& body = deformables_.body(a.deformable);
    for (const int item : a.items) {
      deformables_.driven(a.deformable).segment<3>(body.first_held_dof(item)) += input * a.axis;
    }
  }
}

}  // namespace tactus
