// A step's contact problem: assembly, solves, linearisations.
#include <algorithm>
#include <cmath>
#include <utility>

#include "tactus/core/error.h"
#include "tactus/core/timer.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/simulation/simulator.h"
#include "tactus/simulation/simulator_input.h"

namespace tactus {

namespace {

// Contacts are activated as they turn out to be needed; from round kAllRound on all there are, as chains of bounces
// could go on for long.
constexpr int kAllRound = 8, kMaxRounds = 20;
// Keys of rows that do not belong to constraints.
constexpr int kDriveKey = 1 << 28, kActuatorKey = 1 << 29, kPieceKey = 3 << 29;

}  // namespace

void Simulator::PlaceStart() {
  CalcPrescribed(state_.time, state_.time + settings_.scheme.step, &prescribed_);
  CalcVelocities(*model_, state_.v, &dynamics_.mutable_data(0));
  finder_.Find({&dynamics_.data(0), &prescribed_, settings_.scheme.step, &deformables_.start()}, &contacts_);
  start_gaps_.clear();
  if (settings_.linearizations == 1) return;
  for (const ContactState& c : contacts_) {
    start_gaps_.push_back({c.object_a, c.object_b, c.geometry.feature, c.geometry.gap});
  }
  std::sort(start_gaps_.begin(), start_gaps_.end());
}

// Gaps at the predicted end of the step; where and along which normal bodies touch, in its middle.
void Simulator::PlaceAgain() {
  const double h = settings_.scheme.step, t = state_.time;
  v_prev_ = solution_.velocity;
  dynamics_.ToModel(0, v_prev_, &v_model_, h);
  model_->Integrate(state_.q, v_model_, h, &q_bar_);
  dynamics_.ToModel(0, v_prev_, &v_model_, 0.5 * h);
  model_->Integrate(state_.q, v_model_, 0.5 * h, &q_middle_);
  CalcFrames(*model_, q_middle_, &places_[0]);
  CalcFrames(*model_, q_bar_, &end_);
  // At rest: what matters is how far the next answer moves things from here.
  v_model_.setZero();
  CalcVelocities(*model_, v_model_, &places_[0]);
  CalcVelocities(*model_, v_model_, &end_);
  CalcPrescribed(t + 0.5 * h, t + 0.5 * h, &prescribed_middle_);
  CalcPrescribed(t + h, t + h, &prescribed_);
  if (!deformables_.empty()) {
    deformables_.Predict(DeformablePart(v_prev_), 0.5 * h, &deformed_middle_);
    deformables_.Predict(DeformablePart(v_prev_), h, &deformed_end_);
  }
  finder_.Find({&places_[0], &prescribed_middle_, h, &deformed_middle_}, &fresh_);
  finder_.Find({&end_, &prescribed_, h, &deformed_end_}, &contacts_);
  // Velocities of prescribed motions are those of the step.
  CalcPrescribed(t, t + h, &prescribed_step_);
  for (std::size_t l = 0; l < prescribed_.size(); ++l) prescribed_[l].velocity = prescribed_step_[l].velocity;
  // Both lists are sorted by pairs; features are few.
  std::size_t first = 0;
  for (ContactState& c : contacts_) {
    while (first < fresh_.size() && (fresh_[first].object_a < c.object_a ||
                                     (fresh_[first].object_a == c.object_a && fresh_[first].object_b < c.object_b))) {
      ++first;
    }
    bool found = false;
    // With deformables a pair may have thousands of points, but then they are sorted.
    std::size_t k = first;
    if (!deformables_.empty()) {
      const auto before = [](const ContactState& x, const ContactState& y) {
        if (x.object_a != y.object_a) return x.object_a < y.object_a;
        if (x.object_b != y.object_b) return x.object_b < y.object_b;
        return x.geometry.feature < y.geometry.feature;
      };
      k = static_cast<std::size_t>(std::lower_bound(fresh_.begin(), fresh_.end(), c, before) - fresh_.begin());
    }
    for (; k < fresh_.size() && !found; ++k) {
      const ContactState& m = fresh_[k];
      if (m.object_a != c.object_a || m.object_b != c.object_b) break;
      found = m.geometry.feature == c.geometry.feature;
      if (!found && !deformables_.empty()) break;
      if (!found) continue;
      c.geometry.point = m.geometry.point;
      c.geometry.normal = m.geometry.normal;
      c.frame = m.frame;
      c.point_a = m.point_a;
      c.point_b = m.point_b;
    }
    if (!found) MoveToMiddle(&c);
  }
}

// A contact of the predicted end that is not to be found in the middle of the step: its point moves back with the
// bodies.
void Simulator::MoveToMiddle(ContactState* contact) const {
  const FinderInput middle{&places_[0], &prescribed_middle_, 0}, end{&end_, &prescribed_, 0};
  Vector3& p = contact->geometry.point;
  const auto back = [&](int object, const DeformablePoint& point) -> Vector3 {
    const int k = objects()[static_cast<std::size_t>(object)].deformable;
    if (k >= 0) {
      const std::size_t i = static_cast<std::size_t>(k);
      return p + CalcPointPlace(deformables_.body(k), deformed_middle_[i].q, point) -
             CalcPointPlace(deformables_.body(k), deformed_end_[i].q, point);
    }
    return finder_.ObjectPose(middle, object) * (finder_.ObjectPose(end, object).Inverse() * p);
  };
  p = 0.5 * (back(contact->object_a, contact->point_a) + back(contact->object_b, contact->point_b));
}

double Simulator::GapAtStart(const ContactState& contact, double velocity) const {
  if (linearization_ == 0) return contact.geometry.gap;
  const StartGap key{contact.object_a, contact.object_b, contact.geometry.feature, 0};
  auto found = std::lower_bound(start_gaps_.begin(), start_gaps_.end(), key);
  if (found != start_gaps_.end() && !(key < *found)) return found->gap;
  // To first order, which may be below the least gap of the two shapes. What is only predicted would then pass for an
  // overlap of before, which need not be undone at once.
  const auto same_pair = [&](const StartGap& gap) { return gap.a == key.a && gap.b == key.b; };
  found = std::lower_bound(start_gaps_.begin(), start_gaps_.end(), StartGap{key.a, key.b, 0, 0});
  double least = 0;
  for (; found != start_gaps_.end() && same_pair(*found); ++found) least = std::min(least, found->gap);
  return std::max(contact.geometry.gap - settings_.scheme.step * velocity, least);
}

void Simulator::AddContact(double theta, ContactState* contact) {
  ContactState& c = *contact;
  const double h = settings_.scheme.step;
  const SimulatorObject &a = objects()[static_cast<std::size_t>(c.object_a)],
                        &b = objects()[static_cast<std::size_t>(c.object_b)];
  const BodyIndex body_a = AddSide(c.object_a, c.point_a), body_b = AddSide(c.object_b, c.point_b);
  const Friction friction(c.friction1, c.friction2);
  const Vector3& p = c.geometry.point;

  int index = 0;
  double m = 0;
  if (c.stiffness != kInfinity) {
    m = (1 - theta) * h * h * c.stiffness + h * c.damping;
    index = builder_.AddCompliantContact(body_a, body_b, p, c.frame, friction, Vector3::Zero(), m);
  } else {
    index = builder_.AddContact(body_a, body_b, p, c.frame, friction, Vector3::Zero());
  }
  // What moves as prescribed, and surfaces that run.
  Vector3 moving = SideVelocity(c.object_a, c.point_a, p) - SideVelocity(c.object_b, c.point_b, p);
  moving = (c.frame * moving).eval();
  Vector3 e = moving;
  for (const double sign : {1.0, -1.0}) {
    const SimulatorObject& o = sign > 0 ? a : b;
    if (o.material.surface_velocity.isZero(0)) continue;
    const Pose X = finder_.ObjectPose({&dynamics_.data(0), &prescribed_, h}, sign > 0 ? c.object_a : c.object_b);
    e.head<2>() += sign * (c.frame * (X.R * o.material.surface_velocity)).head<2>();
  }
  c.velocity = e;
  const double y_prev = linearization_ == 0 ? 0 : builder_.CalcContactVelocity(index, v_prev_)[2] + moving[2];
  const double start = GapAtStart(c, y_prev);
  if (m > 0) {
    // lambda = -h k (g + (1 - theta) h y) - h d y, as m (y + e) with the gap at the end if that is known better.
    const double position = theta * start + (1 - theta) * (c.geometry.gap - h * y_prev);
    e[2] += position > 0 ? position / h : h * c.stiffness * position / m;
  } else {
    double offset = rows_.CalcOffset(c.geometry.gap, start, y_prev, settings_.stabilization.slop);
    if (c.restitution > 0) {
      const double approach = builder_.CalcContactVelocity(index, v_start_)[2] + moving[2];
      if (approach < -settings_.rest_speed && start + h * approach <= 0) {
        offset = std::min(offset, ((1 - theta) * c.restitution - theta) * approach);
      }
    }
    e[2] += offset;
  }
  builder_.SetContactOffset(index, e);
}

void Simulator::AddDriveRows() {
  const int first = dynamics_.first_dof(0);
  const VectorX& q = linearization_ == 0 ? state_.q : q_bar_;
  for (std::size_t k = 0; k < drives_.size(); ++k) {
    const JointDrive& drive = drives_[k];
    const ModelJoint& joint = model_->joints()[static_cast<std::size_t>(drive.joint)];
    const ModelBody& body = model_->body(joint.body);
    const DriveTarget& target = control_.drives[k];
    const double effort = std::min(drive.effort, joint.description.effort_limit);
    columns_.assign(1, first + body.v);
    values_.assign(1, 1.0);
    rows_.AddSpring(RowKey(kDriveKey + static_cast<int>(k), 0),
                    {drive.stiffness, drive.damping, target.velocity, -effort, effort, target.feedforward}, columns_,
                    values_, q[body.q] - target.position);
  }
}

void Simulator::AddActuatorRows() {
  const VectorX& q = linearization_ == 0 ? state_.q : q_bar_;
  for (std::size_t k = 0; k < actuators_.size(); ++k) {
    const Actuator& actuator = actuators_[k];
    if (!actuator.implicit) continue;
    const ActuatorDescription& d = model_->description().actuators[k];
    double length = 0;
    columns_.clear();
    values_.clear();
    for (std::size_t i = 0; i < actuator.dofs.size(); ++i) {
      columns_.push_back(dynamics_.first_dof(0) + actuator.dofs[i]);
      values_.push_back(actuator.gears[i]);
      length += actuator.gears[i] * q[model_->body(model_->dof_body(actuator.dofs[i])).q];
    }
    rows_.AddSpring(RowKey(kActuatorKey + static_cast<int>(k), 0),
                    {-d.bias[1], -d.bias[2], 0, d.force_lower, d.force_upper,
                     d.gain * ActuatorInput(static_cast<int>(k)) + d.bias[0]},
                    columns_, values_, length);
  }
}

double Simulator::CalcMotorEffort(int joint) const {
  Require(joint >= 0 && joint < static_cast<int>(model_->joints().size()), "motor effort",
          "joint " + std::to_string(joint) + " does not exist", "an index of Model::joints()");
  const ModelBody& body = model_->body(model_->joints()[static_cast<std::size_t>(joint)].body);
  Require(body.nv == 1, "motor effort", "the joint has " + std::to_string(body.nv) + " dofs", "a joint of one dof");
  // tau_ has explicit forces; the rest are rows of the last problem, which come after its contacts.
  double effort = tau_[body.v];
  const Eigen::Index first = 3 * problem_.num_contacts();
  const std::size_t rows = rows_.keys().size();
  if (solution_.impulse.size() != first + static_cast<Eigen::Index>(rows)) return effort;  // no step yet, or it failed
  for (std::size_t r = 0; r < rows; ++r) {
    const int owner = static_cast<int>(rows_.keys()[r] >> 32);
    const double force = solution_.impulse[first + static_cast<Eigen::Index>(r)] / settings_.scheme.step;
    if (owner >= kFirstAttachmentKey) continue;
    if (owner >= kActuatorKey) {
      const Actuator& actuator = actuators_[static_cast<std::size_t>(owner - kActuatorKey)];
      for (std::size_t i = 0; i < actuator.dofs.size(); ++i) {
        if (actuator.dofs[i] == body.v) effort += actuator.gears[i] * force;
      }
    } else if (owner >= kDriveKey && drives_[static_cast<std::size_t>(owner - kDriveKey)].joint == joint) {
      effort += force;
    }
  }
  return effort;
}

void Simulator::Assemble(double theta, const StabilizationSettings& stabilization) {
  builder_.Clear();
  dynamics_.AddSubsystems(&builder_, linearization_ == 0 ? nullptr : &places_);
  deformables_.AddSubsystems(linearization_ == 0 ? &deformables_.start() : &deformed_middle_, &builder_);
  if (linearization_ == 0) {
    rows_.Begin(settings_.scheme.step, theta, model_->gravity().norm(), stabilization, &builder_);
  } else {
    rows_.BeginAgain(v_prev_);
  }
  const bool penalty = settings_.method == StepMethod::Penalty;
  for (ContactState& c : contacts_) {
    if (!c.active) continue;
    if (penalty) {
      AddPenaltyRows(theta, &c);
    } else {
      AddContact(theta, &c);
    }
  }
  Input input(this);
  for (std::size_t k = 0; k < constraints_.size(); ++k) {
    if (Holds(k)) constraints_[k]->AddRows(static_cast<int>(k), &input, &rows_);
  }
  AddDriveRows();
  AddActuatorRows();
  AddAttachmentRows();
  deformables_.AddPieceRows(kPieceKey, &rows_);
  builder_.Build(&problem_);
}

// What is left of the step's budget, shared by the linearisations to come. Contacts that are found late may take all of
// it; a solve gets a twentieth at least.
double Simulator::CalcSolveBudget(double used) const {
  const double budget = settings_.solve.time_budget;
  const int to_come = std::max(settings_.linearizations - linearization_, 1);
  return std::max((budget - used) / to_come, 0.05 * budget);
}

// Velocities change little in a step but where something hits; in its later solves those of the one before are at hand.
void Simulator::FindStartVelocity(int solves) {
  if (solves > 0 && solution_.velocity.size() == problem_.num_dofs()) {
    warm_start_.velocity = solution_.velocity;
    return;
  }
  warm_start_.velocity.setZero(problem_.num_dofs());
  warm_start_.velocity.head(v_start_.size()) = v_start_;
}

void Simulator::Solve(StepReport* report) {
  began_warm_ = settings_.warm_start && problem_.size() > 0 && settings_.method == StepMethod::ContactLaw;
  if (began_warm_) {
    warm_start_.impulse.resize(problem_.size());
    round_.Recall(contacts_, rows_.keys(), &warm_start_.impulse);
    began_warm_ = !warm_start_.impulse.isZero(0);
    FindStartVelocity(report->solves);
  }
  SolveSettings limited = settings_.solve;
  if (limited.time_budget > 0) limited.time_budget = CalcSolveBudget(report->solver_cpu_time);
  report->solve = solver_->Solve(problem_, limited, warm_start(), &solution_);
  report->Count(report->solve);
  if (!report->solve.solved() && settings_.on_failure == FailurePolicy::Retry) {
    // Cold, without limits of iterations and time, and the better of the two is taken.
    SolveSettings settings = settings_.solve;
    settings.max_iterations = 0;
    settings.time_budget = 0;
    const SolveReport again = retry_solver_->Solve(problem_, settings, cold_start_, &retry_solution_);
    report->Count(again);
    report->retried = true;
    if (again.solved() || again.residual.worst() < report->solve.residual.worst()) {
      report->solve = again;
      std::swap(solution_, retry_solution_);
    }
  }
  if (settings_.method == StepMethod::Penalty) {
    StorePenalty();
    return;
  }
  StoreContacts();
  round_.Store(contacts_, rows_.keys(), solution_.impulse);
}

void Simulator::StoreContacts() {
  problem_.MultiplyJ(solution_.velocity, &y_);
  Eigen::Index at = 0;
  std::size_t k = 0;
  for (ContactState& c : contacts_) {
    c.impulse.setZero();
    c.mode = ContactMode::Open;
    if (!c.active) continue;
    c.impulse = solution_.impulse.segment<3>(at);
    c.velocity += y_.segment<3>(at);
    c.mode = solution_.modes[k++];
    at += 3;
  }
}

bool Simulator::HasImpact() {
  const double threshold = settings_.impact_threshold * model_->gravity().norm() * settings_.scheme.step;
  padded_.setZero(problem_.num_dofs());
  padded_.head(v_start_.size()) = v_start_;
  problem_.MultiplyJ(padded_, &y_);
  Eigen::Index at = 0;
  std::size_t k = 0;
  for (const ContactState& c : contacts_) {
    if (!c.active) continue;
    const Vector3& p = c.geometry.point;
    const Vector3 before =
        y_.segment<3>(at) + c.frame * (SideVelocity(c.object_a, c.point_a, p) - SideVelocity(c.object_b, c.point_b, p));
    const bool pushes = c.impulse[2] > 0, sticks = solution_.modes[k] == ContactMode::Stick;
    if (pushes && (before[2] < -threshold || (sticks && before.head<2>().norm() > threshold))) return true;
    at += 3;
    ++k;
  }
  return false;
}

void Simulator::SolveWithoutCorrection(double theta, StepReport* report) {
  StabilizationSettings none;
  none.alpha = 0;
  const int linearizations = linearization_;
  linearization_ = 0;
  PlaceStart();
  Assemble(theta, none);
  Solve(report);
  linearization_ = linearizations;
}

int Simulator::ActivateMissed(int round) {
  const double h = settings_.scheme.step;
  const bool last = round + 1 == kMaxRounds, all = round >= kAllRound && !last;
  // What still moves after the linearisation's own prediction.
  dynamics_.ToModel(0, solution_.velocity, &v_model_);
  if (linearization_ == 0) {
    CalcFrames(*model_, state_.q, &moved_);
  } else {
    dynamics_.ToModel(0, v_prev_, &v_work_);
    v_model_ -= v_work_;
    CalcFrames(*model_, q_bar_, &moved_);
  }
  CalcVelocities(*model_, v_model_, &moved_);
  if (!deformables_.empty()) MoveDeformables();
  const FinderInput input{&moved_, &prescribed_, h, &deformed_moved_};
  const double tolerance = 1e-3 * settings_.contacts.margin;
  const auto closes = [&](const ContactState& c) {
    return c.geometry.gap + h * c.geometry.normal.dot(finder_.RelativeVelocity(input, c)) < -tolerance;
  };
  int count = 0;
  for (ContactState& c : contacts_) {
    if (c.active || !closes(c)) continue;
    c.active = !last;
    ++count;
  }
  if (count > 0 && all) {
    for (ContactState& c : contacts_) c.active = true;
  }
  if (count > 0 || !finder_.LeavesSearched(input)) return count;
  // Something moves further than was looked: look again, and keep what was active.
  finder_.Find(input, &fresh_);
  const auto before = [](const ContactState& x, const ContactState& y) {
    if (x.object_a != y.object_a) return x.object_a < y.object_a;
    if (x.object_b != y.object_b) return x.object_b < y.object_b;
    return x.geometry.feature < y.geometry.feature;
  };
  std::sort(fresh_.begin(), fresh_.end(), before);
  std::sort(contacts_.begin(), contacts_.end(), before);
  for (ContactState& c : fresh_) {
    const auto old = std::lower_bound(contacts_.begin(), contacts_.end(), c, before);
    const bool known = old != contacts_.end() && !before(c, *old);
    if (known && old->active) {
      c.active = true;
    } else {
      c.active = closes(c);
      count += c.active ? 1 : 0;
    }
    if (linearization_ == 0) continue;
    if (known) {
      c.geometry = old->geometry;
      c.frame = old->frame;
      c.point_a = old->point_a;
      c.point_b = old->point_b;
    } else {
      MoveToMiddle(&c);
    }
  }
  if (count > 0 && all) {
    for (ContactState& c : fresh_) c.active = true;
  }
  if (count == 0 || last) return count;
  // Those that velocities of this round do not reach may have been what turned them: they stay, or rounds go in
  // circles.
  const std::size_t found = fresh_.size();
  for (const ContactState& c : contacts_) {
    if (!c.active) continue;
    const auto end = fresh_.begin() + static_cast<std::ptrdiff_t>(found);
    const auto same = std::lower_bound(fresh_.begin(), end, c, before);
    if (same == end || before(c, *same)) fresh_.push_back(c);
  }
  std::sort(fresh_.begin(), fresh_.end(), before);
  std::swap(contacts_, fresh_);
  return count;
}

void Simulator::SolveStep(double theta, StepReport* report) {
  int linearizations = settings_.linearizations;
  StabilizationSettings stabilization = settings_.stabilization;
  report->withdrawn = 0;
  report->uncorrected = false;
  while (true) {
    const int contradiction = SolveLinearizations(theta, linearizations, stabilization, report);
    const bool first = contradiction == 0;
    if (contradiction < 0 || report->uncorrected || (first && !(report->max_penetration > 0))) return;
    if (first) {
      report->uncorrected = true;
      stabilization.alpha = 0;
    }
    linearizations = std::max(contradiction, 1);
    if (!UpdateDynamics(theta)) return;
    report->withdrawn = settings_.linearizations - linearizations;
  }
}

int Simulator::SolveLinearizations(double theta, int linearizations, const StabilizationSettings& stabilization,
                                   StepReport* report) {
  Timer timer;
  round_ = warm_;
  const auto lap = [&](double* seconds) {
    *seconds += timer.seconds();
    timer.Restart();
  };
  for (linearization_ = 0; linearization_ < linearizations; ++linearization_) {
    if (linearization_ == 0) {
      PlaceStart();
      report->max_penetration = 0;
      for (const ContactState& c : contacts_)
        report->max_penetration = std::max(report->max_penetration, -c.geometry.gap);
    } else {
      PlaceAgain();
    }
    report->candidates = static_cast<int>(contacts_.size());
    report->merged = finder_.merged();
    lap(&report->stages.collision);
    for (int round = 0; round < kMaxRounds; ++round) {
      Assemble(theta, stabilization);
      lap(&report->stages.assembly);
      Solve(report);
      lap(&report->stages.solve);
      const int missed = ActivateMissed(round);
      lap(&report->stages.collision);
      report->missed = missed;
      if (missed == 0) break;
      if (round + 1 < kMaxRounds) report->activated += missed;
    }
    if (!deformables_.empty() && settings_.newton_iterations > 0) {
      SolveImplicit(theta, stabilization, report);
      lap(&report->stages.solve);
    }
    report->contacts = problem_.num_contacts();
    report->rows = problem_.num_rows();
    if (!report->solve.solved() && report->solve.infeasible) return std::exchange(linearization_, 0);
  }
  linearization_ = 0;
  return -1;
}

}  // namespace tactus
