#include "tactus/simulation/deformable_set.h"

#include <utility>

#include "tactus/core/error.h"
#include "tactus/math/spatial.h"

namespace tactus {

namespace {

int ItemStride(const Deformable& body) { return body.nq() / body.num_items(); }

void MoveRigidly(const Deformable& body, const Pose& X, VectorX* q) {
  const int stride = ItemStride(body);
  for (int i = 0; i < body.num_items(); ++i) {
    const int at = i * stride;
    q->segment<3>(at) = X * Vector3(q->segment<3>(at));
    if (stride != 7) continue;
    const Quaternion turn = Quaternion(X.R) * Quaternion((*q)[at + 3], (*q)[at + 4], (*q)[at + 5], (*q)[at + 6]);
    q->segment<4>(at + 3) << turn.w(), turn.x(), turn.y(), turn.z();
  }
}

}  // namespace

Pose CalcItemPose(const Deformable& body, const VectorX& q, int item) {
  const int stride = ItemStride(body), at = item * stride;
  if (stride != 7) return Pose(q.segment<3>(at));
  return {Quaternion(q[at + 3], q[at + 4], q[at + 5], q[at + 6]).toRotationMatrix(), q.segment<3>(at)};
}

Vector3 CalcPointPlace(const Deformable& body, const VectorX& q, const DeformablePoint& point) {
  Vector3 sum = Vector3::Zero();
  const int stride = ItemStride(body);
  for (int k = 0; k < point.count; ++k) {
    const std::size_t i = static_cast<std::size_t>(k);
    sum += point.weights[i] * q.segment<3>(point.items[i] * stride);
  }
  return sum;
}

Vector6 CalcItemVelocity(const Deformable& body, const DeformableState& state, int item) {
  const bool free = body.first_dof(item) >= 0;
  const VectorX& v = free ? state.v : state.held_velocity;
  const int at = free ? body.first_dof(item) : body.first_held_dof(item);
  Vector6 out = Vector6::Zero();
  for (int k = 0; k < body.dofs_per_item(); ++k) out[k] = v[at + k];
  return out;
}

Vector3 CalcPointVelocity(const Deformable& body, const DeformableState& state, const DeformablePoint& point,
                          const Vector3& p) {
  Vector3 sum = Vector3::Zero();
  for (int k = 0; k < point.count; ++k) {
    const std::size_t i = static_cast<std::size_t>(k);
    const Vector6 V = CalcItemVelocity(body, state, point.items[i]);
    Vector3 v = V.head<3>();
    if (body.dofs_per_item() == 6) v += V.tail<3>().cross(p - Vector3(state.q.segment<3>(7 * point.items[i])));
    sum += point.weights[i] * v;
  }
  return sum;
}

bool IsHeld(const Deformable& body, const DeformablePoint& point) {
  for (int k = 0; k < point.count; ++k) {
    if (body.first_dof(point.items[static_cast<std::size_t>(k)]) >= 0) return false;
  }
  return true;
}

int DeformableSet::Add(std::shared_ptr<const Deformable> body, DeformableSetup setup, double time,
                       DeformableState* state) {
  Require(body != nullptr, "deformable '" + setup.name + "'", "there is none", "a body");
  const std::string where = "deformable '" + setup.name + "'";
  setup.material.Validate(where);
  Require(setup.linear_velocity.allFinite() && setup.angular_velocity.allFinite() && setup.pose.p.allFinite() &&
              setup.pose.R.allFinite(),
          where, "its pose or velocity is not finite", "finite numbers");
  Part part;
  part.body = std::move(body);
  part.setup = std::move(setup);
  const Deformable& d = *part.body;
  state->q = d.initial_q();
  MoveRigidly(d, part.setup.pose, &state->q);
  state->v = VectorX::Zero(d.nv());
  state->held_velocity = VectorX::Zero(d.num_held_dofs());
  std::vector<bool> clamped(static_cast<std::size_t>(d.num_items()), false);
  for (const DeformableClamp& clamp : part.setup.clamps) {
    const Pose X_FW = clamp.motion ? clamp.motion->CalcPose(time).Inverse() : Pose();
    for (const int item : clamp.items) {
      Require(item >= 0 && item < d.num_items() && d.first_dof(item) < 0, where,
              "a clamp has item " + std::to_string(item) + ", which is not held", "held nodes or segments");
      Require(!clamped[static_cast<std::size_t>(item)], where, "item " + std::to_string(item) + " is clamped twice",
              "once each");
      clamped[static_cast<std::size_t>(item)] = true;
      part.held.push_back({item, clamp.motion.get(), X_FW * CalcItemPose(d, state->q, item)});
    }
  }
  for (int i = 0; i < d.num_items(); ++i) {
    if (d.first_dof(i) < 0) continue;
    const Vector3 arm = CalcItemPose(d, state->q, i).p - part.setup.pose.p;
    state->v.segment<3>(d.first_dof(i)) = part.setup.linear_velocity + part.setup.angular_velocity.cross(arm);
    if (d.dofs_per_item() == 6) state->v.segment<3>(d.first_dof(i) + 3) = part.setup.angular_velocity;
  }
  part.first_dof = num_dofs_;
  Require(part.setup.pieces >= 1, where, "there are to be " + std::to_string(part.setup.pieces) + " pieces",
          "1 or more");
  if (part.setup.pieces > 1) {
    MakePieces(&part);
  } else {
    num_dofs_ += d.nv();
  }
  part.data = d.MakeData();
  part.A = d.pattern();
  part.b = part.inertia = part.v_hat = VectorX::Zero(d.nv());
  part.held_force = VectorX::Zero(d.num_held_dofs());
  part.bodies.assign(static_cast<std::size_t>(d.num_items()), kWorld);
  parts_.push_back(std::move(part));
  start_.push_back(*state);
  return size() - 1;
}

// From where items are to where their clamp has them at the end, so that errors do not add up.
void DeformableSet::SetHeldVelocity(const Part& part, double from, double h, DeformableState* state) {
  state->held_velocity.setZero(part.body->num_held_dofs());
  for (const Held& held : part.held) {
    if (held.motion == nullptr) continue;
    const Pose X = CalcItemPose(*part.body, state->q, held.item);
    const Pose end = held.motion->CalcPose(from + h) * held.offset;
    const int at = part.body->first_held_dof(held.item);
    state->held_velocity.segment<3>(at) = (end.p - X.p) / h;
    if (part.body->dofs_per_item() != 6) continue;
    state->held_velocity.segment<3>(at + 3) = LogRotation(Quaternion(end.R * X.R.transpose())) / h;
  }
}

DeformableInput DeformableSet::MakeInput(std::size_t k) const {
  DeformableInput input;
  input.q = &start_[k].q;
  input.v = &start_[k].v;
  input.gravity = gravity_;
  input.held_velocity = &start_[k].held_velocity;
  if (parts_[k].external.size() > 0) input.external = &parts_[k].external;
  if (parts_[k].linearized) input.v_hat = &parts_[k].v_hat;
  return input;
}

bool DeformableSet::Assemble(ThreadPool* pool, bool about_v_hat, std::size_t k) {
  Part& part = parts_[k];
  part.linearized = about_v_hat;
  const DeformableInput input = MakeInput(k);
  if (!part.pieces.empty() && !AssemblePieces(pool, about_v_hat, &part, input)) return false;
  // Of a body in pieces the whole is wanted only for the forces on what is held.
  if (!part.pieces.empty() && part.body->num_held_dofs() == 0) return true;
  return part.body->Assemble(scheme_, input, pool, part.data.get(), &part.A, &part.b);
}

bool DeformableSet::Begin(const DeformableScheme& scheme, const State& state, const Vector3& gravity) {
  scheme_ = scheme;
  gravity_ = gravity;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    start_[k].q = state.deformables[k].q;
    start_[k].v = state.deformables[k].v;
    if (!start_[k].q.allFinite() || !start_[k].v.allFinite()) return false;
    SetHeldVelocity(parts_[k], state.time, scheme.step, &start_[k]);
    if (parts_[k].driven.size() > 0) start_[k].held_velocity += parts_[k].driven;
  }
  return true;
}

