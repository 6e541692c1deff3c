// What a model's description asks for.
#include "tactus/constraints/constraint.h"
#include "tactus/constraints/kinds.h"
#include "tactus/core/error.h"
#include "tactus/dynamics/kinematics.h"

namespace tactus {

void CheckLinks(const Model& model, int first, int second, const std::string& where) {
  for (const int link : {first, second}) {
    Require(link >= -1 && link < static_cast<int>(model.links().size()), where,
            "link " + std::to_string(link) + " does not exist", "a link of the model, or -1 for the world");
  }
  Require(first != second, where, "both ends are the same link", "two links");
}

namespace {

int FindLink(const Model& model, const std::string& name, const std::string& where) {
  if (name.empty() || name == "world") return -1;
  const int link = model.FindLink(name);
  Require(link >= 0, where, "there is no link '" + name + "'", "a link of the model");
  return link;
}

int FindJoint(const Model& model, const std::string& name, const std::string& where) {
  const int joint = model.FindJoint(name);
  Require(joint >= 0, where, "there is no joint '" + name + "'", "a joint of the model");
  return joint;
}

double StartOf(const Model& model, int joint, const VectorX& initial) {
  return initial[model.body(model.joints()[static_cast<std::size_t>(joint)].body).q];
}

std::unique_ptr<const Constraint> MakeEquality(const Model& model, const EqualityDescription& equality,
                                               const VectorX& initial, const ModelData& data) {
  const std::string where = "equality '" + equality.name + "'";
  if (equality.type == EqualityType::Tendon) return MakeTendonCoupling(model, equality, initial);
  if (equality.type == EqualityType::Joint) {
    JointCoupling coupling;
    coupling.name = equality.name;
    coupling.first = FindJoint(model, equality.first, where);
    coupling.first_start = StartOf(model, coupling.first, initial);
    if (!equality.second.empty()) {
      coupling.second = FindJoint(model, equality.second, where);
      coupling.second_start = StartOf(model, coupling.second, initial);
    }
    std::copy(equality.polynomial, equality.polynomial + 5, coupling.polynomial.begin());
    return MakeJointCoupling(model, coupling);
  }
  Weld weld;
  weld.name = equality.name;
  weld.first = FindLink(model, equality.first, where);
  weld.second = FindLink(model, equality.second, where);
  const auto pose = [&](int link) { return link < 0 ? Pose() : data.LinkPose(model, link); };
  const Pose X_AB = pose(weld.first).Inverse() * pose(weld.second);
  if (equality.type == EqualityType::Connect) {
    weld.X_AC.p = equality.anchor;
    weld.X_BD.p = equality.second_anchor.value_or(X_AB.Inverse() * equality.anchor);
    return MakeConnect(model, weld);
  }
  // The anchor is a point of the second link.
  weld.X_BD.p = equality.anchor;
  weld.X_AC = equality.relative.value_or(X_AB) * weld.X_BD;
  return MakeWeld(model, weld);
}

}  // namespace

std::vector<std::unique_ptr<const Constraint>> MakeConstraints(const Model& model, const VectorX& initial) {
  std::vector<std::unique_ptr<const Constraint>> out;
  ModelData data(model);
  CalcFrames(model, initial, &data);
  out.push_back(MakeJointLimits());
  out.push_back(MakeJointFriction());
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const ModelJoint& joint = model.joints()[j];
    if (joint.mimic < 0) continue;
    JointCoupling coupling;
    coupling.name = joint.description.name + " mimics";
    coupling.first = static_cast<int>(j);
    coupling.second = joint.mimic;
    coupling.polynomial = {joint.description.mimic->offset, joint.description.mimic->multiplier, 0, 0, 0};
    out.push_back(MakeJointCoupling(model, coupling));
  }
  for (const EqualityDescription& equality : model.description().equalities) {
    if (equality.active) out.push_back(MakeEquality(model, equality, initial, data));
  }
  for (const TendonDescription& tendon : model.description().tendons) out.push_back(MakeTendon(model, tendon));
  return out;
}

}  // namespace tactus
