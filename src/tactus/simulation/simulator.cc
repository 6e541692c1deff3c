#include "tactus/simulation/simulator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/core/timer.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/solvers/cond/cond_solver.h"
#include "tactus/solvers/registry.h"

namespace tactus {

const char* ToString(FailurePolicy policy) {
  switch (policy) {
    case FailurePolicy::Continue: return "continue";
    case FailurePolicy::Retry: return "retry";
    case FailurePolicy::Stop: return "stop";
  }
  return "?";
}

const char* ToString(StepMethod method) {
  switch (method) {
    case StepMethod::ContactLaw: return "contact law";
    case StepMethod::Penalty: return "penalty";
    case StepMethod::Xpbd: return "xpbd";
  }
  return "?";
}

const char* ToString(StepStatus status) {
  switch (status) {
    case StepStatus::Ok: return "ok";
    case StepStatus::Inaccurate: return "inaccurate";
    case StepStatus::SolverFailed: return "solver failed";
    case StepStatus::InvalidState: return "invalid state";
  }
  return "?";
}

void StageTimes::operator+=(const StageTimes& other) {
  control += other.control;
  kinematics += other.kinematics;
  collision += other.collision;
  assembly += other.assembly;
  solve += other.solve;
  integration += other.integration;
}

void SimulatorSettings::Validate() const {
  const auto check = [](bool ok, const char* what, double value, const char* expected) {
    if (!ok) throw InputError(what, fmt::format("is {:g}", value), expected);
  };
  solve.Validate();
  contacts.Validate();
  penalty.Validate();
  xpbd.Validate();
  check(linearizations >= 0 && linearizations <= 100, "linearizations", linearizations, "0 (automatic) to 100");
  check(threads >= 1 && threads <= 256, "threads", threads, "1 to 256");
  check(stabilization.alpha >= 0 && stabilization.alpha <= 1, "stabilization.alpha", stabilization.alpha, "0 to 1");
  check(std::isfinite(stabilization.max_speed) && stabilization.max_speed >= 0, "stabilization.max_speed",
        stabilization.max_speed, "a number >= 0 [m/s]");
  check(std::isfinite(stabilization.slop) && stabilization.slop >= 0, "stabilization.slop", stabilization.slop,
        "a number >= 0 [m]");
  check(std::isfinite(rest_speed) && rest_speed >= 0, "rest_speed", rest_speed, "a number >= 0 [m/s]");
  check(std::isfinite(impact_threshold) && impact_threshold >= 0, "impact_threshold", impact_threshold,
        "a number >= 0");
  check(newton_iterations >= 0 && newton_iterations <= 1000, "newton_iterations", newton_iterations, "0 to 1000");
  check(newton_tolerance > 0 && newton_tolerance < 1, "newton_tolerance", newton_tolerance, "between 0 and 1");
}

namespace {

SimulatorSettings Checked(SimulatorSettings settings) {
  settings.Validate();
  settings.solve.threads = settings.threads;
  if (settings.linearizations == 0) settings.linearizations = settings.scheme.theta > 0 ? 2 : 1;
  return settings;
}

std::shared_ptr<const Model> Checked(std::shared_ptr<const Model> model) {
  Require(model != nullptr, "simulator", "there is no model", "a model");
  return model;
}

// Beyond this, in any unit, products of a few numbers overflow: geometry has lost its meaning long before.
constexpr double kMostNumber = 1e30;

bool IsReasonable(const VectorX& v) {
  return v.size() == 0 || v.cwiseAbs().maxCoeff<Eigen::PropagateNaN>() <= kMostNumber;
}

bool IsReasonable(const State& state) {
  return IsReasonable(state.q) && IsReasonable(state.v) &&
         std::all_of(state.deformables.begin(), state.deformables.end(),
                     [](const DeformableState& d) { return IsReasonable(d.q) && IsReasonable(d.v); });
}

std::unique_ptr<ContactSolver> MakeSolver(const SimulatorSettings& settings) {
  if (settings.solver == "cond") return std::make_unique<CondSolver>(settings.cond);
  return tactus::MakeSolver(settings.solver);
}

}  // namespace

Simulator::Simulator(std::shared_ptr<const Model> model, const SimulatorSettings& settings)
    : model_(Checked(std::move(model))),
      settings_(Checked(settings)),
      dynamics_(settings.scheme),
      state_{model_->MakeInitial(), VectorX::Zero(model_->nv()), 0},
      motions_(model_->links().size()),
      pool_(settings.threads),
      finder_(*model_, settings.contacts, settings.threads),
      prescribed_(model_->links().size()),
      end_(*model_),
      moved_(*model_),
      solver_(MakeSolver(settings)),
      retry_solver_(MakeSolver(settings.retry_solver)) {
  Require(settings_.method != StepMethod::Xpbd || model_->nv() == 0, "method xpbd",
          fmt::format("rigid bodies move freely here, with {} dofs", model_->nv()),
          "deformables, and bodies that stay or move as prescribed");
  dynamics_.AddModel(*model_);
  control_.force = applied_force_ = VectorX::Zero(model_->nv());
  control_.wrenches.assign(static_cast<std::size_t>(model_->num_bodies()), Vector6::Zero());
  wrenches_ = control_.wrenches;
  before_ = state_;
  constraints_ = MakeConstraints(*model_, state_.q);
  constraint_times_.resize(constraints_.size());
  AddActuators();
  places_.emplace_back(*model_);
  tau_ = v_hat_ = v_start_ = v_model_ = VectorX::Zero(model_->nv());
  for (std::size_t l = 0; l < model_->links().size(); ++l) {
    if (model_->links()[l].body < 0) prescribed_links_.push_back(static_cast<int>(l));
  }
  CalcPrescribed(0, 0, &prescribed_);
}

Simulator::~Simulator() = default;

bool Simulator::Holds(std::size_t constraint) const {
  const ConstraintTimes& times = constraint_times_[constraint];
  return state_.time >= times.from && state_.time < times.to;
}

int Simulator::AddConstraint(std::unique_ptr<const Constraint> constraint, const ConstraintTimes& times) {
  constraints_.push_back(std::move(constraint));
  constraint_times_.push_back(times);
  return static_cast<int>(constraints_.size()) - 1;
}

int Simulator::AddDrive(const JointDrive& drive) {
  const std::string where = "drive " + std::to_string(drives_.size());
  Require(drive.joint >= 0 && drive.joint < static_cast<int>(model_->joints().size()), where,
          "joint " + std::to_string(drive.joint) + " does not exist", "an index of Model::joints()");
  const ModelJoint& joint = model_->joints()[static_cast<std::size_t>(drive.joint)];
  const ModelBody& body = model_->body(joint.body);
  Require(body.nv == 1, where, "joint '" + joint.description.name + "' has " + std::to_string(body.nv) + " dofs",
          "a joint of one dof");
  Require(std::isfinite(drive.stiffness) && drive.stiffness >= 0, where,
          "stiffness is " + std::to_string(drive.stiffness), "a number >= 0");
  Require(std::isfinite(drive.damping) && drive.damping >= 0, where, "damping is " + std::to_string(drive.damping),
          "a number >= 0");
  Require(drive.effort >= 0, where, "effort is " + std::to_string(drive.effort), "a number >= 0");
  drives_.push_back(drive);
  control_.drives.push_back({state_.q[body.q], 0, 0});
  return static_cast<int>(drives_.size()) - 1;
}

int Simulator::AddController(std::unique_ptr<Controller> controller) {
  Require(controller != nullptr && std::isfinite(controller->period()) && controller->period() >= 0, "controller",
          "has no valid period", "seconds >= 0");
  controllers_.push_back(std::move(controller));
  next_update_.push_back(0);
  return static_cast<int>(controllers_.size()) - 1;
}

void Simulator::RemoveControllers() {
  controllers_.clear();
  next_update_.clear();
}

void Simulator::SetMotion(int link, std::shared_ptr<const PrescribedMotion> motion) {
  const std::vector<ModelLink>& links = model_->links();
  Require(link >= 0 && link < static_cast<int>(links.size()), "motion",
          "link " + std::to_string(link) + " does not exist", "an index of Model::links()");
  Require(links[static_cast<std::size_t>(link)].body < 0 && links[static_cast<std::size_t>(link)].parent < 0,
          "motion of '" + links[static_cast<std::size_t>(link)].name + "'",
          "it hangs on something that moves, or has joints", "a link without joints on the world");
  motions_[static_cast<std::size_t>(link)] = std::move(motion);
  for (std::size_t l = 0; l < links.size(); ++l) {
    // Joints on a base that moves would feel its acceleration, which dynamics does not know of.
    int root = static_cast<int>(l);
    bool jointed = false;
    while (root >= 0 && root != link) {
      jointed = jointed || links[static_cast<std::size_t>(root)].body >= 0;
      root = links[static_cast<std::size_t>(root)].parent;
    }
    if (root == link && jointed) {
      throw InputError("motion of '" + links[static_cast<std::size_t>(link)].name + "'",
                       "link '" + links[l].name + "' hangs on it by a joint", "a link that carries no joints");
    }
  }
  for (std::size_t k = 0; k < objects().size(); ++k) {
    int l = objects()[k].link;
    while (l >= 0 && l != link) l = links[static_cast<std::size_t>(l)].parent;
    if (l == link && objects()[k].body < 0) finder_.SetMoving(static_cast<int>(k));
  }
  CalcPrescribed(state_.time, state_.time, &prescribed_);
}

void Simulator::CheckState(const State& state) const {
  Require(state.q.size() == model_->nq() && state.v.size() == model_->nv(), "state",
          "has " + std::to_string(state.q.size()) + " and " + std::to_string(state.v.size()) + " entries",
          std::to_string(model_->nq()) + " and " + std::to_string(model_->nv()));
  Require(state.q.allFinite() && state.v.allFinite() && std::isfinite(state.time), "state", "is not finite",
          "finite numbers");
  CheckDeformables(state);
}

void Simulator::SetState(const State& state) {
  OverwriteState(state);
  first_time_ = state.time;
  first_step_ = steps_;
  warm_.Clear();
}

void Simulator::OverwriteState(const State& state) {
  CheckState(state);
  if (state.time != state_.time) {
    first_time_ = state.time;
    first_step_ = steps_;
    // Controllers with a rate of their own look at the new time at once, also if it is an earlier one.
    std::fill(next_update_.begin(), next_update_.end(), 0);
  }
  state_ = state;
  kinematics_known_ = false;
}

std::vector<InitialOverlap> Simulator::ExcludeInitialOverlaps() {
  CalcPrescribed(state_.time, state_.time, &prescribed_);
  return finder_.ExcludeOverlapping({&kinematics(), &prescribed_, 0, &state_.deformables});
}

PrescribedState Simulator::CalcPrescribedLink(int link, const PrescribedState* parent, double from, double to) const {
  const ModelLink& l = model_->links()[static_cast<std::size_t>(link)];
  const double h = to - from;
  PrescribedState state;
  state.velocity.setZero();
  if (l.parent >= 0) {
    // Welded to its parent.
    const Pose X_PL = model_->links()[static_cast<std::size_t>(l.parent)].X_BL.Inverse() * l.X_BL;
    state.pose = parent->pose * X_PL;
    state.velocity = parent->velocity;
    state.velocity.head<3>() += parent->velocity.tail<3>().cross(state.pose.p - parent->pose.p);
  } else if (const auto& motion = motions_[static_cast<std::size_t>(link)]; motion != nullptr) {
    state.pose = motion->CalcPose(from);
    if (h > 0) {
      const Pose end = motion->CalcPose(to);
      state.velocity << (end.p - state.pose.p) / h, LogRotation(Quaternion(end.R * state.pose.R.transpose())) / h;
    }
  } else {
    state.pose = l.X_BL;
  }
  return state;
}

PrescribedState Simulator::CalcPrescribedLink(int link, double from, double to) const {
  const int parent = model_->links()[static_cast<std::size_t>(link)].parent;
  if (parent < 0) return CalcPrescribedLink(link, nullptr, from, to);
  const PrescribedState carrier = CalcPrescribedLink(parent, from, to);
  return CalcPrescribedLink(link, &carrier, from, to);
}

void Simulator::CalcPrescribed(double from, double to, std::vector<PrescribedState>* out) const {
  out->resize(model_->links().size());
  for (const int link : prescribed_links_) {
    const int parent = model_->links()[static_cast<std::size_t>(link)].parent;
    const PrescribedState* carrier = parent < 0 ? nullptr : &(*out)[static_cast<std::size_t>(parent)];
    (*out)[static_cast<std::size_t>(link)] = CalcPrescribedLink(link, carrier, from, to);
  }
}

bool Simulator::UpdateDynamics(double theta) {
  dynamics_.SetTheta(theta);
  if (!dynamics_.Update(0, state_, {&tau_, &wrenches_})) return false;
  v_start_.resize(model_->nv() + deformables_.num_dofs());
  dynamics_.ToProblem(0, state_.v, &v_start_);
  if (deformables_.empty()) return true;
  for (std::size_t n = 0; n < attachments_.size(); ++n) finder_.SetAttached(static_cast<int>(n), IsAttached(n));
  deformables_.Gather(state_.deformables, v_start_.tail(deformables_.num_dofs()));
  return deformables_.Update({settings_.scheme.step, theta}, state_, model_->gravity(), &pool_);
}

StepReport Simulator::Step() {
  if (settings_.method == StepMethod::Xpbd) return StepXpbd();
  StepReport report;
  Timer timer;
  const double h = settings_.scheme.step, theta = settings_.scheme.theta;
  report.time = state_.time;
  RunControllers();
  CollectForces();
  report.stages.control = timer.seconds();
  timer.Restart();
  const bool reasonable = IsReasonable(state_);
  const bool valid = reasonable && UpdateDynamics(theta);
  report.stages.kinematics = timer.seconds();
  if (!reasonable) {
    report.message = "positions or velocities are not finite, or beyond 1e30";
    return report;
  }
  if (!valid) {
    report.message = "state, forces or mass matrix are not finite or not positive definite";
    return report;
  }
  const bool penalty = settings_.method == StepMethod::Penalty;
  try {
    if (penalty) {
      SolvePenalty(theta, &report);
    } else {
      SolveStep(theta, &report);
    }
    if (!penalty && theta > 0 && HasImpact()) {
      report.implicit_step = true;
      if (UpdateDynamics(0)) SolveStep(0, &report);
    }
  } catch (const InputError& error) {
    // Numbers that overflowed on the way: the builder names them.
    report.status = StepStatus::InvalidState;
    report.message = error.what();
    return report;
  }
  timer.Restart();
  const double used = report.implicit_step ? 0 : theta;
  if (!solution_.velocity.allFinite() || solution_.velocity.size() < v_start_.size()) {
    report.status = StepStatus::InvalidState;
    report.message = "the solver gave no finite velocities: " + report.solve.message;
    return report;
  }
  const bool good = report.solve.solved() && report.missed == 0;
  if (!good) {
    report.message = report.missed > 0 ? std::to_string(report.missed) + " contacts were found too late to act"
                                       : std::string("solver: ") + ToString(report.solve.status);
    if (!report.solve.message.empty()) report.message += ": " + report.solve.message;
  }
  // A solve that was cancelled says nothing about the step: nothing moves, so that a run may go on from here.
  const bool cancelled = report.solve.status == SolveStatus::Cancelled;
  if (!good && (cancelled || settings_.on_failure == FailurePolicy::Stop)) {
    report.status = StepStatus::SolverFailed;
    return report;
  }
  before_ = state_;
  kinematics_known_ = false;
  dynamics_.SetTheta(used);
  dynamics_.ToModel(0, solution_.velocity, &v_hat_);
  if (settings_.stabilization.kind == StabilizationSettings::Kind::Split && report.max_penetration > 0) {
    v_work_ = solution_.velocity;
    SolveWithoutCorrection(used, &report);
    const ConstVectorRef corrected(v_work_), plain(solution_.velocity);
    dynamics_.Advance(0, corrected, &plain, &state_);
    deformables_.Advance(DeformablePart(v_work_), DeformablePart(solution_.velocity), &state_);
  } else {
    dynamics_.Advance(0, solution_.velocity, &state_);
    deformables_.Advance(DeformablePart(solution_.velocity), DeformablePart(solution_.velocity), &state_);
  }
  if (!IsReasonable(state_)) {
    // Velocities of the answer may be finite where what follows from them is not.
    state_ = before_;
    report.status = StepStatus::InvalidState;
    report.message = "positions or velocities at the end of the step are not finite, or beyond 1e30";
    return report;
  }
  warm_ = round_;
  ++steps_;
  state_.time = static_cast<double>(steps_ - first_step_) * h + first_time_;
  AdvanceActivation(h);
  report.time = state_.time;
  report.status = good && !penalty ? StepStatus::Ok : StepStatus::Inaccurate;
  if (good && penalty) report.message = "penalty forces: the law of contact is not solved";
  report.stages.integration = timer.seconds();
  return report;
}

void Simulator::AddWrench(const WrenchScript& script) {
  const std::string where = "wrench " + std::to_string(scripts_.size());
  Require(script.link >= 0 && script.link < static_cast<int>(model_->links().size()), where,
          "link " + std::to_string(script.link) + " does not exist", "a link of the model");
  Require(script.force.allFinite() && script.torque.allFinite() && script.point.allFinite(), where, "is not finite",
          "finite numbers");
  scripts_.push_back(script);
}

const ModelData& Simulator::kinematics() const {
  if (!kinematics_) kinematics_ = std::make_unique<ModelData>(*model_);
  if (!kinematics_known_) {
    CalcPositions(*model_, state_.q, kinematics_.get());
    CalcVelocities(*model_, state_.v, kinematics_.get());
    kinematics_known_ = true;
  }
  return *kinematics_;
}

Pose Simulator::LinkPose(int link) const {
  const ModelLink& l = model_->links().at(static_cast<std::size_t>(link));
  if (l.body >= 0) return kinematics().BodyPose(l.body) * l.X_BL;
  return CalcPrescribedLink(link, state_.time, state_.time).pose;
}

Vector6 Simulator::LinkVelocity(int link) const {
  const ModelLink& l = model_->links().at(static_cast<std::size_t>(link));
  if (l.body >= 0) {
    const ModelData& data = kinematics();
    return CalcPointVelocity(*model_, data, l.body, (data.BodyPose(l.body) * l.X_BL).p);
  }
  return CalcPrescribedLink(link, state_.time, state_.time + settings_.scheme.step).velocity;
}

std::size_t Simulator::CalcContactMemory() const {
  return finder_.CalcContactMemory() + (contacts_.capacity() + fresh_.capacity()) * sizeof(ContactState) +
         (warm_.contacts.capacity() + round_.contacts.capacity()) * sizeof(WarmMemory::Contact) +
         problem_.jacobian().values.capacity() * sizeof(double) + problem_.jacobian().columns.capacity() * sizeof(int) +
         problem_.geometry().capacity() * sizeof(ContactGeometry) +
         static_cast<std::size_t>(4 * problem_.size()) * sizeof(double);
}

std::size_t Simulator::CalcMemory() const {
  // Per body: kinematics and dynamics of four ModelData, a block of A and its factor.
  const std::size_t per_body = 4 * (sizeof(FrameArrays) + 2 * sizeof(SpatialInertia) + (36 + 6 * 8) * sizeof(double));
  return CalcContactMemory() + finder_.CalcObjectMemory() +
         static_cast<std::size_t>(model_->num_bodies()) * (per_body + sizeof(ModelBody) + sizeof(ContactBody)) +
         static_cast<std::size_t>(model_->branch_size()) * 4 * sizeof(double);
}

}  // namespace tactus
