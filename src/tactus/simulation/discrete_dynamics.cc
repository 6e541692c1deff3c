#include "tactus/simulation/discrete_dynamics.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <Eigen/LU>

#include "tactus/core/error.h"
#include "tactus/dynamics/inverse_dynamics.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/dynamics/mass_matrix.h"

namespace tactus {

DiscreteDynamics::DiscreteDynamics(const ThetaScheme& scheme) : scheme_(scheme) {
  Require(std::isfinite(scheme.step) && scheme.step > 0, "time step", "is " + std::to_string(scheme.step),
          "a positive number of seconds");
  Require(scheme.theta >= 0 && scheme.theta < 1, "theta", "is " + std::to_string(scheme.theta),
          "a number in [0, 1): 0 for semi-implicit Euler, 0.5 for the midpoint rule");
}

int DiscreteDynamics::AddModel(const Model& model) {
  model.CheckDynamics();
  parts_.emplace_back(model);
  Part& part = parts_.back();
  part.first_dof = num_dofs_;
  num_dofs_ += model.nv();
  part.tree_of_body.resize(model.num_bodies());
  part.bodies.assign(model.num_bodies(), kWorld);
  part.bias = part.momentum = part.v_hat = part.v_next = VectorX::Zero(model.nv());
  std::vector<bool> free(model.num_bodies(), false);
  for (const FreeBodyBatch& batch : model.free_batches()) {
    for (const int b : batch.body) free[b] = true;
  }
  for (std::size_t r = 0; r < model.roots().size(); ++r) {
    Tree tree;
    tree.begin = model.roots()[r];
    tree.end = r + 1 < model.roots().size() ? model.roots()[r + 1] : model.num_bodies();
    tree.first_dof = model.body(tree.begin).v;
    tree.nv = (tree.end < model.num_bodies() ? model.body(tree.end).v : model.nv()) - tree.first_dof;
    tree.free = free[tree.begin];
    if (tree.free) {
      const SpatialInertia& inertia = model.body(tree.begin).inertia;
      tree.com = inertia.com();
      tree.central = inertia.central();
      tree.round =
          (tree.central - tree.central(0, 0) * Matrix3::Identity()).cwiseAbs().maxCoeff() <= 1e-14 * tree.central(0, 0);
    }
    for (int d = tree.first_dof; d < tree.first_dof + tree.nv; ++d) {
      tree.parent.push_back(model.dof_parent(d) < 0 ? -1 : model.dof_parent(d) - tree.first_dof);
    }
    tree.A = MatrixX::Zero(tree.nv, tree.nv);
    tree.b = VectorX::Zero(tree.nv);
    if (!tree.free) tree.mechanism.Resize(tree.nv);
    for (int b = tree.begin; b < tree.end; ++b) part.tree_of_body[b] = static_cast<int>(part.trees.size());
    if (tree.nv > 0 && !tree.free && !part.middle) {
      part.middle = std::make_unique<ModelData>(model);
      part.q_middle = VectorX::Zero(model.nq());
      part.v_middle = part.bias_middle = part.bias;
    }
    if (tree.nv > 0) part.trees.push_back(std::move(tree));
  }
  return num_models() - 1;
}

namespace {

// Angular velocity at the end of a step of a body on which the angular impulse T acts, in its own axes:
//     I (w' - w) + h u x I u = T,  u = (w + w')/2.
// Taken implicitly, because explicit gyroscopic torques feed energy into fast tops until they fly apart; in the middle,
// because then they do no work.
Vector3 Turn(const Matrix3& I, const Vector3& w, const Vector3& T, double h) {
  Vector3 next = w;
  for (int k = 0; k < 20; ++k) {
    const Vector3 u = 0.5 * (w + next), L = I * u;
    const Vector3 residual = I * (next - w) + h * u.cross(L) - T;
    const Matrix3 slope = I + 0.5 * h * (Skew(u) * I - Skew(L));
    const Vector3 change = slope.partialPivLu().solve(residual);
    next -= change;
    if (change.squaredNorm() <= 1e-30 * next.squaredNorm()) break;
  }
  return next;
}

}  // namespace

void DiscreteDynamics::FillFree(const Part& part, const State& state, Tree* tree) const {
  const double h = scheme_.step, scale = 1 / (1 - scheme_.theta);
  const ModelBody& body = part.model->body(tree->begin);
  const Matrix3 R = part.data.BodyPose(tree->begin).R;
  const Vector3 v = state.v.segment<3>(body.v), w_B = state.v.segment<3>(body.v + 3), w = R * w_B;
  const Vector3 arm = R * tree->com;
  tree->start = R;
  // Torques of the midpoint rule turn the body about axes as they are in the middle of the step.
  tree->axes = R;
  if (scheme_.theta > 0 && !tree->round) tree->axes = R * ExpRotation(scheme_.theta * h * w_B).toRotationMatrix();
  const Matrix3 I = tree->axes * tree->central * tree->axes.transpose();
  const double m = body.inertia.m;
  // What acts, at the origin: the bias without its terms of velocity; then at the centre of mass.
  const SpatialInertia& about_origin = part.data.inertia[tree->begin];
  Vector3 force = -part.bias.segment<3>(body.v), moment = -(R * part.bias.segment<3>(body.v + 3));
  force += w.cross(w.cross(m * arm));
  moment += w.cross(about_origin.rotational() * w) - arm.cross(force);
  tree->A.setZero();
  tree->A.topLeftCorner<3, 3>() = scale * m * Matrix3::Identity();
  tree->A.bottomRightCorner<3, 3>() = scale * I;
  tree->b.head<3>() = scale * m * (v + w.cross(arm)) + h * force;
  tree->b.tail<3>() = scale * (I * (tree->axes * w_B)) + h * moment;
  tree->turned = w_B;
  if (!tree->round) {
    tree->turned = Turn(tree->central, w_B, Vector3::Zero(), h);
    tree->b.tail<3>() += I * (tree->axes * (tree->turned - w_B));
  }
}

void DiscreteDynamics::FillMechanism(const Part& part, Tree* tree) const {
  const Model& model = *part.model;
  const double scale = 1 / (1 - scheme_.theta);
  TreeMechanism& m = tree->mechanism;
  m.origin = part.data.origin[tree->begin];
  const double* S = part.data.S.data() + 6 * static_cast<std::size_t>(tree->first_dof);
  std::copy_n(S, m.motion.size(), m.motion.begin());
  for (int i = 0; i < tree->nv; ++i) m.diagonal[i] = scale * model.armature()[tree->first_dof + i];
  // Other dofs of a joint keep the zeros they have had from the start.
  for (int b = tree->begin; b < tree->end; ++b) {
    const ModelBody& body = model.body(b);
    m.inertia[body.v + body.nv - 1 - tree->first_dof] = part.data.inertia[b] * scale;
  }
}

void DiscreteDynamics::FillTree(const Part& part, const State& state, Tree* tree) const {
  const Model& model = *part.model;
  const double h = scheme_.step, scale = 1 / (1 - scheme_.theta);
  tree->b = scale * part.momentum.segment(tree->first_dof, tree->nv) - h * part.bias.segment(tree->first_dof, tree->nv);
  if (tree->free) {
    FillFree(part, state, tree);
  } else {
    FillMechanism(part, tree);
    for (int d = tree->first_dof; d < tree->first_dof + tree->nv; ++d) {
      const double* row = part.data.M.data() + model.branch_start(d);
      const int i = d - tree->first_dof;
      for (int k = i; k >= 0; k = tree->parent[k]) tree->A(i, k) = tree->A(k, i) = scale * *row++;
    }
  }
  // Springs and dampers of joints. Those of a free body turn with it, but are the same about all axes.
  for (int b = tree->begin; b < tree->end; ++b) {
    const ModelBody& body = model.body(b);
    const JointDescription& joint = model.joints()[body.joint].description;
    for (int k = 0; k < body.nv; ++k) {
      const int i = body.v + k - tree->first_dof;
      const auto add = [&](double entry) {
        tree->A(i, i) += entry;
        if (!tree->free) tree->mechanism.diagonal[i] += entry;
      };
      add(h * joint.damping);
      if (body.nv == 1 && joint.stiffness != 0) {
        add((1 - scheme_.theta) * h * h * joint.stiffness);
        tree->b[i] -= h * joint.stiffness * (state.q[body.q] - joint.rest_position);
      }
    }
  }
}

bool DiscreteDynamics::Update(int i, const State& state, const ModelForces& forces) {
  Part& part = parts_[i];
  const Model& model = *part.model;
  part.forces = forces;
  CalcBias(model, state.q, state.v, &part.data, &part.bias, forces.external);
  if (forces.tau) part.bias -= *forces.tau;
  CalcMassMatrix(model, &part.data);
  MultiplyMassMatrix(model, part.data, state.v, &part.momentum);
  if (!part.bias.allFinite() || !part.momentum.allFinite()) return false;
  for (Tree& tree : part.trees) FillTree(part, state, &tree);
  return FactorizeMassMatrix(model, &part.data);
}

void DiscreteDynamics::AddSubsystems(ContactProblemBuilder* builder, const std::vector<ModelData>* places) {
  if (builder->num_dofs() != 0) {
    throw InputError("subsystems", "the builder has some already", "an empty builder");
  }
  places_ = places;
  int subsystem = 0;
  for (int i = 0; i < num_models(); ++i) {
    Part& part = parts_[i];
    part.first_subsystem = subsystem;
    part.bodies.assign(part.bodies.size(), kWorld);
    for (Tree& tree : part.trees) {
      if (tree.free) {
        const Pose X = place(i).BodyPose(tree.begin);
        const BodyIndex body = builder->AddFreeBody(tree.A, tree.b, X * tree.com,
                                                    part.model->links()[part.model->joints()[tree.begin].link].name);
        part.bodies[tree.begin] = body;
      } else {
        builder->AddTree(tree.A, tree.parent, tree.b, tree.mechanism);
      }
      ++subsystem;
    }
  }
}

BodyIndex DiscreteDynamics::AddBody(int i, int body, ContactProblemBuilder* builder) {
  if (body < 0) return kWorld;
  Part& part = parts_[i];
  if (body >= part.model->num_bodies()) {
    throw InputError("body " + std::to_string(body), "the model has " + std::to_string(part.model->num_bodies()),
                     "ModelLink::body, not the index of a link");
  }
  if (part.bodies[body] != kWorld) return part.bodies[body];
  const int index = part.tree_of_body[body];
  const Tree& tree = part.trees[index];
  const Vector3 reference = place(i).BodyPose(body).p;
  part.jacobian.setZero(6, tree.nv);
  CalcPointJacobian(*part.model, place(i), body, reference, tree.first_dof, &part.jacobian);
  const int link = part.model->joints()[part.model->body(body).joint].link;
  part.bodies[body] =
      builder->AddLink(part.first_subsystem + index, part.jacobian, reference, part.model->links()[link].name);
  return part.bodies[body];
}

void DiscreteDynamics::ToModel(int i, const ConstVectorRef& v_problem, VectorX* v, double duration) const {
  const Part& part = parts_[i];
  *v = v_problem.segment(part.first_dof, part.model->nv());
  for (const Tree& tree : part.trees) {
    if (!tree.free) continue;
    const Matrix3 R = part.data.BodyPose(tree.begin).R;
    const int d = tree.first_dof;
    const Vector3 w = tree.axes.transpose() * v->segment<3>(d + 3);
    v->segment<3>(d + 3) = w;
    if (tree.com.isZero(0)) continue;
    if (duration > 0) {
      // The centre of mass moves straight, the origin about it.
      v->segment<3>(d) += R * (tree.com - ExpRotation(duration * w) * tree.com) / duration;
    } else {
      v->segment<3>(d) -= R * w.cross(tree.com);
    }
  }
}

void DiscreteDynamics::ToProblem(int i, const ConstVectorRef& v, VectorX* v_problem) const {
  const Part& part = parts_[i];
  v_problem->segment(part.first_dof, part.model->nv()) = v;
  for (const Tree& tree : part.trees) {
    if (!tree.free) continue;
    const int d = tree.first_dof;
    const Matrix3 R = part.data.BodyPose(tree.begin).R;
    const Vector3 w = v.segment<3>(d + 3);
    v_problem->segment<3>(part.first_dof + d + 3) = tree.axes * w;
    v_problem->segment<3>(part.first_dof + d) += R * w.cross(tree.com);
  }
}

void DiscreteDynamics::CorrectTrees(const State& state, Part* part) const {
  if (!part->middle) return;
  const Model& model = *part->model;
  const double theta = scheme_.theta, h = scheme_.step;
  part->v_middle = 0.5 * (state.v + part->v_next);
  if (theta > 0) {
    model.Integrate(state.q, part->v_hat, theta * h, &part->q_middle);
  } else {
    part->q_middle = state.q;
  }
  CalcBias(model, part->q_middle, part->v_middle, part->middle.get(), &part->bias_middle, part->forces.external);
  if (part->forces.tau) part->bias_middle -= *part->forces.tau;
  part->bias_middle = h * (part->bias - part->bias_middle);
  const ModelData* at = &part->data;
  if (theta > 0) {
    CalcMassMatrix(model, part->middle.get());
    if (!FactorizeMassMatrix(model, part->middle.get())) return;
    part->v_middle = part->v_next - state.v;
    MultiplyMassMatrix(model, part->data, part->v_middle, &part->momentum);
    part->bias_middle += part->momentum;
    at = part->middle.get();
  }
  SolveMassMatrix(model, *at, part->bias_middle.data());
  for (const Tree& tree : part->trees) {
    if (tree.free) continue;
    auto v = part->v_next.segment(tree.first_dof, tree.nv);
    if (theta > 0) v = state.v.segment(tree.first_dof, tree.nv);
    v += part->bias_middle.segment(tree.first_dof, tree.nv);
  }
}

void DiscreteDynamics::CorrectTurn(const Tree& tree, const VectorX& v, VectorX* v_next) const {
  const int d = tree.first_dof;
  auto w_next = v_next->segment<3>(d + 3);
  const Vector3 before = w_next, change = before - tree.turned;
  if (change.isZero(0)) return;
  w_next = Turn(tree.central, v.segment<3>(d + 3), tree.central * change, scheme_.step);
  // The centre of mass keeps its velocity.
  const Matrix3 R = tree.start;
  v_next->segment<3>(d) += R * (before - w_next).cross(tree.com);
}

void DiscreteDynamics::Advance(int i, const ConstVectorRef& v_hat_problem, const ConstVectorRef* v_hat_momentum,
                               State* state) {
  Part& part = parts_[i];
  const double theta = scheme_.theta, h = scheme_.step;
  // Velocities at the end. Those of free bodies are of their centres of mass first, then of their origins, which have
  // turned meanwhile.
  ToModel(i, v_hat_problem, &part.v_hat, h);
  ToModel(i, v_hat_momentum != nullptr ? *v_hat_momentum : v_hat_problem, &part.v_next);
  part.v_next = (part.v_next - theta * state->v) / (1 - theta);
  CorrectTrees(*state, &part);
  for (const Tree& tree : part.trees) {
    if (!tree.free) continue;
    const int d = tree.first_dof;
    const Matrix3 R = part.data.BodyPose(tree.begin).R;
    if (!tree.round) CorrectTurn(tree, state->v, &part.v_next);
    if (tree.com.isZero(0)) continue;
    const Vector3 w = part.v_next.segment<3>(d + 3);
    const Vector3 before = w.cross(tree.com), after = ExpRotation(h * part.v_hat.segment<3>(d + 3)) * before;
    part.v_next.segment<3>(d) += R * (before - after);
  }
  part.model->Integrate(state->q, part.v_hat, h, &state->q);
  state->v.swap(part.v_next);
  state->time += h;
}

}  // namespace tactus
