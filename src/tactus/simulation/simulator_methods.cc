// Steps by the baselines: penalty forces and position-based dynamics.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/core/timer.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/simulation/simulator.h"

namespace tactus {

namespace {

constexpr int kPenaltyKey = 7 << 28;

double CalcPenetration(const std::vector<ContactState>& contacts) {
  double most = 0;
  for (const ContactState& c : contacts) most = std::max(most, -c.geometry.gap);
  return most;
}

}  // namespace

void PenaltySettings::Validate() const {
  const auto check = [](bool ok, const char* what, double value, const char* expected) {
    Require(ok && std::isfinite(value), what, fmt::format("is {:g}", value), expected);
  };
  check(stiffness > 0, "penalty stiffness", stiffness, "> 0 [N/m]");
  check(damping >= 0, "penalty damping", damping, ">= 0 [N s/m]");
  check(friction_damping > 0, "penalty friction_damping", friction_damping, "> 0 [N s/m]");
}

// Three soft rows a contact, lambda = -ke - d y: with d = 0 an impulse that is known.
void Simulator::AddPenaltyRows(double theta, ContactState* contact) {
  ContactState& c = *contact;
  const PenaltySettings& s = settings_.penalty;
  const double h = settings_.scheme.step, gap = c.geometry.gap;
  const BodyIndex a = AddSide(c.object_a, c.point_a), b = AddSide(c.object_b, c.point_b);
  const Vector3& p = c.geometry.point;
  const Vector3 moving = c.frame * (SideVelocity(c.object_a, c.point_a, p) - SideVelocity(c.object_b, c.point_b, p));
  const int number = 3 * static_cast<int>(contact - contacts_.data());
  const auto screw = [&](int axis) {
    Vector6 out = Vector6::Zero();
    out.head<3>() = c.frame.row(axis).transpose();
    return out;
  };
  const FinderInput input{&dynamics_.data(0), &prescribed_, h, &deformables_.start()};
  const Vector3 velocity = c.frame * finder_.RelativeVelocity(input, c);
  // Touching or not, friction has the viscosity of the beginning.
  const double force = gap < 0 ? std::max(0.0, -s.stiffness * gap - s.damping * velocity[2]) : 0;
  const double slip = velocity.head<2>().norm(), friction = std::sqrt(c.friction1 * c.friction2);
  const double viscosity = slip > 0 ? std::min(s.friction_damping, friction * force / slip) : s.friction_damping;
  const double drag = force > 0 ? viscosity : 0;
  for (int axis = 0; axis < 2; ++axis) {
    const RowLaw law =
        s.implicit ? RowLaw::Soft(h * drag, h * drag * moving[axis]) : RowLaw::Soft(0, h * drag * velocity[axis]);
    rows_.AddBodyVelocity(RowKey(kPenaltyKey, number + axis), law, a, b, p, screw(axis), 0);
  }
  RowLaw law = RowLaw::Soft(0, -h * force);
  if (s.implicit) {
    // A damper acts where there is an overlap already.
    const double d = (1 - theta) * h * h * s.stiffness + (gap < 0 ? h * s.damping : 0);
    law = RowLaw::BoundedSoft(d, h * s.stiffness * gap + d * moving[2], 0, kInfinity);
  }
  rows_.AddBodyVelocity(RowKey(kPenaltyKey, number + 2), law, a, b, p, screw(2), 0);
  c.velocity = velocity;
}

void Simulator::SolvePenalty(double theta, StepReport* report) {
  Timer timer;
  linearization_ = 0;
  PlaceStart();
  report->max_penetration = CalcPenetration(contacts_);
  report->candidates = static_cast<int>(contacts_.size());
  report->merged = finder_.merged();
  for (ContactState& c : contacts_) {
    c.active = c.geometry.gap < 0 || (settings_.penalty.implicit && c.active);
    c.impulse.setZero();
    c.mode = ContactMode::Open;
    report->contacts += c.active ? 1 : 0;
  }
  report->stages.collision += timer.seconds();
  timer.Restart();
  Assemble(theta, settings_.stabilization);
  report->stages.assembly += timer.seconds();
  timer.Restart();
  Solve(report);
  report->rows = problem_.num_rows() - 3 * report->contacts;
  report->stages.solve += timer.seconds();
}

// Rows of contacts are the first there are.
void Simulator::StorePenalty() {
  Eigen::Index at = 0;
  for (ContactState& c : contacts_) {
    if (!c.active) continue;
    c.impulse = solution_.impulse.segment<3>(at);
    c.mode = c.impulse[2] > 0 ? ContactMode::Slip : ContactMode::Open;
    at += 3;
  }
}

StepReport Simulator::StepXpbd() {
  StepReport report;
  Timer timer;
  const double h = settings_.scheme.step;
  report.time = state_.time;
  if (!dynamics_.Update(0, state_, {&tau_, &wrenches_}) || !deformables_.Begin({h, 0}, state_, model_->gravity())) {
    report.message = "the state is not finite";
    return report;
  }
  PlaceStart();
  report.stages.collision = timer.seconds();
  report.max_penetration = CalcPenetration(contacts_);
  report.contacts = report.candidates = static_cast<int>(contacts_.size());
  timer.Restart();
  const ThreadCpuTimer cpu;
  contact_motions_.resize(contacts_.size());
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const ContactState& c = contacts_[k];
    contact_motions_[k].a = SideVelocity(c.object_a, c.point_a, c.geometry.point);
    contact_motions_[k].b = SideVelocity(c.object_b, c.point_b, c.geometry.point);
  }
  deformable_of_object_.clear();
  for (const SimulatorObject& o : objects()) deformable_of_object_.push_back(o.deformable);
  before_ = state_;
  kinematics_known_ = false;
  xpbd_.Step(deformables_, h, model_->gravity(), settings_.xpbd, deformable_of_object_, contact_motions_, &contacts_,
             &state_, &held_forces_);
  for (int k = 0; k < deformables_.size(); ++k) {
    deformables_.SetHeldForces(k, held_forces_[static_cast<std::size_t>(k)]);
  }
  ++steps_;
  state_.time = static_cast<double>(steps_ - first_step_) * h + first_time_;
  report.time = state_.time;
  report.status = StepStatus::Inaccurate;
  report.message = "position-based dynamics: the law of contact is not solved";
  report.solve.status = SolveStatus::MaxIterations;
  report.solve.iterations = report.solver_iterations = settings_.xpbd.substeps;
  report.stages.solve = report.solve.time = report.solver_time = timer.seconds();
  report.solve.cpu_time = report.solver_cpu_time = cpu.seconds();
  for (const DeformableState& d : state_.deformables) {
    if (d.q.allFinite() && d.v.allFinite()) continue;
    report.status = StepStatus::InvalidState;
    report.message = "position-based dynamics: numbers are not finite any more";
  }
  return report;
}

}  // namespace tactus
