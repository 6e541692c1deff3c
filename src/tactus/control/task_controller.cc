#include "tactus/control/task_controller.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tactus/core/error.h"
#include "tactus/core/timer.h"
#include "tactus/dynamics/kinematics.h"

namespace tactus {

namespace {

/// Loss of an answer, relative to that of the last one, that calls for another try.
constexpr double kMuchWorse = 4;

RobotDescription MakeRobot(const Simulator& simulator, const TaskControllerSettings& settings) {
  const Model& model = simulator.model();
  settings.Validate(model);
  RobotDescription robot;
  for (const int j : settings.joints) {
    const ModelJoint& joint = model.joints()[static_cast<std::size_t>(j)];
    robot.motors.push_back(model.body(joint.body).v);
    robot.effort.push_back(settings.effort_share * joint.description.effort_limit);
  }
  const auto hold = [&](int j) {
    const ModelBody& body = model.body(model.joints()[static_cast<std::size_t>(j)].body);
    const bool known = std::count(robot.motors.begin(), robot.motors.end(), body.v) > 0 ||
                       std::count(robot.held.begin(), robot.held.end(), body.v) > 0;
    if (body.nv == 1 && !known) robot.held.push_back(body.v);
  };
  for (const JointDrive& drive : simulator.drives()) hold(drive.joint);
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    if (model.joints()[j].mimic >= 0) hold(static_cast<int>(j));
  }
  return robot;
}

ContactFinderSettings MakeFinderSettings(const Simulator& simulator, const TaskControllerSettings& settings) {
  ContactFinderSettings out = simulator.settings().contacts;
  out.margin = settings.margin;
  return out;
}

}  // namespace

// Bounds on the work, not on time, so that the same inputs give the same torques: measured on the scenes of
// docs/control.md, as small as closed loops allowed.
QpccSettings TaskControllerSettings::MakeControlSolve() {
  QpccSettings out;
  out.starts = 1;
  out.search_solves = out.search_starts = 0;
  out.polish_steps = 80;
  out.reduced = ReducedUse::WhenInfeasible;
  out.forward_iterations = 30;
  return out;
}

QpccSettings TaskControllerSettings::MakeControlRetry() {
  QpccSettings out;
  out.starts = 2;
  out.search_solves = out.search_starts = 0;
  out.polish_steps = 400;
  out.forward_iterations = 30;
  return out;
}

void TaskControllerSettings::Validate(const Model& model) const {
  const std::string where = "task controller";
  Require(!joints.empty(), where, "it has no joints", "one or more");
  for (const int j : joints) {
    Require(j >= 0 && j < static_cast<int>(model.joints().size()), where,
            "joint " + std::to_string(j) + " does not exist", "joints of the model");
    const ModelBody& body = model.body(model.joints()[static_cast<std::size_t>(j)].body);
    Require(body.nv == 1, where, "a joint has " + std::to_string(body.nv) + " dofs", "joints of one dof");
  }
  Require(std::isfinite(period) && period > 0, where, "its period is " + std::to_string(period), "a number > 0 [s]");
  Require(effort_share > 0 && effort_share <= 1, where, "effort_share is " + std::to_string(effort_share),
          "a number in (0, 1]");
  Require(std::isfinite(margin) && margin >= 0, where, "its margin is " + std::to_string(margin), "a number >= 0 [m]");
  Require(max_contacts >= 0, where, "max_contacts is " + std::to_string(max_contacts), "0 or more");
  Require(!tasks.empty(), where, "it has no tasks", "one or more");
  std::vector<int> motors;
  for (const int j : joints) motors.push_back(model.body(model.joints()[static_cast<std::size_t>(j)].body).v);
  for (const TaskTerm& task : tasks) {
    task.Validate(model);
    if (task.type != TaskType::Torque) continue;
    for (const int d : task.dofs) {
      Require(std::count(motors.begin(), motors.end(), d) > 0, "task '" + task.name + "'",
              "it has a joint that the controller does not move", "joints of the controller");
    }
  }
  solve.Validate();
  retry.Validate();
}

TaskController::TaskController(const Simulator& simulator, const TaskControllerSettings& settings)
    : settings_(settings),
      inverse_(simulator.model(), MakeRobot(simulator, settings)),
      finder_(simulator.model(), MakeFinderSettings(simulator, settings), 1),
      places_(simulator.model()) {
  const Model& model = simulator.model();
  touches_.assign(static_cast<std::size_t>(model.num_bodies()), false);
  const auto count = [&](int body) { touches_[static_cast<std::size_t>(model.body(body).root)] = true; };
  for (const int d : inverse_.robot().motors) count(model.dof_body(d));
  for (const TaskTerm& task : settings_.tasks) {
    if (task.path.link >= 0) count(model.links()[static_cast<std::size_t>(task.path.link)].body);
  }
  FinderInput start;
  start.data = &simulator.kinematics();
  start.h = settings_.period;
  finder_.ExcludeOverlapping(start);
  report_.torque = VectorX::Zero(static_cast<Eigen::Index>(inverse_.robot().motors.size()));
}

