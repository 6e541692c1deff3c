// Pinocchio is used as headers only, compiled with our flags: its library has another alignment of Eigen's vectors.
//
// Conventions. Quaternions: Pinocchio x, y, z, w; ours w, x, y, z. Floating joints: Pinocchio's linear velocity is in
// the moving frame, ours in the fixed one: v_ours = T v_pinocchio, T = diag(R, 1), so tau_ours = T tau_pinocchio (R is
// orthogonal), M_ours = T M T^T and, as dT/dt = T diag([omega]x, 0),
//     a_ours = T (a_pinocchio + [omega x v_pinocchio; 0]).
#include <algorithm>
#include <string>
#include <vector>

#include <pinocchio/multibody.hpp>
// Pinocchio's algorithms come after its models.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "bench/dynamics/pinocchio_peer.h"
#include "tactus/core/error.h"

namespace tactus::bench {

namespace {

struct Part {
  pinocchio::Model model;
  pinocchio::Data data;
  int first_body = 0, num_bodies = 0;
  VectorX q, v, a;
  Matrix6X J;
};

pinocchio::Model Convert(const Model& model, int begin, int end) {
  pinocchio::Model out;
  out.gravity.linear() = model.gravity();
  for (int b = begin; b < end; ++b) {
    const ModelBody& body = model.body(b);
    const pinocchio::SE3 placement(body.X_PJ.R, body.X_PJ.p);
    const pinocchio::JointIndex parent =
        body.parent < 0 ? 0 : static_cast<pinocchio::JointIndex>(body.parent - begin + 1);
    const std::string name = "joint" + std::to_string(b);
    pinocchio::JointIndex joint = 0;
    switch (body.kind->type) {
      case JointType::Revolute:
      case JointType::Continuous: joint = out.addJoint(parent, pinocchio::JointModelRZ(), placement, name); break;
      case JointType::Prismatic: joint = out.addJoint(parent, pinocchio::JointModelPZ(), placement, name); break;
      case JointType::Ball: joint = out.addJoint(parent, pinocchio::JointModelSpherical(), placement, name); break;
      case JointType::Floating: joint = out.addJoint(parent, pinocchio::JointModelFreeFlyer(), placement, name); break;
      default: throw InputError(name, "has a type that is not compared", "revolute, prismatic, ball or floating");
    }
    out.appendBodyToJoint(joint, pinocchio::Inertia(body.inertia.m, body.inertia.com(), body.inertia.central()),
                          pinocchio::SE3::Identity());
    for (int k = 0; k < body.nv; ++k) out.armature[body.v - model.body(begin).v + k] = model.armature()[body.v + k];
  }
  return out;
}

}  // namespace

struct PinocchioPeer::Implementation {
  const Model* model = nullptr;
  VectorX q, v, a;
  std::vector<std::unique_ptr<Part>> parts;

