// A constraint of a simulation: anything but contacts. One kind a file.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/constraints/constraint_rows.h"
#include "tactus/dynamics/model_data.h"
#include "tactus/model/model.h"

namespace tactus {

/// How a body that is not moved by forces moves: pose and velocity [velocity of its origin; angular velocity], world
/// axes.
struct PrescribedState {
  Pose pose;
  Vector6 velocity = Vector6::Zero();  ///< such that the step ends where the motion says
};

/// What a constraint sees of a step. Bodies are asked for by link.
class ConstraintInput {
 public:
  virtual ~ConstraintInput() = default;
  virtual const Model& model() const = 0;
  /// Where gaps are measured, and its kinematics. The start of the step, or its end as predicted.
  virtual const VectorX& q() const = 0;
  virtual Pose LinkPose(int link) const = 0;
  /// Where Jacobians are taken: the same, or the middle of the step.
  virtual Pose JacobianPose(int link) const = 0;
  /// For ConstraintRows; kWorld for what is fixed or moves as prescribed.
  virtual BodyIndex Body(int link) = 0;
  /// Velocity of a prescribed link's point, zero for all others.
  virtual Vector6 PrescribedVelocity(int link, const Vector3& p_W) const = 0;
  /// Velocity at the start of the step.
  virtual const VectorX& v() const = 0;
  virtual double time() const = 0;
  /// Where the model's dofs begin in the problem.
  virtual int first_dof() const = 0;
};

class Constraint {
 public:
  virtual ~Constraint() = default;
  Constraint(const Constraint&) = delete;
  Constraint& operator=(const Constraint&) = delete;

  const std::string& name() const { return name_; }
  /// `index` is the constraint's own among all, for keys.
  virtual void AddRows(int index, ConstraintInput* input, ConstraintRows* rows) const = 0;
  /// What its springs store where the model is at q and its links are at `pose` (-1: the world) [J].
  virtual double CalcEnergy(const VectorX& /*q*/, const std::function<Pose(int link)>& /*pose*/) const { return 0; }

 protected:
  explicit Constraint(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

/// All that a model's description asks for: limits, dry friction, mimics, equalities, tendons. `initial` is the
/// configuration that "as at the start" refers to. Throws InputError where names do not fit.
std::vector<std::unique_ptr<const Constraint>> MakeConstraints(const Model& model, const VectorX& initial);

}  // namespace tactus
