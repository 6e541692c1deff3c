#include "tactus/model/model.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "tactus/core/error.h"

namespace tactus {

namespace {

bool IsFinite(const Pose& X) { return X.R.allFinite() && X.p.allFinite(); }

void CheckJoint(const std::string& where, const JointDescription& joint) {
  const auto finite = [&](double x, const char* what) {
    Require(std::isfinite(x), where, std::string(what) + " is not finite", "a finite number");
  };
  const auto positive = [&](double x, const char* what) {
    Require(x >= 0, where, std::string(what) + " is " + std::to_string(x), "a number >= 0");
  };
  Require(joint.axis.allFinite() && joint.anchor.allFinite(), where, "axis or anchor is not finite", "finite numbers");
  Require(joint.axis.norm() > 1e-12, where, "the axis has length zero", "a direction");
  Require(!(joint.lower > joint.upper), where,
          "limits [" + std::to_string(joint.lower) + ", " + std::to_string(joint.upper) + "] are the wrong way round",
          "lower <= upper");
  positive(joint.damping, "damping");
  positive(joint.dry_friction, "dry friction");
  positive(joint.stiffness, "stiffness");
  positive(joint.armature, "armature");
  finite(joint.damping, "damping");
  finite(joint.stiffness, "stiffness");
  finite(joint.armature, "armature");
  finite(joint.reference, "reference");
  Require(IsFinite(joint.initial), where, "its initial pose is not finite", "finite numbers");
}

int LinearDofs(JointType type) {
  if (type == JointType::Planar) return 2;
  return type == JointType::Floating ? 3 : 0;
}

// Frame of a joint in its link's frame: the axis becomes z.
Pose JointFrame(const JointDescription& joint) {
  const bool has_axis = joint.type == JointType::Revolute || joint.type == JointType::Continuous ||
                        joint.type == JointType::Prismatic || joint.type == JointType::Planar;
  return {has_axis ? RotationFromZ(joint.axis) : Matrix3::Identity(), joint.anchor};
}

// Where the link is at q = 0 if it is at X_PL at q = reference.
Pose UndoReference(const JointDescription& joint) {
  const JointKind& kind = GetJointKind(joint.type);
  if (joint.reference == 0 || kind.nq != 1) return {};
  if (joint.type == JointType::Prismatic) return Pose(Vector3(0, 0, -joint.reference));
  return {ExpRotation(Vector3(0, 0, -joint.reference)).matrix(), Vector3::Zero()};
}

}  // namespace

Model::Model(const ModelDescription& description) : description_(description) {
  for (std::size_t i = 0; i < description.links.size(); ++i) {
    const LinkDescription& link = description.links[i];
    const std::string where = "link '" + link.name + "'";
    Require(link_numbers_.emplace(link.name, static_cast<int>(i)).second, where, "there is another link of that name",
            "unique names");
    Require(link.parent >= -1 && link.parent < static_cast<int>(i), where,
            "its parent is link " + std::to_string(link.parent), "-1 or a link before it");
    Require(IsFinite(link.X_PL), where, "its pose is not finite", "finite numbers");
    for (std::size_t k = 0; k < link.joints.size(); ++k) {
      const JointDescription& joint = link.joints[k];
      const int number = static_cast<int>(joints_.size() + k);
      Require(joint.name.empty() || joint_numbers_.emplace(joint.name, number).second, "joint '" + joint.name + "'",
              "there is another joint of that name", "unique names");
    }
    AddLink(static_cast<int>(i));
  }
  FinishDofs();
  FindFreeBodies();
}

void Model::AddLink(int index) {
  const LinkDescription& link = description_.links[index];
  ModelLink out;
  out.name = link.name;
  out.parent = link.parent;
  out.moving = !link.joints.empty();
  int body = link.parent < 0 ? -1 : links_[link.parent].body;
  // The link's frame before its joints, in the body's frame.
  Pose X_BL = (link.parent < 0 ? Pose() : links_[link.parent].X_BL) * link.X_PL;
  for (const JointDescription& joint : link.joints) {
    CheckJoint("joint '" + joint.name + "' of link '" + link.name + "'", joint);
    const Pose X_LJ = JointFrame(joint);
    ModelBody b;
    b.parent = body;
    b.kind = &GetJointKind(joint.type);
    b.nv = b.kind->nv;
    b.linear_dofs = LinearDofs(joint.type);
    b.q = nq_;
    b.v = nv_;
    b.X_PJ = X_BL * X_LJ * UndoReference(joint);
    b.joint = static_cast<int>(joints_.size());
    body = static_cast<int>(bodies_.size());
    b.root = b.parent < 0 ? body : bodies_[b.parent].root;
    if (b.parent < 0) roots_.push_back(body);
    if (joint.type == JointType::Revolute || joint.type == JointType::Continuous) {
      b.angle = static_cast<int>(angles_.size());
      angles_.push_back(nq_);
    }
    nq_ += b.kind->nq;
    nv_ += b.kind->nv;
    bodies_.push_back(b);
    joints_.push_back({joint, body, index, -1});
    X_BL = X_LJ.Inverse();
  }
  out.body = body;
  out.X_BL = X_BL;
  links_.push_back(out);
  if (!link.inertia) return;
  const LinkInertia& inertia = *link.inertia;
  const std::string where = "link '" + link.name + "'";
  Require(std::isfinite(inertia.mass) && inertia.com.allFinite() && inertia.central.allFinite(), where,
          "its inertia is not finite", "finite numbers");
  Require(inertia.mass >= 0, where, "its mass is " + std::to_string(inertia.mass), "a mass >= 0");
  total_mass_ += inertia.mass;
  if (body < 0) return;
  bodies_[body].inertia += SpatialInertia::FromCentral(inertia.mass, inertia.com, inertia.central).Transformed(X_BL);
}

void Model::FinishDofs() {
  dof_body_.resize(nv_);
  dof_parent_.resize(nv_);
  armature_ = VectorX::Zero(nv_);
  damping_ = VectorX::Zero(nv_);
  branch_start_.assign(1, 0);
  std::vector<int> last_dof(bodies_.size(), -1);  // the last dof at or above a body
  for (int b = 0; b < num_bodies(); ++b) {
    const ModelBody& body = bodies_[b];
    int last = body.parent < 0 ? -1 : last_dof[body.parent];
    for (int k = 0; k < body.nv; ++k) {
      const int d = body.v + k;
      dof_body_[d] = b;
      dof_parent_[d] = last;
      last = d;
      armature_[d] = joints_[body.joint].description.armature;
      damping_[d] = joints_[body.joint].description.damping;
      const int above = dof_parent_[d] < 0 ? 0 : branch_length(dof_parent_[d]);
      branch_start_.push_back(branch_start_.back() + above + 1);
    }
    last_dof[b] = last;
  }
  // A dof that moves no mass has no dynamics.
  std::vector<double> mass(bodies_.size());
  for (int b = num_bodies() - 1; b >= 0; --b) {
    const ModelBody& body = bodies_[b];
    mass[b] += body.inertia.m + body.inertia.rotational().trace();
    if (body.parent >= 0) mass[body.parent] += mass[b];
    if (mass[b] <= 0 && body.nv > 0 && joints_[body.joint].description.armature <= 0) massless_joint_ = body.joint;
  }
  for (ModelJoint& joint : joints_) {
    if (!joint.description.mimic) continue;
    const std::string where = "joint '" + joint.description.name + "'";
    joint.mimic = FindJoint(joint.description.mimic->joint);
    Require(joint.mimic >= 0, where, "it mimics '" + joint.description.mimic->joint + "', which does not exist",
            "the name of a joint");
    Require(&joints_[joint.mimic] != &joint, where, "it mimics itself", "another joint");
    Require(bodies_[joint.body].nv == 1 && bodies_[joints_[joint.mimic].body].nv == 1, where,
            "it or the joint it mimics has more than one degree of freedom", "joints with one");
  }
}

void Model::FindFreeBodies() {
  std::vector<bool> alone(bodies_.size(), true);
  for (const ModelBody& body : bodies_) {
    if (body.parent >= 0) alone[body.parent] = false;
  }
  std::vector<int> free;
  for (int b = 0; b < num_bodies(); ++b) {
    const ModelBody& body = bodies_[b];
    alone[b] = alone[b] && body.parent < 0 && body.kind->type == JointType::Floating &&
               body.X_PJ.R == Matrix3::Identity() && body.X_PJ.p.isZero(0) && armature_[body.v] == 0 &&
               body.inertia.m > 0 && body.inertia.central().llt().info() == Eigen::Success;
    if (alone[b]) {
      free.push_back(b);
    } else if (!tree_ranges_.empty() && tree_ranges_.back().second == b) {
      ++tree_ranges_.back().second;
    } else {
      tree_ranges_.emplace_back(b, b + 1);
    }
  }
  for (std::size_t i = 0; i < free.size(); i += FreeBodyBatch::kLanes) {
    FreeBodyBatch batch{};
    for (int lane = 0; lane < FreeBodyBatch::kLanes; ++lane) {
      const int b = free[std::min(i + lane, free.size() - 1)];
      const ModelBody& body = bodies_[b];
      const Matrix3 central = body.inertia.central(), inverse = central.inverse();
      const Vector3 com = body.inertia.com();
      batch.body[lane] = b;
      batch.q[lane] = body.q;
      batch.v[lane] = body.v;
      batch.mass_start[lane] = branch_start(body.v);
      batch.mass[lane] = body.inertia.m;
      batch.inverse_mass[lane] = 1 / body.inertia.m;
      for (int k = 0; k < 3; ++k) batch.com[k][lane] = com[k];
      constexpr int kRow[6] = {0, 1, 2, 0, 0, 1}, kColumn[6] = {0, 1, 2, 1, 2, 2};
      for (int k = 0; k < 6; ++k) {
        batch.inertia[k][lane] = body.inertia.I[k];
        batch.central[k][lane] = central(kRow[k], kColumn[k]);
        batch.central_inverse[k][lane] = inverse(kRow[k], kColumn[k]);
      }
    }
    free_batches_.push_back(batch);
  }
}

void Model::CheckDynamics() const {
  if (massless_joint_ < 0) return;
  const ModelJoint& joint = joints_[massless_joint_];
  throw InputError("joint '" + joint.description.name + "'", "moves nothing that has mass",
                   "a link with an inertial below it, or an armature");
}

int Model::FindLink(std::string_view name) const {
  const auto found = link_numbers_.find(name);
  return found == link_numbers_.end() ? -1 : found->second;
}

int Model::FindJoint(std::string_view name) const {
  const auto found = joint_numbers_.find(name);
  return found == joint_numbers_.end() ? -1 : found->second;
}

VectorX Model::MakeNeutral() const {
  VectorX q(nq_);
  for (const ModelBody& b : bodies_) b.kind->set_neutral(q.data() + b.q);
  return q;
}

VectorX Model::MakeInitial() const {
  VectorX q = MakeNeutral();
  for (const ModelBody& b : bodies_) {
    const JointDescription& joint = joints_[b.joint].description;
    if (b.kind->nq == 1) q[b.q] = joint.reference;
    if (joint.type != JointType::Floating) continue;
    const Quaternion r(joint.initial.R);
    q.segment<3>(b.q) = joint.initial.p;
    q.segment<4>(b.q + 3) << r.w(), r.x(), r.y(), r.z();
  }
  return q;
}

VectorX Model::MakeRandom(Random* random) const {
  VectorX q(nq_);
  for (const ModelBody& b : bodies_) {
    b.kind->set_random(random, q.data() + b.q);
    const JointDescription& joint = joints_[b.joint].description;
    if (b.kind->nq == 1 && std::isfinite(joint.lower) && std::isfinite(joint.upper)) {
      q[b.q] = random->Uniform(joint.lower, joint.upper);
    }
  }
  return q;
}

void Model::Integrate(const ConstVectorRef& q, const ConstVectorRef& v, double dt, VectorX* out) const {
  *out = q;
  double step[6];
  for (const ModelBody& b : bodies_) {
    for (int k = 0; k < b.nv; ++k) step[k] = dt * v[b.v + k];
    b.kind->integrate(out->data() + b.q, step);
  }
}

void Model::Difference(const ConstVectorRef& q0, const ConstVectorRef& q1, VectorX* v) const {
  v->resize(nv_);
  for (const ModelBody& b : bodies_) b.kind->difference(q0.data() + b.q, q1.data() + b.q, v->data() + b.v);
}

}  // namespace tactus
