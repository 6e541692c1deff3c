#include "tactus/simulation/discrete_dynamics.h"

#include <cmath>
#include <string>

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
  part.bias = part.momentum = part.v_hat = VectorX::Zero(model.nv());
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
    for (int d = tree.first_dof; d < tree.first_dof + tree.nv; ++d) {
      tree.parent.push_back(model.dof_parent(d) < 0 ? -1 : model.dof_parent(d) - tree.first_dof);
    }
    tree.A = MatrixX::Zero(tree.nv, tree.nv);
    tree.b = VectorX::Zero(tree.nv);
    for (int b = tree.begin; b < tree.end; ++b) part.tree_of_body[b] = static_cast<int>(part.trees.size());
    if (tree.nv > 0) part.trees.push_back(std::move(tree));
  }
  return num_models() - 1;
}

void DiscreteDynamics::FillTree(const Part& part, const State& state, Tree* tree) const {
  const Model& model = *part.model;
  const double h = scheme_.step, scale = 1 / (1 - scheme_.theta);
  tree->b = scale * part.momentum.segment(tree->first_dof, tree->nv) - h * part.bias.segment(tree->first_dof, tree->nv);
  if (tree->free) {
    // In world axes about the body's origin.
    tree->A = scale * part.data.inertia[tree->begin].matrix();
    tree->b.tail<3>() = (part.data.BodyPose(tree->begin).R * tree->b.tail<3>()).eval();
  } else {
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
      tree->A(i, i) += h * joint.damping;
      if (body.nv == 1 && joint.stiffness != 0) {
        tree->A(i, i) += (1 - scheme_.theta) * h * h * joint.stiffness;
        tree->b[i] -= h * joint.stiffness * (state.q[body.q] - joint.rest_position);
      }
    }
  }
}

bool DiscreteDynamics::Update(int i, const State& state, const ModelForces& forces) {
  Part& part = parts_[i];
  const Model& model = *part.model;
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
        const BodyIndex body = builder->AddFreeBody(tree.A, tree.b, place(i).origin[tree.begin],
                                                    part.model->links()[part.model->joints()[tree.begin].link].name);
        part.bodies[tree.begin] = body;
      } else {
        builder->AddTree(tree.A, tree.parent, tree.b);
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

void DiscreteDynamics::ToModel(int i, const ConstVectorRef& v_problem, VectorX* v) const {
  const Part& part = parts_[i];
  *v = v_problem.segment(part.first_dof, part.model->nv());
  for (const Tree& tree : part.trees) {
    if (!tree.free) continue;
    v->segment<3>(tree.first_dof + 3) =
        (part.data.BodyPose(tree.begin).R.transpose() * v->segment<3>(tree.first_dof + 3)).eval();
  }
}

void DiscreteDynamics::ToProblem(int i, const ConstVectorRef& v, VectorX* v_problem) const {
  const Part& part = parts_[i];
  v_problem->segment(part.first_dof, part.model->nv()) = v;
  for (const Tree& tree : part.trees) {
    if (!tree.free) continue;
    const int d = tree.first_dof + 3;
    v_problem->segment<3>(part.first_dof + d) = part.data.BodyPose(tree.begin).R * v.segment<3>(d);
  }
}

void DiscreteDynamics::Advance(int i, const ConstVectorRef& v_hat_problem, State* state) {
  Part& part = parts_[i];
  ToModel(i, v_hat_problem, &part.v_hat);
  state->v = (part.v_hat - scheme_.theta * state->v) / (1 - scheme_.theta);
  part.model->Integrate(state->q, part.v_hat, scheme_.step, &state->q);
  state->time += scheme_.step;
}

}  // namespace tactus
