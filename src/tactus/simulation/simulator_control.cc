// Controllers, actuators and forces of a simulator.
#include <algorithm>
#include <cmath>
#include <utility>

#include "tactus/core/error.h"
#include "tactus/simulation/simulator.h"

namespace tactus {

namespace {

class FunctionController : public Controller {
 public:
  FunctionController(std::function<void(const Simulator&, Control*)> update, double period)
      : update_(std::move(update)), period_(period) {}
  double period() const override { return period_; }
  void Update(const Simulator& simulator, Control* control) override { update_(simulator, control); }

 private:
  std::function<void(const Simulator&, Control*)> update_;
  double period_;
};

}  // namespace

std::unique_ptr<Controller> MakeController(std::function<void(const Simulator&, Control*)> update, double period) {
  return std::make_unique<FunctionController>(std::move(update), period);
}

void Simulator::AddActuators() {
  const ModelDescription& description = model_->description();
  int activations = 0;
  for (const ActuatorDescription& d : description.actuators) {
    Actuator actuator;
    const std::string where = "actuator '" + d.name + "'";
    const auto add = [&](const std::string& name, double gear) {
      const int j = model_->FindJoint(name);
      Require(j >= 0, where, "there is no joint '" + name + "'", "a joint of the model");
      const ModelBody& body = model_->body(model_->joints()[static_cast<std::size_t>(j)].body);
      for (int k = 0; k < body.nv; ++k) {
        const std::size_t i = static_cast<std::size_t>(k);
        const double g = body.nv == 1 ? gear : i < d.gears.size() ? d.gears[i] : k == 0 ? d.gear : 0;
        if (g == 0 && body.nv > 1) continue;
        actuator.dofs.push_back(body.v + k);
        actuator.gears.push_back(g);
      }
      return body.nv;
    };
    bool scalar = true;
    if (!d.joint.empty()) {
      scalar = add(d.joint, d.gear) == 1;
    } else {
      const auto tendon = std::find_if(description.tendons.begin(), description.tendons.end(),
                                       [&](const TendonDescription& t) { return t.name == d.tendon; });
      Require(tendon != description.tendons.end(), where, "there is no tendon '" + d.tendon + "'", "a joint or tendon");
      for (const auto& [joint, coefficient] : tendon->joints) scalar = add(joint, d.gear * coefficient) == 1 && scalar;
    }
    // Springs and dampers are implicit; what pushes along is a force.
    actuator.implicit = scalar && d.bias[1] <= 0 && d.bias[2] <= 0 && (d.bias[1] < 0 || d.bias[2] < 0);
    if (d.activation != ActivationType::None) actuator.activation = activations++;
    actuators_.push_back(std::move(actuator));
  }
  control_.actuators = VectorX::Zero(static_cast<Eigen::Index>(actuators_.size()));
  activation_ = VectorX::Zero(activations);
}

double Simulator::ActuatorInput(int k) const {
  const Actuator& actuator = actuators_[static_cast<std::size_t>(k)];
  const ActuatorDescription& d = model_->description().actuators[static_cast<std::size_t>(k)];
  if (actuator.activation >= 0) return activation_[actuator.activation];
  return std::clamp(control_.actuators[k], d.control_lower, d.control_upper);
}

void Simulator::AdvanceActivation(double h) {
  for (std::size_t k = 0; k < actuators_.size(); ++k) {
    const Actuator& actuator = actuators_[k];
    if (actuator.activation < 0) continue;
    const ActuatorDescription& d = model_->description().actuators[k];
    const double u = std::clamp(control_.actuators[static_cast<Eigen::Index>(k)], d.control_lower, d.control_upper);
    double& a = activation_[actuator.activation];
    if (d.activation == ActivationType::Integrator) {
      a = std::clamp(a + h * u, d.activation_lower, d.activation_upper);
    } else {
      // a' = (u - a)/T, exactly for constant u.
      a = u + (a - u) * (d.time_constant > 0 ? std::exp(-h / d.time_constant) : 0);
    }
  }
}

void Simulator::RunControllers() {
  for (std::size_t k = 0; k < controllers_.size(); ++k) {
    const double period = controllers_[k]->period();
    if (period > 0) {
      // Due at multiples of the period; a hair early rather than a step late.
      const double due = static_cast<double>(next_update_[k]) * period;
      if (state_.time < due - 1e-9 * period) continue;
      next_update_[k] = static_cast<std::int64_t>(std::floor(state_.time / period + 1e-9)) + 1;
    }
    controllers_[k]->Update(*this, &control_);
  }
}

void Simulator::CollectForces() {
  tau_ = control_.force;
  for (const ModelJoint& joint : model_->joints()) {
    const ModelBody& body = model_->body(joint.body);
    const double limit = joint.description.effort_limit;
    if (body.nv == 1 && std::isfinite(limit)) tau_[body.v] = std::clamp(tau_[body.v], -limit, limit);
  }
  for (std::size_t k = 0; k < actuators_.size(); ++k) {
    const Actuator& actuator = actuators_[k];
    if (actuator.implicit) continue;
    const ActuatorDescription& d = model_->description().actuators[k];
    double length = 0, speed = 0;
    for (std::size_t i = 0; i < actuator.dofs.size(); ++i) {
      const int dof = actuator.dofs[i];
      speed += actuator.gears[i] * state_.v[dof];
      const ModelBody& body = model_->body(model_->dof_body(dof));
      if (body.nv == 1) length += actuator.gears[i] * state_.q[body.q];
    }
    const double force =
        std::clamp(d.gain * ActuatorInput(static_cast<int>(k)) + d.bias[0] + d.bias[1] * length + d.bias[2] * speed,
                   d.force_lower, d.force_upper);
    for (std::size_t i = 0; i < actuator.dofs.size(); ++i) tau_[actuator.dofs[i]] += actuator.gears[i] * force;
  }
  tau_ += applied_force_;
  CollectSoftForces();
  wrenches_ = control_.wrenches;
  for (const WrenchScript& script : scripts_) {
    const double t = state_.time + 1e-9 * settings_.scheme.step;
    const ModelLink& link = model_->links()[static_cast<std::size_t>(script.link)];
    if (t < script.from || t >= script.to || link.body < 0) continue;
    const Pose X_WB = kinematics().BodyPose(link.body);
    const Vector3 arm = X_WB * (link.X_BL * script.point) - X_WB.p;
    wrenches_[static_cast<std::size_t>(link.body)].head<3>() += script.force;
    wrenches_[static_cast<std::size_t>(link.body)].tail<3>() += script.torque + arm.cross(script.force);
  }
}

}  // namespace tactus
