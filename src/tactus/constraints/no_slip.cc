// A wheel that rolls: the point where it touches a plane does not slip. Nonholonomic: it holds velocities only.
#include <cmath>

#include "tactus/constraints/kinds.h"
#include "tactus/core/error.h"

namespace tactus {

namespace {

class NoSlipConstraint : public Constraint {
 public:
  explicit NoSlipConstraint(const NoSlip& wheel) : Constraint(wheel.name), wheel_(wheel) {}

  void AddRows(int index, ConstraintInput* input, ConstraintRows* rows) const override {
    const Pose X = input->JacobianPose(wheel_.link);
    const Vector3 n = wheel_.normal.normalized();
    const Vector3 axis = X.R * wheel_.axis.normalized();
    // Along the plane, across the axle; a wheel that lies flat touches nowhere in particular.
    const Vector3 forward = axis.cross(n);
    const double length = forward.norm();
    if (length < 1e-6) return;
    const Vector3 rolling = forward / length, side = n.cross(rolling);
    // The lowest point of the rim.
    const Vector3 down = (axis * axis.dot(n) - n).normalized();
    const Vector3 p = X * wheel_.center + wheel_.radius * down;
    const BodyIndex a = input->Body(wheel_.link);
    Vector6 screw = Vector6::Zero();
    screw.head<3>() = rolling;
    rows->AddBodyVelocity(RowKey(index, 0), RowLaw::Equality(), a, kWorld, p, screw, 0);
    if (wheel_.slides_sideways) return;
    screw.head<3>() = side;
    rows->AddBodyVelocity(RowKey(index, 1), RowLaw::Equality(), a, kWorld, p, screw, 0);
  }

 private:
  NoSlip wheel_;
};

}  // namespace

std::unique_ptr<const Constraint> MakeNoSlip(const Model& model, const NoSlip& wheel) {
  const std::string where = "no-slip '" + wheel.name + "'";
  CheckLinks(model, wheel.link, -1, where);
  Require(std::isfinite(wheel.radius) && wheel.radius > 0, where, "radius is " + std::to_string(wheel.radius),
          "a number > 0 [m]");
  Require(wheel.axis.allFinite() && wheel.axis.norm() > 0 && wheel.normal.allFinite() && wheel.normal.norm() > 0, where,
          "axis or normal has no direction", "vectors that are not zero");
  return std::make_unique<NoSlipConstraint>(wheel);
}

}  // namespace tactus