bool DeformableSet::Update(const DeformableScheme& scheme, const State& state, const Vector3& gravity,
                           ThreadPool* pool) {
  if (!Begin(scheme, state, gravity)) return false;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    Part& part = parts_[k];
    part.body->CalcInertia(start_[k].q, &part.inertia);
    part.inertia /= 1 - scheme.theta;
    for (std::size_t p = 0; p < part.pieces.size(); ++p) {
      Piece& piece = part.pieces[p];
      CutState(part, start_[k], p, &piece.state);
      part.cut.pieces[p].body->CalcInertia(piece.state.q, &piece.inertia);
      piece.inertia /= 1 - scheme.theta;
    }
    if (!Assemble(pool, false, k)) return false;
  }
  return true;
}

bool DeformableSet::Relinearize(const ConstVectorRef& v_hat, ThreadPool* pool) {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    Part& part = parts_[k];
    Extract(static_cast<int>(k), v_hat, &part.v_hat);
    if (!Assemble(pool, true, k)) return false;
  }
  return true;
}

void DeformableSet::AddSubsystems(const std::vector<DeformableState>* places, ContactProblemBuilder* builder) {
  places_ = places;
  problem_dofs_ = builder->num_dofs();
  for (Part& part : parts_) {
    for (Piece& piece : part.pieces) {
      if (piece.b.size() > 0) piece.subsystem = builder->AddSparse(piece.A, piece.b, piece.inertia);
      piece.bodies.assign(piece.bodies.size(), kWorld);
    }
    if (!part.pieces.empty()) continue;
    part.subsystem = builder->AddSparse(part.A, part.b, part.inertia);
    part.bodies.assign(part.bodies.size(), kWorld);
  }
}

