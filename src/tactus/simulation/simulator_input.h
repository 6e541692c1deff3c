// What constraints see of a simulator's step.
#pragma once

#include "tactus/simulation/simulator.h"

namespace tactus {

class Simulator::Input : public ConstraintInput {
 public:
  explicit Input(Simulator* simulator) : s_(*simulator) {}

  const Model& model() const override { return *s_.model_; }
  const VectorX& q() const override { return s_.linearization_ == 0 ? s_.state_.q : s_.q_bar_; }
  const VectorX& v() const override { return s_.state_.v; }
  double time() const override { return s_.state_.time; }
  int first_dof() const override { return s_.dynamics_.first_dof(0); }

  Pose LinkPose(int link) const override {
    return PoseAt(link, s_.linearization_ == 0 ? s_.dynamics_.data(0) : s_.end_, s_.prescribed_);
  }
  Pose JacobianPose(int link) const override {
    return s_.linearization_ == 0 ? PoseAt(link, s_.dynamics_.data(0), s_.prescribed_)
                                  : PoseAt(link, s_.places_[0], s_.prescribed_middle_);
  }
  BodyIndex Body(int link) override {
    if (link < 0) return kWorld;
    const int body = s_.model_->links()[static_cast<std::size_t>(link)].body;
    return body < 0 ? kWorld : s_.dynamics_.AddBody(0, body, &s_.builder_);
  }
  Vector6 PrescribedVelocity(int link, const Vector3& p_W) const override {
    if (link < 0 || s_.model_->links()[static_cast<std::size_t>(link)].body >= 0) return Vector6::Zero();
    const PrescribedState& state = s_.prescribed_[static_cast<std::size_t>(link)];
    Vector6 out = state.velocity;
    out.head<3>() += state.velocity.tail<3>().cross(p_W - state.pose.p);
    return out;
  }

 private:
  Pose PoseAt(int link, const ModelData& data, const std::vector<PrescribedState>& prescribed) const {
    if (link < 0) return {};
    const ModelLink& l = s_.model_->links()[static_cast<std::size_t>(link)];
    return l.body < 0 ? prescribed[static_cast<std::size_t>(link)].pose : data.BodyPose(l.body) * l.X_BL;
  }

  Simulator& s_;
};

}  // namespace tactus
