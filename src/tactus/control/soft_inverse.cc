#include "tactus/control/soft_inverse.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/dynamics/kinematics.h"

namespace tactus {

namespace {

ContactFinderSettings MakeFinderSettings(const Simulator& simulator, const SoftInverseSettings& settings) {
  ContactFinderSettings out = simulator.settings().contacts;
  out.margin = settings.margin;
  return out;
}

}  // namespace

void SoftTask::Validate(const Simulator& simulator) const {
  const std::string where = "task '" + name + "'";
  if (deformable >= 0) {
    Require(deformable < simulator.deformables().size(), where, fmt::format("there is no deformable {}", deformable),
            "one of the simulator");
    Require(!items.empty(), where, "it has no nodes", "one or more");
    for (const int item : items) {
      Require(item >= 0 && item < simulator.deformables().body(deformable).num_items(), where,
              fmt::format("there is no item {}", item), "items of its deformable");
    }
  } else {
    Require(link >= 0 && link < static_cast<int>(simulator.model().links().size()) &&
                simulator.model().links()[static_cast<std::size_t>(link)].body >= 0,
            where, "it is about nothing that moves", "a deformable, or a link with joints");
  }
  Require(axes[0] || axes[1] || axes[2], where, "no axis counts", "one or more");
  Require(std::isfinite(weight) && weight > 0, where, fmt::format("its weight is {}", weight), "a number > 0");
  Require(gain > 0, where, fmt::format("its gain is {}", gain), "a number > 0 [1/s], may be infinite");
  Require(point.allFinite(), where, "its point is not finite", "finite numbers");
  Require(!target.times.empty(), where, "it has no target", "places at one time or more");
  target.Validate(3);
}

Vector3 CalcEffectorPlace(const Simulator& simulator, const SoftTask& task) {
  if (task.deformable < 0) return simulator.LinkPose(task.link) * task.point;
  const VectorX& q = simulator.state().deformables[static_cast<std::size_t>(task.deformable)].q;
  Vector3 sum = Vector3::Zero();
  for (const int item : task.items) sum += CalcItemPose(simulator.deformables().body(task.deformable), q, item).p;
  return sum / static_cast<double>(task.items.size());
}

void SoftInverseSettings::Validate() const {
  const std::string where = "soft controller";
  Require(std::isfinite(period) && period > 0, where, fmt::format("its period is {}", period), "a number > 0 [s]");
  Require(std::isfinite(margin) && margin >= 0, where, fmt::format("its margin is {}", margin), "a number >= 0 [m]");
  Require(max_contacts >= 0, where, fmt::format("max_contacts is {}", max_contacts), "0 or more");
  Require(std::isfinite(effort_weight) && effort_weight >= 0, where, fmt::format("effort_weight is {}", effort_weight),
          "a number >= 0 [m]");
  Require(std::isfinite(change_weight) && change_weight >= 0, where, fmt::format("change_weight is {}", change_weight),
          "a number >= 0 [m]");
}

SoftInverse::SoftInverse(const Simulator& simulator, const SoftInverseSettings& settings, std::vector<SoftTask> tasks)
    : simulator_(simulator),
      settings_(settings),
      tasks_(std::move(tasks)),
      dynamics_({settings.period, 0}),
      finder_(simulator.model(), MakeFinderSettings(simulator, settings), 1),
      pool_(std::make_unique<ThreadPool>(1)),
      effectors_(tasks_.size()) {
  settings_.Validate();
  Require(!simulator.soft_actuators().empty(), "soft controller", "the simulation has no soft actuators",
          "cables, cavities or motors");
  Require(simulator.attachments().empty(), "soft controller", "there are attachments, which it does not know",
          "clamps and motors in their place");
  Require(!tasks_.empty(), "soft controller", "it has no tasks", "one or more");
  for (const SoftTask& task : tasks_) task.Validate(simulator);
  dynamics_.AddModel(simulator.model());
  State ignored;
  for (int k = 0; k < simulator.deformables().size(); ++k) {
    ignored.deformables.emplace_back();
    deformables_.Add(simulator.deformables().shared_body(k), simulator.deformables().setup(k), simulator.time(),
                     &ignored.deformables.back());
    finder_.AddDeformable(deformables_.body(k), deformables_.setup(k));
    elements_.push_back(std::make_unique<SurfaceElements>(deformables_.body(k)));
  }
  std::vector<const SurfaceElements*> objects;
  for (const SimulatorObject& object : finder_.objects()) {
    objects.push_back(object.deformable < 0 ? nullptr : elements_[static_cast<std::size_t>(object.deformable)].get());
  }
  filter_ = std::make_unique<SoftContactFilter>(std::move(objects));
  for (const SoftActuator& a : simulator.soft_actuators()) {
    rows_.push_back(a.is_motor() ? ActuatorRow() : a.force->MakeRow());
  }
  for (int k = 0; k < deformables_.size(); ++k) data_.push_back(deformables_.body(k).MakeData());
}

void SoftInverse::FindContacts(const State& state) {
  CalcVelocities(simulator_.model(), state.v, &dynamics_.mutable_data(0));
  finder_.Find({&dynamics_.data(0), nullptr, settings_.period, &deformables_.start()}, &contacts_);
  std::erase_if(contacts_, [](const ContactState& c) { return !c.active; });
  if (settings_.filter) filter_->Apply(&contacts_);
  const auto most = static_cast<std::size_t>(settings_.max_contacts);
  if (contacts_.size() <= most) return;
  std::stable_sort(contacts_.begin(), contacts_.end(),
                   [](const ContactState& x, const ContactState& y) { return x.geometry.gap < y.geometry.gap; });
  contacts_.resize(most);
}

BodyIndex SoftInverse::AddSide(int object, const DeformablePoint& point) {
  const SimulatorObject& o = finder_.objects()[static_cast<std::size_t>(object)];
  if (o.deformable >= 0) return deformables_.AddBody(o.deformable, point, &builder_);
  return o.body < 0 ? kWorld : dynamics_.AddBody(0, o.body, &builder_);
}

Vector3 SoftInverse::SideVelocity(int object, const DeformablePoint& point, const Vector3& p) const {
  const int k = finder_.objects()[static_cast<std::size_t>(object)].deformable;
  return k >= 0 ? deformables_.CalcHeldVelocity(k, point, p) : Vector3::Zero();
}

// As Simulator::AddContact in its first linearisation, without restitution.
void SoftInverse::AddContact(const ContactState& c, std::size_t index) {
  const double h = settings_.period, gap = c.geometry.gap;
  const Vector3& p = c.geometry.point;
  Vector3 e = c.frame * (SideVelocity(c.object_a, c.point_a, p) - SideVelocity(c.object_b, c.point_b, p));
  compliance_[index] = 0;
  if (c.stiffness != kInfinity) {
    const double m = h * h * c.stiffness + h * c.damping;
    compliance_[index] = 1 / m;
    e[2] += gap > 0 ? gap / h : h * c.stiffness * gap / m;
  } else if (gap >= 0) {
    e[2] += gap / h;
  } else {
    e[2] -= CalcCorrectionSpeed(simulator_.settings().stabilization, simulator_.model().gravity().norm(), h, -gap);
  }
  const BodyIndex a = AddSide(c.object_a, c.point_a), b = AddSide(c.object_b, c.point_b);
  builder_.AddContact(a, b, p, c.frame, Friction(std::min(c.friction1, c.friction2)), e);
}

void SoftInverse::AddEffector(std::size_t t) {
  const SoftTask& task = tasks_[t];
  Effector& effector = effectors_[t];
  effector.held.setZero();
  if (task.deformable < 0) {
    const Model& model = simulator_.model();
    effector.place = dynamics_.data(0).LinkPose(model, task.link) * task.point;
    const int body = model.links()[static_cast<std::size_t>(task.link)].body;
    effector.contact = builder_.AddContact(dynamics_.AddBody(0, body, &builder_), kWorld, effector.place,
                                           Matrix3::Identity(), Friction(0), Vector3::Zero());
    return;
  }
  const Deformable& body = deformables_.body(task.deformable);
  const DeformableState& start = deformables_.start()[static_cast<std::size_t>(task.deformable)];
  const int first = dynamics_.num_dofs() + deformables_.first_dof(task.deformable);
  const double share = 1 / static_cast<double>(task.items.size());
  effector.place.setZero();
  std::vector<int> columns;
  for (const int item : task.items) {
    effector.place += share * CalcItemPose(body, start.q, item).p;
    if (body.first_dof(item) < 0) {
      effector.held += share * start.held_velocity.segment<3>(body.first_held_dof(item));
      continue;
    }
    for (int r = 0; r < 3; ++r) columns.push_back(first + body.first_dof(item) + r);
  }
  MatrixX values = MatrixX::Zero(3, static_cast<Eigen::Index>(columns.size()));
  for (Eigen::Index c = 0; c < values.cols(); ++c) values(c % 3, c) = share;
  effector.contact = builder_.AddContactRows(columns, values, Friction(0), effector.held);
}

bool SoftInverse::Assemble(const State& state, const VectorX& last) {
  Require(last.size() == static_cast<Eigen::Index>(rows_.size()), "soft controller",
          fmt::format("there are {} last inputs", last.size()), fmt::format("{}", rows_.size()));
  const double h = settings_.period;
  if (!state.q.allFinite() || !state.v.allFinite()) return false;
  try {
    if (!dynamics_.Update(0, state)) return false;
    if (!deformables_.Update({h, 0}, state, simulator_.model().gravity(), pool_.get())) return false;
    FindContacts(state);
    builder_.Clear();
    dynamics_.AddSubsystems(&builder_);
    deformables_.AddSubsystems(&deformables_.start(), &builder_);
    compliance_.resize(contacts_.size());
    for (std::size_t i = 0; i < contacts_.size(); ++i) AddContact(contacts_[i], i);
    for (std::size_t t = 0; t < tasks_.size(); ++t) AddEffector(t);
    builder_.Build(&contact_problem_);
    delassus_.Assign(contact_problem_);
    if (!FillActuation()) return false;
  } catch (const InputError&) {
    return false;  // numbers that overflowed on the way
  } catch (const NumericalError&) {
    return false;  // A is not positive definite
  }
  FillProblem(state, last);
  return problem_.FindFault().empty();
}

}  // namespace tactus