BodyIndex DeformableSet::AddBody(int k, const DeformablePoint& point, ContactProblemBuilder* builder) {
  Part& part = parts_[static_cast<std::size_t>(k)];
  const Deformable& body = *part.body;
  if (IsHeld(body, point)) return kWorld;
  const VectorX& q = (*places_)[static_cast<std::size_t>(k)].q;
  if (!part.pieces.empty()) return AddPieceBody(&part, point, q, builder);
  if (point.count == 1) {
    const int item = point.items[0];
    BodyIndex& known = part.bodies[static_cast<std::size_t>(item)];
    if (known != kWorld) return known;
    const Vector3 p = CalcPointPlace(body, q, point);
    known = body.dofs_per_item() == 6 ? builder->AddSegment(part.subsystem, body.first_dof(item), p)
                                      : builder->AddNode(part.subsystem, body.first_dof(item), p);
    return known;
  }
  int nodes[3];
  double weights[3];
  std::size_t count = 0;
  for (int i = 0; i < point.count; ++i) {
    const int dof = body.first_dof(point.items[static_cast<std::size_t>(i)]);
    if (dof < 0) continue;
    nodes[count] = dof;
    weights[count++] = point.weights[static_cast<std::size_t>(i)];
  }
  return builder->AddInterpolatedNode(part.subsystem, {nodes, count}, {weights, count}, CalcPointPlace(body, q, point));
}

Vector3 DeformableSet::CalcHeldVelocity(int k, const DeformablePoint& point, const Vector3& p) const {
  const Deformable& body = this->body(k);
  const DeformableState& state = start_[static_cast<std::size_t>(k)];
  Vector3 sum = Vector3::Zero();
  for (int i = 0; i < point.count; ++i) {
    const int item = point.items[static_cast<std::size_t>(i)];
    if (body.first_dof(item) >= 0) continue;
    const DeformablePoint alone{1, {item}, {1}};
    sum += point.weights[static_cast<std::size_t>(i)] * CalcPointVelocity(body, state, alone, p);
  }
  return sum;
}

void DeformableSet::Predict(const ConstVectorRef& v_hat, double time, std::vector<DeformableState>* places) const {
  places->resize(parts_.size());
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    DeformableState& place = (*places)[k];
    place.q = start_[k].q;
    Extract(static_cast<int>(k), v_hat, &place.v);
    part.body->Integrate(place.v, &start_[k].held_velocity, time, &place.q);
    place.v.setZero();
    place.held_velocity.setZero(part.body->num_held_dofs());
  }
}

void DeformableSet::Gather(const std::vector<DeformableState>& states, Eigen::Ref<VectorX> v) const {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    if (part.pieces.empty()) v.segment(part.first_dof, part.body->nv()) = states[k].v;
    for (std::size_t p = 0; p < part.pieces.size(); ++p) {
      const DeformablePiece& piece = part.cut.pieces[p];
      const int n = piece.body->dofs_per_item();
      for (std::size_t i = 0; i < piece.items.size(); ++i) {
        const int to = piece.body->first_dof(static_cast<int>(i)), from = part.body->first_dof(piece.items[i]);
        if (to >= 0) v.segment(part.pieces[p].first_dof + to, n) = states[k].v.segment(from, n);
      }
    }
  }
}

void DeformableSet::Advance(const ConstVectorRef& v_hat, const ConstVectorRef& v_momentum, State* state) {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    Part& part = parts_[k];
    DeformableState& next = state->deformables[k];
    next.held_velocity = start_[k].held_velocity;
    if (part.body->num_held_dofs() > 0) {
      // Inputs are still those of the last assembly.
      Extract(static_cast<int>(k), v_hat, &part.answer);
      part.body->CalcHeldForces(scheme_, MakeInput(k), part.answer, part.data.get(), &part.held_force);
    }
    Extract(static_cast<int>(k), v_momentum, &part.v_hat);
    Deformable::CalcEndVelocity(scheme_, part.v_hat, &next.v);
    Extract(static_cast<int>(k), v_hat, &part.v_hat);
    part.body->Integrate(part.v_hat, &next.held_velocity, scheme_.step, &next.q);
  }
}

DeformableEnergy DeformableSet::CalcEnergy(int k, const DeformableState& state, const Vector3& gravity) const {
  DeformableInput input;
  input.q = &state.q;
  input.v = &state.v;
  input.held_velocity = &state.held_velocity;
  input.gravity = gravity;
  const std::unique_ptr<DeformableData> data = body(k).MakeData();
  return body(k).CalcEnergy(input, data.get());
}

}  // namespace tactus
