// Deformables of a simulator: setting up, attachments, fully implicit steps.
#include <cmath>
#include <utility>

#include "tactus/core/error.h"
#include "tactus/core/timer.h"
#include "tactus/simulation/simulator.h"
#include "tactus/simulation/simulator_input.h"

namespace tactus {

int Simulator::AddDeformable(std::shared_ptr<const Deformable> body, const DeformableSetup& setup) {
  Require(steps_ == 0, "deformable '" + setup.name + "'", "the simulation has begun", "all before the first step");
  DeformableState state;
  const int k = deformables_.Add(std::move(body), setup, state_.time, &state);
  state_.deformables.push_back(std::move(state));
  finder_.AddDeformable(deformables_.body(k), deformables_.setup(k));
  before_ = state_;
  return k;
}

int Simulator::AddAttachment(const Attachment& attachment) {
  const std::string where = "attachment " + std::to_string(attachments_.size());
  Require(settings_.method != StepMethod::Xpbd, where, "method xpbd knows none", "clamps, or another method");
  Require(attachment.deformable >= 0 && attachment.deformable < deformables_.size(), where,
          "there is no deformable " + std::to_string(attachment.deformable), "one that was added");
  Require(attachment.link >= -1 && attachment.link < static_cast<int>(model_->links().size()), where,
          "link " + std::to_string(attachment.link) + " does not exist", "an index of Model::links(), or -1");
  const Deformable& body = deformables_.body(attachment.deformable);
  for (const int item : attachment.items) {
    Require(item >= 0 && item < body.num_items(), where, "item " + std::to_string(item) + " does not exist",
            "0 to " + std::to_string(body.num_items() - 1));
    Require(body.first_dof(item) >= 0, where, "item " + std::to_string(item) + " is held", "an item that is free");
  }
  Attachment added = attachment;
  if (added.places.empty()) {
    const Pose X_LW = added.link < 0 ? Pose() : LinkPose(added.link).Inverse();
    const VectorX& q = state_.deformables[static_cast<std::size_t>(added.deformable)].q;
    for (const int item : added.items) added.places.push_back(X_LW * CalcItemPose(body, q, item));
  }
  Require(added.places.size() == added.items.size(), where,
          std::to_string(added.places.size()) + " places for " + std::to_string(added.items.size()) + " items",
          "one each, or none");
  const int number = finder_.AddAttachment(added.deformable, added.items, added.link);
  attachments_.push_back(std::move(added));
  // Overlaps are looked for before the first step.
  finder_.SetAttached(number, IsAttached(static_cast<std::size_t>(number)));
  return number;
}

void Simulator::SetDeformablePair(const DeformablePair& pair) {
  const int count = static_cast<int>(objects().size());
  const auto deforms = [&](int k) { return objects()[static_cast<std::size_t>(k)].deformable >= 0; };
  Require(pair.a >= 0 && pair.a < count && pair.b >= 0 && pair.b < count, "pair", "there is no such object",
          "indices of objects()");
  Require(deforms(pair.a) || deforms(pair.b), "pair", "both objects are rigid", "one that deforms");
  Require(!pair.friction || (std::isfinite(*pair.friction) && *pair.friction >= 0), "pair",
          "its friction is no friction", "a number >= 0");
  finder_.SetDeformablePair(pair);
}

// In a step that begins now.
bool Simulator::IsAttached(std::size_t attachment) const {
  const ConstraintTimes& times = attachments_[attachment].times;
  return state_.time >= times.from && state_.time < times.to;
}

void Simulator::CheckDeformables(const State& state) const {
  bool fits = static_cast<int>(state.deformables.size()) == deformables_.size();
  for (int k = 0; fits && k < deformables_.size(); ++k) {
    const DeformableState& d = state.deformables[static_cast<std::size_t>(k)];
    fits = d.q.size() == deformables_.body(k).nq() && d.v.size() == deformables_.body(k).nv() &&
           d.held_velocity.size() == deformables_.body(k).num_held_dofs();
    Require(!fits || (d.q.allFinite() && d.v.allFinite() && d.held_velocity.allFinite()), "state",
            "that of deformable '" + deformables_.setup(k).name + "' is not finite", "finite numbers");
  }
  Require(fits, "state", "it does not fit the deformables", "sizes as in Simulator::state()");
}

// As the rows of a weld, with an item in place of the first link.
void Simulator::AddAttachmentRows() {
  Input input(this);
  for (std::size_t n = 0; n < attachments_.size(); ++n) {
    const Attachment& attachment = attachments_[n];
    if (!IsAttached(n)) continue;
    const std::size_t k = static_cast<std::size_t>(attachment.deformable);
    const Deformable& body = deformables_.body(attachment.deformable);
    const bool again = linearization_ > 0;
    const VectorX& q = again ? deformed_end_[k].q : deformables_.start()[k].q;
    const VectorX& q_touch = again ? deformed_middle_[k].q : deformables_.start()[k].q;
    const BodyIndex link = input.Body(attachment.link);
    const Pose X_WL = input.LinkPose(attachment.link);
    for (std::size_t i = 0; i < attachment.items.size(); ++i) {
      const int item = attachment.items[i], rows = body.dofs_per_item();
      const BodyIndex own = deformables_.AddBody(attachment.deformable, {1, {item}, {1}}, &builder_);
      const Pose X = CalcItemPose(body, q, item), goal = X_WL * attachment.places[i];
      const Vector3 p = CalcItemPose(body, q_touch, item).p;
      const Vector6 moving = -input.PrescribedVelocity(attachment.link, p);
      Vector6 gap = Vector6::Zero();
      gap.head<3>() = X.p - goal.p;
      if (rows == 6) gap.tail<3>() = LogRotation(Quaternion(X.R * goal.R.transpose()));
      for (int r = 0; r < rows; ++r) {
        rows_.AddBodyGap(RowKey(kFirstAttachmentKey + static_cast<int>(n), 6 * static_cast<int>(i) + r),
                         RowLaw::Equality(), own, link, p, Vector6::Unit(r), gap[r], moving[r]);
      }
    }
  }
}

// Calls `visit` with the number and the impulse of each row that belongs to `key`. `impulse` holds those of all rows
// from `first` on, or nothing yet.
template <typename Visit>
static void VisitRows(const std::vector<std::uint64_t>& keys, const VectorX& impulse, Eigen::Index first, int key,
                      const Visit& visit) {
  if (impulse.size() != first + static_cast<Eigen::Index>(keys.size())) return;  // no step yet, or it failed
  for (std::size_t r = 0; r < keys.size(); ++r) {
    if (static_cast<int>(keys[r] >> 32) == key) {
      visit(static_cast<int>(keys[r] & 0xffffffffu), impulse[first + static_cast<Eigen::Index>(r)]);
    }
  }
}

Vector6 Simulator::CalcAttachmentForce(int attachment, int i) const {
  Require(attachment >= 0 && attachment < static_cast<int>(attachments_.size()) && i >= 0 &&
              i < static_cast<int>(attachments_[static_cast<std::size_t>(attachment)].items.size()),
          "attachment force", "there is no such attachment or item", "indices of attachments() and its items");
  Vector6 out = Vector6::Zero();
  VisitRows(rows_.keys(), solution_.impulse, 3 * problem_.num_contacts(), kFirstAttachmentKey + attachment,
            [&](int row, double impulse) {
              if (row / 6 == i) out[row % 6] = impulse / settings_.scheme.step;
            });
  return out;
}

Vector6 Simulator::CalcAttachmentWrench(int attachment) const {
  Require(attachment >= 0 && attachment < static_cast<int>(attachments_.size()), "attachment force",
          "there is no attachment " + std::to_string(attachment), "an index of attachments()");
  const Attachment& a = attachments_[static_cast<std::size_t>(attachment)];
  const Deformable& body = deformables_.body(a.deformable);
  const VectorX& q = state_.deformables[static_cast<std::size_t>(a.deformable)].q;
  Vector3 middle = Vector3::Zero();
  for (const int item : a.items) middle += CalcItemPose(body, q, item).p / static_cast<double>(a.items.size());
  Vector6 out = Vector6::Zero();
  VisitRows(rows_.keys(), solution_.impulse, 3 * problem_.num_contacts(), kFirstAttachmentKey + attachment,
            [&](int row, double impulse) {
              const Vector6 unit = Vector6::Unit(row % 6);
              const Vector3 arm = CalcItemPose(body, q, a.items[static_cast<std::size_t>(row / 6)]).p - middle;
              const Vector3 force = unit.head<3>();
              const double size = impulse / settings_.scheme.step;
              out.head<3>() += size * force;
              out.tail<3>() += size * (arm.cross(force) + unit.tail<3>());
            });
  return out;
}

BodyIndex Simulator::AddSide(int object, const DeformablePoint& point) {
  const SimulatorObject& o = objects()[static_cast<std::size_t>(object)];
  if (o.deformable >= 0) return deformables_.AddBody(o.deformable, point, &builder_);
  return o.body < 0 ? kWorld : dynamics_.AddBody(0, o.body, &builder_);
}

// Of what moves as prescribed.
Vector3 Simulator::SideVelocity(int object, const DeformablePoint& point, const Vector3& p) const {
  const int k = objects()[static_cast<std::size_t>(object)].deformable;
  if (k >= 0) return deformables_.CalcHeldVelocity(k, point, p);
  return finder_.PrescribedVelocity({nullptr, &prescribed_, settings_.scheme.step}, object, p);
}

// As bodies in ActivateMissed: what still moves after the linearisation's own prediction.
void Simulator::MoveDeformables() {
  const std::vector<DeformableState>& places = linearization_ == 0 ? deformables_.start() : deformed_end_;
  deformed_moved_.resize(places.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    DeformableState& moved = deformed_moved_[k];
    moved.q = places[k].q;
    moved.held_velocity = places[k].held_velocity;
    v_newton_ = DeformablePart(solution_.velocity);
    if (linearization_ > 0) v_newton_ -= DeformablePart(v_prev_);
    deformables_.Extract(static_cast<int>(k), v_newton_, &moved.v);
  }
}

// v_hat <- v_hat - (dg/dv_hat)^-1 g (001 eq. 10 with the inverse it omits), each step a contact problem with the same
// contacts.
void Simulator::SolveImplicit(double theta, const StabilizationSettings& stabilization, StepReport* report) {
  for (int k = 0; k < settings_.newton_iterations; ++k) {
    v_newton_ = solution_.velocity.head(v_start_.size());
    if (!deformables_.Relinearize(DeformablePart(v_newton_), &pool_)) return;
    Assemble(theta, stabilization);
    Solve(report);
    ++report->newton_steps;
    if (solution_.velocity.size() < v_start_.size()) return;
    const double scale = std::max(v_newton_.norm(), v_start_.norm());
    v_newton_ -= solution_.velocity.head(v_start_.size());
    if (v_newton_.norm() <= settings_.newton_tolerance * scale) return;
  }
}

}  // namespace tactus
