// lower <= q <= upper of joints of one dof.
#include <cmath>

#include "tactus/constraints/kinds.h"

namespace tactus {

namespace {

// Limits further away than a joint can get in a step are left out: at its speed and this much more [rad/s, m/s].
constexpr double kSurprise = 50;

class JointLimits : public Constraint {
 public:
  JointLimits() : Constraint("joint limits") {}

  void AddRows(int index, ConstraintInput* input, ConstraintRows* rows) const override {
    const Model& model = input->model();
    for (std::size_t j = 0; j < model.joints().size(); ++j) {
      const ModelJoint& joint = model.joints()[j];
      const ModelBody& body = model.body(joint.body);
      if (body.nv != 1) continue;
      const JointDescription& d = joint.description;
      const double q = input->q()[body.q], reach = rows->h() * (std::abs(input->v()[body.v]) + kSurprise);
      const int column = input->first_dof() + body.v;
      for (int side = 0; side < 2; ++side) {
        const double gap = side == 0 ? q - d.lower : d.upper - q, value = side == 0 ? 1 : -1;
        if (!(gap < reach)) continue;
        rows->AddGap(RowKey(index, static_cast<int>(2 * j) + side), RowLaw::Inequality(), {&column, 1}, {&value, 1},
                     gap);
      }
    }
  }
};

}  // namespace

std::unique_ptr<const Constraint> MakeJointLimits() { return std::make_unique<JointLimits>(); }

}  // namespace tactus
