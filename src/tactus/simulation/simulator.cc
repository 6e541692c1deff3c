#include "tactus/simulation/simulator.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tactus/core/error.h"
#include "tactus/core/timer.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/solvers/registry.h"

namespace tactus {

namespace {

// Rows t1, t2, n. The tangents depend on the normal only, and hardly change with it.
Matrix3 MakeFrame(const Vector3& n) {
  int least = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::abs(n[k]) < std::abs(n[least])) least = k;
  }
  const Vector3 t1 = Vector3::Unit(least).cross(n).normalized();
  Matrix3 frame;
  frame.row(0) = t1;
  frame.row(1) = n.cross(t1);
  frame.row(2) = n;
  return frame;
}

}  // namespace

// Impulses of the last step in world axes, sorted by what touches what.
struct Simulator::Memory {
  struct Entry {
    int a = 0, b = 0;
    std::uint64_t feature = 0;
    Vector3 impulse;
    bool operator<(const Entry& other) const {
      if (a != other.a) return a < other.a;
      if (b != other.b) return b < other.b;
      return feature < other.feature;
    }
  };
  std::vector<Entry> entries;
};

Simulator::Simulator(const SimulatorSettings& settings)
    : settings_(settings),
      dynamics_(settings.scheme),
      solver_(MakeSolver(settings.solver)),
      memory_(std::make_unique<Memory>()) {
  settings.solve.Validate();
  Require(std::isfinite(settings.margin) && settings.margin >= 0, "margin", "is " + std::to_string(settings.margin),
          "a number >= 0 [m]");
}

Simulator::~Simulator() = default;

void Simulator::AddObject(int model, int body, const ShapeInstance& shape, const Pose& X_BS) {
  SimulatorObject object;
  object.model = body < 0 ? -1 : model;
  object.body = body;
  object.name = shape.name;
  object.shape = CollisionShape::Make(shape.shape, "shape '" + shape.name + "'");
  object.X_BS = X_BS;
  object.friction = shape.friction;
  BroadPhaseObject entry;
  entry.body = body < 0 ? 0 : body_number_[model] + body;
  entry.contact_type = shape.contact_type;
  entry.contact_affinity = shape.contact_affinity;
  entry.fixed = body < 0;
  broad_phase_.Add(entry, object.shape->CalcBox(body < 0 ? X_BS : Pose()));
  objects_.push_back(std::move(object));
  poses_.push_back(X_BS);
}

int Simulator::AddModel(std::shared_ptr<const Model> model) {
  const int index = dynamics_.AddModel(*model);
  const ModelDescription& description = model->description();
  body_number_.push_back(num_bodies_);
  num_bodies_ += model->num_bodies();
  states_.push_back({model->MakeInitial(), VectorX::Zero(model->nv()), 0});
  tau_.push_back(VectorX::Zero(model->nv()));
  for (std::size_t l = 0; l < description.links.size(); ++l) {
    const ModelLink& link = model->links()[l];
    for (const ShapeInstance& shape : description.links[l].shapes) {
      if (shape.collides) AddObject(index, link.body, shape, link.X_BL * shape.X_LS);
    }
  }
  for (const ShapeInstance& shape : description.world_shapes) {
    if (shape.collides) AddObject(index, -1, shape, shape.X_LS);
  }
  for (int b = 0; b < model->num_bodies(); ++b) {
    const int parent = model->body(b).parent;
    broad_phase_.ExcludeBodies(parent < 0 ? 0 : body_number_[index] + parent, body_number_[index] + b);
  }
  models_.push_back(std::move(model));
  return index;
}

int Simulator::AddWorldShape(const ShapeInstance& shape) {
  AddObject(-1, -1, shape, shape.X_LS);
  return static_cast<int>(objects_.size()) - 1;
}

void Simulator::SetState(int i, const State& state) {
  Require(state.q.size() == model(i).nq() && state.v.size() == model(i).nv(), "state of model " + std::to_string(i),
          "has " + std::to_string(state.q.size()) + " and " + std::to_string(state.v.size()) + " entries",
          std::to_string(model(i).nq()) + " and " + std::to_string(model(i).nv()));
  Require(state.q.allFinite() && state.v.allFinite(), "state of model " + std::to_string(i), "is not finite",
          "finite numbers");
  states_[i] = state;
}

Pose Simulator::ObjectPose(const SimulatorObject& object) const {
  return object.body < 0 ? object.X_BS : dynamics_.data(object.model).BodyPose(object.body) * object.X_BS;
}

void Simulator::FindContacts() {
  for (std::size_t k = 0; k < objects_.size(); ++k) {
    if (objects_[k].body < 0) continue;
    poses_[k] = ObjectPose(objects_[k]);
    broad_phase_.SetBox(static_cast<int>(k), objects_[k].shape->CalcBox(poses_[k]).Padded(0.5 * settings_.margin));
  }
  contacts_.clear();
  for (const ObjectPair& pair : broad_phase_.FindPairs()) {
    const SimulatorObject &a = objects_[pair.a], &b = objects_[pair.b];
    CollideShapes(*a.shape, poses_[pair.a], *b.shape, poses_[pair.b], settings_.margin, &scratch_, &manifold_);
    for (const ContactPoint& point : manifold_.points) {
      contacts_.push_back({pair.a, pair.b, point, MakeFrame(point.normal), Vector3::Zero()});
    }
  }
}

double Simulator::CorrectionSpeed(double gap) const {
  const StabilizationSettings& s = settings_.stabilization;
  const double g = model(0).gravity().norm(), depth = -gap;
  double speed = std::min(s.alpha * depth / settings_.scheme.step, s.max_speed);
  if (g > 0) speed = std::min(speed, std::sqrt(0.2 * g * depth));
  return speed;
}

