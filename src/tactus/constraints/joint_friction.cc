// Dry friction in joints: a dof stands still unless more than its friction torque pulls.
#include "tactus/constraints/kinds.h"

namespace tactus {

namespace {

class JointFriction : public Constraint {
 public:
  JointFriction() : Constraint("joint friction") {}

  void AddRows(int index, ConstraintInput* input, ConstraintRows* rows) const override {
    const Model& model = input->model();
    for (const ModelJoint& joint : model.joints()) {
      const double torque = joint.description.dry_friction;
      if (!(torque > 0)) continue;
      const ModelBody& body = model.body(joint.body);
      for (int k = 0; k < body.nv; ++k) {
        const int column = input->first_dof() + body.v + k;
        const double value = 1;
        rows->AddVelocity(RowKey(index, body.v + k), RowLaw::DryFriction(rows->h() * torque), {&column, 1}, {&value, 1},
                          0);
      }
    }
  }
};

}  // namespace

std::unique_ptr<const Constraint> MakeJointFriction() { return std::make_unique<JointFriction>(); }

}  // namespace tactus
