// Two links held together: a point of both, and for a weld their orientation too.
#include "tactus/constraints/kinds.h"

namespace tactus {

namespace {

// Frame C of the first link and frame D of the second coincide; for a connection only their origins.
class WeldConstraint : public Constraint {
 public:
  WeldConstraint(const Weld& weld, bool turns) : Constraint(weld.name), weld_(weld), turns_(turns) {}

  void AddRows(int index, ConstraintInput* input, ConstraintRows* rows) const override {
    const BodyIndex a = input->Body(weld_.first), b = input->Body(weld_.second);
    const Pose X_WC = input->LinkPose(weld_.first) * weld_.X_AC, X_WD = input->LinkPose(weld_.second) * weld_.X_BD;
    const Vector3 p =
        0.5 * ((input->JacobianPose(weld_.first) * weld_.X_AC).p + (input->JacobianPose(weld_.second) * weld_.X_BD).p);
    const Vector6 moving = input->PrescribedVelocity(weld_.first, p) - input->PrescribedVelocity(weld_.second, p);
    const Vector3 shift = X_WC.p - X_WD.p;
    for (int k = 0; k < 3; ++k) {
      rows->AddBodyGap(RowKey(index, k), RowLaw::Equality(), a, b, p, Vector6::Unit(k), shift[k], moving[k]);
    }
    if (turns_) return;
    const Vector3 turn = LogRotation(Quaternion(X_WC.R * X_WD.R.transpose()));
    for (int k = 0; k < 3; ++k) {
      rows->AddBodyGap(RowKey(index, 3 + k), RowLaw::Equality(), a, b, p, Vector6::Unit(3 + k), turn[k], moving[3 + k]);
    }
  }

 private:
  Weld weld_;
  bool turns_;
};

}  // namespace

std::unique_ptr<const Constraint> MakeWeld(const Model& model, const Weld& weld) {
  CheckLinks(model, weld.first, weld.second, "weld '" + weld.name + "'");
  return std::make_unique<WeldConstraint>(weld, false);
}

std::unique_ptr<const Constraint> MakeConnect(const Model& model, const Weld& weld) {
  CheckLinks(model, weld.first, weld.second, "connect '" + weld.name + "'");
  return std::make_unique<WeldConstraint>(weld, true);
}

}  // namespace tactus
