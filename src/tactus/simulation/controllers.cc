#include "tactus/simulation/controllers.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "tactus/core/error.h"
#include "tactus/dynamics/inverse_dynamics.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/simulation/simulator.h"

namespace tactus {

void Timeline::Validate(std::size_t count) const {
  Require(!times.empty() && times.size() == values.size(), "timeline",
          "has " + std::to_string(times.size()) + " times and " + std::to_string(values.size()) + " values",
          "as many, one or more");
  for (std::size_t k = 0; k < times.size(); ++k) {
    const std::string where = "timeline, entry " + std::to_string(k);
    Require(std::isfinite(times[k]) && (k == 0 || times[k] > times[k - 1]), where,
            "time is " + std::to_string(times[k]), "increasing times [s]");
    Require(values[k].size() == count, where, "has " + std::to_string(values[k].size()) + " values",
            std::to_string(count) + ", one a joint");
    for (const double x : values[k]) Require(std::isfinite(x), where, "a value is not finite", "finite numbers");
  }
}

double Timeline::Evaluate(std::size_t joint, double time, double* slope) const {
  *slope = 0;
  if (time <= times.front()) return values.front()[joint];
  if (time >= times.back()) return values.back()[joint];
  const auto next = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), time) - times.begin());
  const double from = values[next - 1][joint], to = values[next][joint], span = times[next] - times[next - 1];
  const double u = (time - times[next - 1]) / span;
  switch (kind) {
    case Kind::Smooth: *slope = 6 * u * (1 - u) * (to - from) / span; return from + u * u * (3 - 2 * u) * (to - from);
    case Kind::Linear: *slope = (to - from) / span; return from + u * (to - from);
    case Kind::Hold: return from;
  }
  return from;
}

namespace {

class TimelineController : public Controller {
 public:
  TimelineController(std::vector<int> targets, Timeline timeline, double period)
      : targets_(std::move(targets)), timeline_(std::move(timeline)), period_(period) {
    timeline_.Validate(targets_.size());
  }
  double period() const override { return period_; }

 protected:
  std::vector<int> targets_;
  Timeline timeline_;

 private:
  double period_;
};

class DriveController : public TimelineController {
 public:
  DriveController(std::vector<int> drives, Timeline timeline, bool gravity, double period, const Payload& payload)
      : TimelineController(std::move(drives), std::move(timeline), period), gravity_(gravity), payload_(payload) {
    if (!payload_.mass.times.empty()) payload_.mass.Validate(1);
  }

  void Update(const Simulator& simulator, Control* control) override {
    // Where the target is at the end of the step.
    const double time = simulator.time() + simulator.settings().scheme.step;
    if (gravity_) {
      if (!data_) data_ = std::make_unique<ModelData>(simulator.model());
      at_rest_.setZero(simulator.model().nv());
      const Model& model = simulator.model();
      CalcBias(model, simulator.state().q, at_rest_, data_.get(), &bias_);
      if (!payload_.mass.times.empty()) {
        double slope = 0;
        Vector6 force = Vector6::Zero();
        force.head<3>() = -payload_.mass.Evaluate(0, time, &slope) * model.gravity();
        AddPointForce(model, *data_, payload_.body, data_->BodyPose(payload_.body) * payload_.p_B, force, &bias_);
      }
    }
    for (std::size_t k = 0; k < targets_.size(); ++k) {
      DriveTarget& target = control->drives.at(static_cast<std::size_t>(targets_[k]));
      target.position = timeline_.Evaluate(k, time, &target.velocity);
      if (!gravity_) continue;
      const JointDrive& drive = simulator.drives()[static_cast<std::size_t>(targets_[k])];
      target.feedforward =
          bias_[simulator.model().body(simulator.model().joints()[static_cast<std::size_t>(drive.joint)].body).v];
    }
  }

 private:
  bool gravity_;
  Payload payload_;
  std::unique_ptr<ModelData> data_;
  VectorX at_rest_, bias_;
};

class VelocityController : public TimelineController {
 public:
  using TimelineController::TimelineController;
  void Update(const Simulator& simulator, Control* control) override {
    const double h = simulator.settings().scheme.step;
    for (std::size_t k = 0; k < targets_.size(); ++k) {
      double slope = 0;
      DriveTarget& target = control->drives.at(static_cast<std::size_t>(targets_[k]));
      target.velocity = timeline_.Evaluate(k, simulator.time() + h, &slope);
      const JointDrive& drive = simulator.drives()[static_cast<std::size_t>(targets_[k])];
      const Model& model = simulator.model();
      const ModelBody& body = model.body(model.joints()[static_cast<std::size_t>(drive.joint)].body);
      target.position = simulator.state().q[body.q] + h * target.velocity;
    }
  }
};

class ForceController : public TimelineController {
 public:
  using TimelineController::TimelineController;
  void Update(const Simulator& simulator, Control* control) override {
    for (std::size_t k = 0; k < targets_.size(); ++k) {
      double slope = 0;
      control->force[targets_[k]] = timeline_.Evaluate(k, simulator.time(), &slope);
    }
  }
};

}  // namespace

std::unique_ptr<Controller> MakeDriveController(const std::vector<int>& drives, const Timeline& timeline, bool gravity,
                                                double period, const Payload& payload) {
  return std::make_unique<DriveController>(drives, timeline, gravity, period, payload);
}

std::unique_ptr<Controller> MakeVelocityController(const std::vector<int>& drives, const Timeline& timeline,
                                                   double period) {
  return std::make_unique<VelocityController>(drives, timeline, period);
}

std::unique_ptr<Controller> MakeForceController(const std::vector<int>& dofs, const Timeline& timeline, double period) {
  return std::make_unique<ForceController>(dofs, timeline, period);
}

}  // namespace tactus