void Simulator::AddContacts() {
  warm_.impulse.resize(0);
  for (const ContactState& c : contacts_) {
    const SimulatorObject &a = objects_[c.object_a], &b = objects_[c.object_b];
    const BodyIndex body_a = a.body < 0 ? kWorld : dynamics_.AddBody(a.model, a.body, &builder_);
    const BodyIndex body_b = b.body < 0 ? kWorld : dynamics_.AddBody(b.model, b.body, &builder_);
    const double gap = c.geometry.gap;
    const double e = gap >= 0 ? gap / settings_.scheme.step : -CorrectionSpeed(gap);
    builder_.AddContact(body_a, body_b, c.geometry.point, c.frame, Friction(std::sqrt(a.friction * b.friction)),
                        Vector3(0, 0, e));
  }
}

void Simulator::AddJointRows(int i) {
  const Model& m = model(i);
  const double h = settings_.scheme.step;
  const State& state = states_[i];
  const auto add = [&](const RowLaw& law, int body, double sign, double e) {
    columns_.assign(1, dynamics_.first_dof(i) + m.body(body).v);
    values_.assign(1, sign);
    builder_.AddRow(law, columns_, values_, e);
  };
  for (const ModelJoint& joint : m.joints()) {
    const ModelBody& body = m.body(joint.body);
    if (body.nv != 1) continue;
    const JointDescription& d = joint.description;
    const double q = state.q[body.q], v = state.v[body.v];
    // Limits that this step cannot reach are left out.
    const double reach = h * std::abs(v) + 1;
    for (const double sign : {1.0, -1.0}) {
      const double gap = sign > 0 ? q - d.lower : d.upper - q;
      if (!(gap < reach)) continue;
      add(RowLaw::Inequality(), joint.body, sign, gap >= 0 ? gap / h : -CorrectionSpeed(gap));
    }
    if (d.dry_friction > 0) add(RowLaw::DryFriction(h * d.dry_friction), joint.body, 1, 0);
    if (joint.mimic >= 0) {
      const ModelBody& leader = m.body(m.joints()[joint.mimic].body);
      const double error = q - d.mimic->multiplier * state.q[leader.q] - d.mimic->offset;
      columns_.assign({dynamics_.first_dof(i) + body.v, dynamics_.first_dof(i) + leader.v});
      values_.assign({1.0, -d.mimic->multiplier});
      builder_.AddRow(RowLaw::Equality(), columns_, values_, error / h);
    }
  }
}

StepReport Simulator::Step() {
  StepReport report;
  Timer timer;
  const auto lap = [&](double* seconds) {
    *seconds = timer.seconds();
    timer.Restart();
  };
  for (int i = 0; i < num_models(); ++i) {
    if (!dynamics_.Update(i, states_[i], {&tau_[i], nullptr})) {
      report.message = "model '" + model(i).name() + "': its state or forces are not finite";
      return report;
    }
  }
  lap(&report.stages.kinematics);
  FindContacts();
  lap(&report.stages.collision);
  builder_.Clear();
  dynamics_.AddSubsystems(&builder_);
  AddContacts();
  for (int i = 0; i < num_models(); ++i) AddJointRows(i);
  builder_.Build(&problem_);
  lap(&report.stages.assembly);

  // Start from the impulses of contacts that were there before.
  warm_.impulse.setZero(problem_.size());
  if (settings_.warm_start) {
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      const ContactState& c = contacts_[k];
      const Memory::Entry key{c.object_a, c.object_b, c.geometry.feature, Vector3::Zero()};
      const auto found = std::lower_bound(memory_->entries.begin(), memory_->entries.end(), key);
      if (found == memory_->entries.end() || key < *found) continue;
      warm_.impulse.segment<3>(3 * static_cast<Eigen::Index>(k)) = c.frame * found->impulse;
    }
  }
  if (warm_.impulse.isZero(0)) warm_.impulse.resize(0);
  report.solve = solver_->Solve(problem_, settings_.solve, warm_, &solution_);
  lap(&report.stages.solve);

  memory_->entries.clear();
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    ContactState& c = contacts_[k];
    c.impulse = solution_.impulse.segment<3>(3 * static_cast<Eigen::Index>(k));
    memory_->entries.push_back({c.object_a, c.object_b, c.geometry.feature, c.frame.transpose() * c.impulse});
  }
  std::sort(memory_->entries.begin(), memory_->entries.end());
  for (int i = 0; i < num_models(); ++i) dynamics_.Advance(i, solution_.velocity, &states_[i]);
  lap(&report.stages.integration);
  report.ok = true;
  report.time = num_models() > 0 ? states_[0].time : 0;
  report.contacts = problem_.num_contacts();
  report.rows = problem_.num_rows();
  return report;
}

std::uint64_t Simulator::CalcStateHash() const {
  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&](const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t k = 0; k < size; ++k) hash = (hash ^ bytes[k]) * 1099511628211u;
  };
  for (const State& state : states_) {
    add(&state.time, sizeof state.time);
    add(state.q.data(), sizeof(double) * static_cast<std::size_t>(state.q.size()));
    add(state.v.data(), sizeof(double) * static_cast<std::size_t>(state.v.size()));
  }
  for (const Memory::Entry& entry : memory_->entries) {
    add(&entry.a, sizeof entry.a);
    add(&entry.b, sizeof entry.b);
    add(&entry.feature, sizeof entry.feature);
    add(entry.impulse.data(), 3 * sizeof(double));
  }
  return hash;
}

}  // namespace tactus
