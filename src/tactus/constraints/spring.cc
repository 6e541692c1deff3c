// Between a point of each of two links: a spring with damper, or a rod or rope of fixed length.
#include <cmath>

#include "tactus/constraints/kinds.h"
#include "tactus/core/error.h"

namespace tactus {

namespace {

class PointPair : public Constraint {
 public:
  PointPair(const std::string& name, const PointLink& points) : Constraint(name), points_(points) {}

 protected:
  struct Line {
    BodyIndex a, b;
    Vector3 point;
    Vector6 screw;
    double length, moving;
  };

  double CalcLength(const Pose& first, const Pose& second) const {
    return (first * points_.p_A - second * points_.p_B).norm();
  }

  const PointLink& points() const { return points_; }

  Line CalcLine(ConstraintInput* input) const {
    Line line;
    line.a = input->Body(points_.first);
    line.b = input->Body(points_.second);
    line.length = CalcLength(input->LinkPose(points_.first), input->LinkPose(points_.second));
    const Vector3 pa = input->JacobianPose(points_.first) * points_.p_A;
    const Vector3 pb = input->JacobianPose(points_.second) * points_.p_B;
    const double distance = (pa - pb).norm();
    // Points that coincide part along some axis.
    const Vector3 n = distance > 1e-12 ? Vector3((pa - pb) / distance) : Vector3::UnitZ();
    // A force along the line acts the same anywhere on it, on both.
    line.point = 0.5 * (pa + pb);
    line.screw << n, Vector3::Zero();
    line.moving = n.dot(input->PrescribedVelocity(points_.first, pa).head<3>() -
                        input->PrescribedVelocity(points_.second, pb).head<3>());
    return line;
  }

 private:
  PointLink points_;
};

class SpringConstraint : public PointPair {
 public:
  explicit SpringConstraint(const Spring& spring) : PointPair(spring.name, spring.points), spring_(spring) {}

  void AddRows(int index, ConstraintInput* input, ConstraintRows* rows) const override {
    const Line line = CalcLine(input);
    SpringLaw law;
    law.stiffness = spring_.stiffness;
    law.damping = spring_.damping;
    rows->AddBodySpring(RowKey(index, 0), law, line.a, line.b, line.point, line.screw,
                        line.length - spring_.rest_length, line.moving);
  }

  double CalcEnergy(const VectorX& /*q*/, const std::function<Pose(int)>& pose) const override {
    const double stretch = CalcLength(pose(points().first), pose(points().second)) - spring_.rest_length;
    return 0.5 * spring_.stiffness * stretch * stretch;
  }

 private:
  Spring spring_;
};

class DistanceConstraint : public PointPair {
 public:
  explicit DistanceConstraint(const Distance& distance)
      : PointPair(distance.name, distance.points), distance_(distance) {}

  void AddRows(int index, ConstraintInput* input, ConstraintRows* rows) const override {
    Line line = CalcLine(input);
    if (!distance_.rope) {
      rows->AddBodyGap(RowKey(index, 0), RowLaw::Equality(), line.a, line.b, line.point, line.screw,
                       line.length - distance_.length, line.moving);
      return;
    }
    line.screw = -line.screw;
    rows->AddBodyGap(RowKey(index, 0), RowLaw::Inequality(), line.a, line.b, line.point, line.screw,
                     distance_.length - line.length, -line.moving);
  }

 private:
  Distance distance_;
};

}  // namespace

std::unique_ptr<const Constraint> MakeSpring(const Model& model, const Spring& spring) {
  const std::string where = "spring '" + spring.name + "'";
  CheckLinks(model, spring.points.first, spring.points.second, where);
  Require(std::isfinite(spring.stiffness) && spring.stiffness >= 0 && std::isfinite(spring.damping) &&
              spring.damping >= 0 && std::isfinite(spring.rest_length) && spring.rest_length >= 0,
          where, "stiffness, damping or rest_length is negative or not finite", "numbers >= 0");
  return std::make_unique<SpringConstraint>(spring);
}

std::unique_ptr<const Constraint> MakeDistance(const Model& model, const Distance& distance) {
  const std::string where = "distance '" + distance.name + "'";
  CheckLinks(model, distance.points.first, distance.points.second, where);
  Require(std::isfinite(distance.length) && distance.length > 0, where, "length is " + std::to_string(distance.length),
          "a number > 0 [m]");
  return std::make_unique<DistanceConstraint>(distance);
}

}  // namespace tactus
