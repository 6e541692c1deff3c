// A joint that follows another: gears, mimics. d_1 = sum_k c_k d_2^k, where d is q less its value at the start.
#include <array>

#include "tactus/constraints/kinds.h"
#include "tactus/core/error.h"

namespace tactus {

namespace {

class JointCouplingConstraint : public Constraint {
 public:
  explicit JointCouplingConstraint(const JointCoupling& coupling) : Constraint(coupling.name), coupling_(coupling) {}

  void AddRows(int index, ConstraintInput* input, ConstraintRows* rows) const override {
    const Model& model = input->model();
    const ModelBody& first = Body(model, coupling_.first);
    const double d1 = input->q()[first.q] - coupling_.first_start;
    std::array<int, 2> columns = {input->first_dof() + first.v, 0};
    std::array<double, 2> values = {1, 0};
    double target = coupling_.polynomial[0];
    std::size_t count = 1;
    if (coupling_.second >= 0) {
      const ModelBody& second = Body(model, coupling_.second);
      const double d2 = input->q()[second.q] - coupling_.second_start;
      double power = 1, slope = 0;
      for (std::size_t k = 1; k < coupling_.polynomial.size(); ++k) {
        slope += static_cast<double>(k) * coupling_.polynomial[k] * power;
        power *= d2;
        target += coupling_.polynomial[k] * power;
      }
      columns[1] = input->first_dof() + second.v;
      values[1] = -slope;
      count = 2;
    }
    rows->AddGap(RowKey(index, 0), RowLaw::Equality(), {columns.data(), count}, {values.data(), count}, d1 - target);
  }

 private:
  static const ModelBody& Body(const Model& model, int joint) {
    return model.body(model.joints()[static_cast<std::size_t>(joint)].body);
  }

  JointCoupling coupling_;
};

void CheckJoint(const Model& model, int joint, const std::string& where) {
  Require(joint >= 0 && joint < static_cast<int>(model.joints().size()), where,
          "joint " + std::to_string(joint) + " does not exist", "a joint of the model");
  const ModelJoint& j = model.joints()[static_cast<std::size_t>(joint)];
  Require(model.body(j.body).nv == 1, where, "joint '" + j.description.name + "' has not one dof", "joints of one dof");
}

}  // namespace

std::unique_ptr<const Constraint> MakeJointCoupling(const Model& model, const JointCoupling& coupling) {
  const std::string where = "coupling '" + coupling.name + "'";
  CheckJoint(model, coupling.first, where);
  if (coupling.second >= 0) CheckJoint(model, coupling.second, where);
  Require(coupling.first != coupling.second, where, "couples a joint to itself", "two joints");
  return std::make_unique<JointCouplingConstraint>(coupling);
}

}  // namespace tactus