  int FirstDof(const Part& part) const { return model->body(part.first_body).v; }
  // x <- T x, or its transpose, for the dofs of a part.
  void Turn(const Part& part, bool transpose, Eigen::Ref<MatrixX> x) const {
    for (int b = part.first_body; b < part.first_body + part.num_bodies; ++b) {
      const ModelBody& body = model->body(b);
      if (body.kind->type != JointType::Floating) continue;
      const Eigen::Quaterniond turn(q[body.q + 3], q[body.q + 4], q[body.q + 5], q[body.q + 6]);
      const Matrix3 R = transpose ? Matrix3(turn.matrix().transpose()) : Matrix3(turn.matrix());
      const int d = body.v - FirstDof(part);
      x.middleRows(d, 3) = (R * x.middleRows(d, 3)).eval();
    }
  }
  VectorX Gather(bool is_acceleration) const {
    VectorX out(model->nv());
    for (const auto& part : parts) {
      VectorX x = is_acceleration ? part->data.ddq : part->data.tau;
      for (int b = part->first_body; is_acceleration && b < part->first_body + part->num_bodies; ++b) {
        const ModelBody& body = model->body(b);
        if (body.kind->type != JointType::Floating) continue;
        const int d = body.v - FirstDof(*part);
        x.segment<3>(d) += part->v.segment<3>(d + 3).cross(part->v.segment<3>(d));
      }
      Turn(*part, false, x);
      out.segment(FirstDof(*part), part->model.nv) = x;
    }
    return out;
  }
};

PinocchioPeer::PinocchioPeer(const Model& model) : implementation_(std::make_unique<Implementation>()) {
  implementation_->model = &model;
  const bool apart = !model.free_batches().empty();
  for (int begin = 0; begin < model.num_bodies();) {
    int end = begin + 1;
    while (end < model.num_bodies() && !(apart && model.body(end).parent < 0)) ++end;
    pinocchio::Model converted = Convert(model, begin, end);
    pinocchio::Data data(converted);
    implementation_->parts.push_back(
        std::make_unique<Part>(Part{std::move(converted), std::move(data), begin, end - begin, {}, {}, {}, {}}));
    begin = end;
  }
}

PinocchioPeer::~PinocchioPeer() = default;

void PinocchioPeer::SetState(const VectorX& q, const VectorX& v, const VectorX& a) {
  Implementation& peer = *implementation_;
  peer.q = q;
  peer.v = v;
  peer.a = a;
  for (const auto& part : peer.parts) {
    const ModelBody& first = peer.model->body(part->first_body);
    part->q = q.segment(first.q, part->model.nq);
    part->v = v.segment(first.v, part->model.nv);
    part->a = a.segment(first.v, part->model.nv);
    peer.Turn(*part, true, part->v);
    peer.Turn(*part, true, part->a);
    part->J = Matrix6X::Zero(6, part->model.nv);
    for (int b = part->first_body; b < part->first_body + part->num_bodies; ++b) {
      const ModelBody& body = peer.model->body(b);
      if (body.kind->type != JointType::Floating && body.kind->type != JointType::Ball) continue;
      double* quaternion = part->q.data() + body.q - first.q + (body.kind->type == JointType::Floating ? 3 : 0);
      std::rotate(quaternion, quaternion + 1, quaternion + 4);
    }
  }
}

void PinocchioPeer::InverseDynamics() {
  for (const auto& p : implementation_->parts) pinocchio::rnea(p->model, p->data, p->q, p->v, p->a);
}
void PinocchioPeer::MassMatrixAndFactor(bool world) {
  const auto convention = world ? pinocchio::Convention::WORLD : pinocchio::Convention::LOCAL;
  for (const auto& p : implementation_->parts) {
    pinocchio::crba(p->model, p->data, p->q, convention);
    pinocchio::cholesky::decompose(p->model, p->data);
  }
}
void PinocchioPeer::ForwardDynamics(bool world) {
  const auto convention = world ? pinocchio::Convention::WORLD : pinocchio::Convention::LOCAL;
  for (const auto& p : implementation_->parts) pinocchio::aba(p->model, p->data, p->q, p->v, p->a, convention);
}
void PinocchioPeer::Jacobians() {
  for (const auto& p : implementation_->parts) pinocchio::computeJointJacobians(p->model, p->data, p->q);
}
void PinocchioPeer::LastJacobian() {
  for (const auto& p : implementation_->parts) {
    p->J.setZero();
    pinocchio::getJointJacobian(p->model, p->data, static_cast<pinocchio::JointIndex>(p->model.njoints - 1),
                                pinocchio::LOCAL_WORLD_ALIGNED, p->J);
  }
}

VectorX PinocchioPeer::tau() const { return implementation_->Gather(false); }
VectorX PinocchioPeer::acceleration() const { return implementation_->Gather(true); }
MatrixX PinocchioPeer::mass() const {
  const Implementation& peer = *implementation_;
  MatrixX M = MatrixX::Zero(peer.model->nv(), peer.model->nv());
  for (const auto& part : peer.parts) {
    MatrixX block = part->data.M.selfadjointView<Eigen::Upper>();
    peer.Turn(*part, false, block);
    block.transposeInPlace();
    peer.Turn(*part, false, block);
    M.block(peer.FirstDof(*part), peer.FirstDof(*part), part->model.nv, part->model.nv) = block;
  }
  return M;
}

}  // namespace tactus::bench