void TaskController::FindContacts(const Simulator& simulator) {
  const Model& model = simulator.model();
  FinderInput input;
  input.data = &simulator.kinematics();
  input.h = settings_.period;
  model.Integrate(simulator.state().q, simulator.state().v, settings_.period, &q_ahead_);
  CalcPositions(model, q_ahead_, &places_);
  CalcVelocities(model, simulator.state().v, &places_);
  FinderInput then = input;
  then.data = &places_;
  finder_.Find(then, &ahead_);
  finder_.Find(input, &found_);
  const auto counts = [&](const ContactState& c) {
    for (const int object : {c.object_a, c.object_b}) {
      const int body = finder_.objects()[static_cast<std::size_t>(object)].body;
      if (c.active && body >= 0 && touches_[static_cast<std::size_t>(model.body(body).root)]) return true;
    }
    return false;
  };
  found_.erase(std::remove_if(found_.begin(), found_.end(), [&](const ContactState& c) { return !counts(c); }),
               found_.end());
  if (found_.size() > static_cast<std::size_t>(settings_.max_contacts)) {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const ContactState& x, const ContactState& y) { return x.geometry.gap < y.geometry.gap; });
    found_.resize(static_cast<std::size_t>(settings_.max_contacts));
  }
  memory_.Begin(found_);
  report_.contacts.clear();
  for (const ContactState& c : found_) {
    const SimulatorObject &a = finder_.objects()[static_cast<std::size_t>(c.object_a)],
                          &b = finder_.objects()[static_cast<std::size_t>(c.object_b)];
    const ContactState& then_c = FindAhead(c);
    report_.contacts.push_back({a.link, b.link, a.body, b.body, then_c.geometry.point, then_c.frame, c.geometry.gap,
                                std::min(c.friction1, c.friction2)});
  }
}

const ContactState& TaskController::FindAhead(const ContactState& now) const {
  for (const ContactState& c : ahead_) {
    const bool same =
        c.object_a == now.object_a && c.object_b == now.object_b && c.geometry.feature == now.geometry.feature;
    // A feature that has become another one in so short a time is not the same contact.
    if (same && c.geometry.normal.dot(now.geometry.normal) > 0.9) return c;
  }
  return now;
}

void TaskController::Solve(bool warm) {
  const QpccProblem& problem = inverse_.problem();
  report_.solve = SolveQpcc(problem, settings_.solve, warm ? &warm_ : nullptr, &workspace_, &solution_);
  const QpccStatus status = report_.solve.status;
  const bool poor = status == QpccStatus::Approximate || status == QpccStatus::Infeasible;
  // Next to the last answer there is mostly one that is about as good. If it was not found, look harder.
  const bool worse = status == QpccStatus::Feasible && warm && report_.solve.loss > kMuchWorse * last_loss_;
  if (!poor && !worse) return;
  const double used = report_.solve.cpu_time;
  QpccSettings retry = settings_.retry;
  if (settings_.solve.time_budget > 0) retry.time_budget = std::max(1e-6, settings_.solve.time_budget - used);
  const QpccReport again = SolveQpcc(problem, retry, &solution_, &workspace_, &solution_);
  report_.solve = again;
  report_.solve.cpu_time += used;
}

void TaskController::Update(const Simulator& simulator, Control* control) {
  const ThreadCpuTimer timer;
  FindContacts(simulator);
  const double h = settings_.period;
  const bool assembled = inverse_.Assemble(simulator.state(), h, settings_.tasks, report_.contacts);
  const bool known = solution_.actuation.size() == inverse_.problem().num_actuators();
  if (known) memory_.MakeWarmStart(solution_, &warm_);
  report_.time = simulator.time();
  report_.assembly_cpu_time = timer.seconds();
  report_.solve = {};
  if (assembled) {
    Solve(known);
  } else {
    report_.solve.message = "the state is not finite, or its mass matrix not positive definite";
  }
  last_loss_ = report_.solve.loss;
  ++updates_;
  const QpccStatus status = report_.solve.status;
  if (status == QpccStatus::InvalidInput || status == QpccStatus::NumericalError) {
    // Motors go on as they are; nothing is known of contacts, and the next update starts cold.
    solution_ = {};
    memory_.Forget();
    report_.contacts.clear();
    report_.modes.clear();
    report_.force.resize(0);
    report_.errors.assign(settings_.tasks.size(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  report_.torque = solution_.actuation / h;
  report_.force = solution_.contact / h;
  report_.modes = solution_.modes;
  report_.errors.resize(settings_.tasks.size());
  for (std::size_t t = 0; t < settings_.tasks.size(); ++t) {
    report_.errors[t] = inverse_.CalcTaskError(settings_.tasks, t, solution_);
  }
  for (std::size_t k = 0; k < inverse_.robot().motors.size(); ++k) {
    control->force[inverse_.robot().motors[k]] = report_.torque[static_cast<Eigen::Index>(k)];
  }
}

void TaskController::Save(std::vector<double>* state) const {
  memory_.Save(solution_, state);
  state->push_back(last_loss_);
}

void TaskController::Load(const std::vector<double>& state) {
  std::size_t at = memory_.Load(state, 0, &solution_);
  last_loss_ = ReadSnapshotNumber(state, &at);
}

}  // namespace tactus
