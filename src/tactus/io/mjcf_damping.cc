// Dampings that files give by ratios.
#include <algorithm>
#include <cmath>

#include "tactus/core/error.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/dynamics/mass_matrix.h"
#include "tactus/io/mjcf_elements.h"

namespace tactus::mjcf {

namespace {

// An actuator like a position servo: its bias[2] > 0 is a damping ratio (a damping would be negative).
bool HasRatio(const ActuatorDescription& actuator) {
  return actuator.bias[2] > 0 && actuator.gain == -actuator.bias[1];
}

struct Diagonals {
  VectorX mass, inverse;  // of M and of its inverse
};

Diagonals CalcDiagonals(const Model& model) {
  model.CheckDynamics();
  ModelData data(model);
  CalcPositions(model, model.MakeInitial(), &data);
  CalcMassMatrix(model, &data);
  Diagonals diagonals{VectorX(model.nv()), VectorX(model.nv())};
  for (int d = 0; d < model.nv(); ++d) diagonals.mass[d] = data.mass_entry(model, d, d);
  Require(FactorizeMassMatrix(model, &data), model.name(), "the mass matrix at the start is not positive definite",
          "masses and inertias that dynamics can be computed with");
  for (int d = 0; d < model.nv(); ++d) {
    VectorX unit = VectorX::Unit(model.nv(), d);
    SolveMassMatrix(model, data, unit.data());
    diagonals.inverse[d] = unit[d];
  }
  return diagonals;
}

// dofs and how the actuator moves them.
std::vector<std::pair<int, double>> Moments(const Model& model, const ActuatorDescription& actuator) {
  std::vector<std::pair<int, double>> moments;
  const auto first_dof = [&](const std::string& joint) {
    return model.body(model.joints()[static_cast<std::size_t>(model.FindJoint(joint))].body).v;
  };
  if (!actuator.joint.empty()) {
    const int d = first_dof(actuator.joint);
    if (actuator.gears.empty()) moments.emplace_back(d, actuator.gear);
    for (std::size_t k = 0; k < actuator.gears.size(); ++k)
      moments.emplace_back(d + static_cast<int>(k), actuator.gears[k]);
  }
  for (const TendonDescription& tendon : model.description().tendons) {
    if (actuator.tendon.empty() || tendon.name != actuator.tendon) continue;
    for (const auto& [joint, coefficient] : tendon.joints) {
      moments.emplace_back(first_dof(joint), coefficient * actuator.gear);
    }
  }
  return moments;
}

}  // namespace

void SetByMassMatrix(Context* context) {
  ModelDescription& description = *context->model;
  const bool ratios = std::any_of(description.actuators.begin(), description.actuators.end(), HasRatio);
  if (!ratios && context->spring_dampers.empty()) return;
  const Model model(description);
  const Diagonals diagonals = CalcDiagonals(model);
  for (ActuatorDescription& actuator : description.actuators) {
    if (!HasRatio(actuator)) continue;
    double mass = 0;
    for (const auto& [dof, moment] : Moments(model, actuator)) {
      if (moment * moment > kSmallestMass) mass += diagonals.mass[dof] / (moment * moment);
    }
    actuator.bias[2] = -2 * actuator.bias[2] * std::sqrt(std::max(0.0, actuator.gain * mass));
  }
  for (const SpringDamper& spring : context->spring_dampers) {
    JointDescription& joint = description.links[static_cast<std::size_t>(spring.joint.link)].joints[spring.joint.index];
    // Bodies of the model are in the order of joints of the description.
    int index = 0;
    for (int i = 0; i < spring.joint.link; ++i) {
      index += static_cast<int>(description.links[static_cast<std::size_t>(i)].joints.size());
    }
    const ModelBody& body = model.body(model.joints()[static_cast<std::size_t>(index) + spring.joint.index].body);
    const double inverse = diagonals.inverse.segment(body.v, body.nv).mean();
    const double inertia = 1 / std::max(kSmallestMass, inverse);
    const double product = spring.time_constant * spring.damping_ratio;
    joint.stiffness = inertia / std::max(kSmallestMass, product * product);
    joint.damping = 2 * inertia / std::max(kSmallestMass, spring.time_constant);
  }
}

}  // namespace tactus::mjcf
