#include "tactus/control/rigid_inverse.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tactus/core/error.h"
#include "tactus/dynamics/inverse_dynamics.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/dynamics/mass_matrix.h"

namespace tactus {

namespace {

/// Added to the inertia of dofs that are held, relative to the model's mass [kg/kg]: what a contact or motor does to
/// them is lost in rounding.
constexpr double kHeavy = 1e8;

}  // namespace

void RobotDescription::Validate(const Model& model) const {
  Require(!motors.empty(), "robot", "it has no motors", "one or more joints");
  Require(effort.size() == motors.size(), "robot", "it has " + std::to_string(effort.size()) + " effort limits",
          std::to_string(motors.size()) + ", one for each motor");
  std::vector<int> all = motors;
  all.insert(all.end(), held.begin(), held.end());
  for (const int d : all) {
    Require(d >= 0 && d < model.nv() && model.body(model.dof_body(d)).nv == 1, "robot",
            "dof " + std::to_string(d) + " is not that of a joint with one dof", "joints of one dof");
  }
  std::sort(all.begin(), all.end());
  Require(std::adjacent_find(all.begin(), all.end()) == all.end(), "robot", "a joint appears twice", "each joint once");
  for (const double x : effort) Require(x > 0, "robot", "an effort limit is " + std::to_string(x), "numbers > 0");
}

RigidInverse::RigidInverse(const Model& model, const RobotDescription& robot)
    : model_(model), robot_(robot), data_(model), ahead_(model) {
  robot.Validate(model);
  model.CheckDynamics();
  of_robot_.assign(static_cast<std::size_t>(model.num_bodies()), false);
  for (int b = 0; b < model.num_bodies(); ++b) {
    for (const int d : robot.motors) {
      if (model.body(model.dof_body(d)).root == model.body(b).root) of_robot_[static_cast<std::size_t>(b)] = true;
    }
  }
}

bool RigidInverse::CalcDynamics(const State& state, double h) {
  CalcBias(model_, state.q, state.v, &data_, &bias_);
  v_ = state.v;
  for (const int d : robot_.held) v_[d] = 0;
  model_.Integrate(state.q, v_, h, &q_ahead_);
  CalcPositions(model_, q_ahead_, &ahead_);
  CalcMassMatrix(model_, &data_);
  MultiplyMassMatrix(model_, data_, v_, &momentum_);
  const auto diagonal = [&](int d) -> double& { return data_.M[static_cast<std::size_t>(model_.branch_start(d))]; };
  for (int d = 0; d < model_.nv(); ++d) diagonal(d) += h * model_.damping()[d];
  for (const int d : robot_.held) diagonal(d) += kHeavy * std::max(1.0, model_.total_mass());
  if (!FactorizeMassMatrix(model_, &data_)) return false;
  v_free_ = momentum_ - h * bias_;
  SolveMassMatrix(model_, data_, v_free_.data());
  return v_free_.allFinite();
}

void RigidInverse::FillContacts(const std::vector<ContactCandidate>& contacts, double h) {
  const int na = static_cast<int>(robot_.motors.size()), m = 3 * static_cast<int>(contacts.size()), nv = model_.nv();
  J_c_.resize(m, nv);
  N_.setZero(nv, na + m);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactCandidate& c = contacts[i];
    J_.setZero(6, nv);
    if (c.body_a >= 0) CalcPointJacobian(model_, ahead_, c.body_a, c.point, &J_);
    if (c.body_b >= 0) {
      CalcPointJacobian(model_, ahead_, c.body_b, c.point, &J_b_);
      J_ -= J_b_;
    }
    J_c_.middleRows<3>(3 * static_cast<int>(i)).noalias() = c.frame * J_.topRows<3>();
    problem_.g[3 * static_cast<int>(i) + 2] = std::max(c.gap, 0.0) / h;
    problem_.mu[static_cast<int>(i)] = c.friction;
  }
  for (int k = 0; k < na; ++k) N_(robot_.motors[static_cast<std::size_t>(k)], k) = 1;
  N_.rightCols(m) = J_c_.transpose();
  for (int k = 0; k < na + m; ++k) SolveMassMatrix(model_, data_, N_.col(k).data());
  problem_.C.noalias() = J_c_ * N_.leftCols(na);
  problem_.D.noalias() = J_c_ * N_.rightCols(m);
  // Symmetric to the last bit: what is above the diagonal is what is below it.
  for (int j = 0; j < m; ++j) {
    for (int i = j + 1; i < m; ++i) problem_.D(j, i) = problem_.D(i, j);
  }
  problem_.g.noalias() += J_c_ * v_free_;
  for (int k = 0; k < na; ++k) {
    problem_.upper[k] = h * robot_.effort[static_cast<std::size_t>(k)];
    problem_.lower[k] = -problem_.upper[k];
  }
}

void RigidInverse::FillMotion(const State& state, const TaskTerm& term, double h, TaskRows* rows) {
  const int na = static_cast<int>(robot_.motors.size());
  CalcTaskMotion(model_, data_, state.q, of_robot_, term, state.time, h, &motion_);
  CalcTaskMotion(model_, ahead_, q_ahead_, of_robot_, term, state.time, h, &motion_ahead_);
  rows->error = motion_.error.head(motion_.rows).norm();
  for (int r = 0; r < motion_.rows; ++r) {
    const auto J = motion_ahead_.J.row(r);
    const int k = rows->first + r;
    const double w = motion_.weight[r];
    problem_.A.row(k).noalias() = w * (J * N_.leftCols(na));
    problem_.B.row(k).noalias() = w * (J * N_.rightCols(N_.cols() - na));
    problem_.b[k] = w * (J.dot(v_free_) - CalcTaskVelocity(term, motion_, r, motion_.J.row(r).dot(v_), h));
  }
}

void RigidInverse::FillForce(const TaskTerm& term, const std::vector<ContactCandidate>& contacts, double time, double h,
                             const TaskRows& rows) {
  int k = rows.first;
  for (int axis = 0; axis < 3; ++axis) {
    if (!term.axes[static_cast<std::size_t>(axis)]) continue;
    double slope = 0;
    problem_.b[k] = -term.weight * term.target.Evaluate(static_cast<std::size_t>(axis), time, &slope);
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const ContactCandidate& c = contacts[i];
      const double sign = (c.link_a == term.path.link ? 1 : 0) - (c.link_b == term.path.link ? 1 : 0);
      problem_.B.block<1, 3>(k, 3 * static_cast<int>(i)) = sign * term.weight / h * c.frame.col(axis).transpose();
    }
    ++k;
  }
}

void RigidInverse::FillTorque(const TaskTerm& term, double time, double h, const TaskRows& rows) {
  for (std::size_t k = 0; k < term.dofs.size(); ++k) {
    const auto motor = std::find(robot_.motors.begin(), robot_.motors.end(), term.dofs[k]) - robot_.motors.begin();
    double slope = 0;
    problem_.A(rows.first + static_cast<int>(k), motor) = term.weight / h;
    problem_.b[rows.first + static_cast<int>(k)] = -term.weight * term.target.Evaluate(k, time, &slope);
  }
}

bool RigidInverse::Assemble(const State& state, double h, const std::vector<TaskTerm>& tasks,
                            const std::vector<ContactCandidate>& contacts) {
  h_ = h;
  if (!CalcDynamics(state, h)) return false;
  rows_.resize(tasks.size());
  int count = 0, most = 1;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    int rows = tasks[t].Counts(state.time) ? CountTaskRows(tasks[t]) : 0;
    most = std::max(most, rows);
    // Pose, Posture and the like use all of their rows; others those of axes that count.
    const bool by_axes = rows > 0 && tasks[t].type != TaskType::Attitude && tasks[t].type != TaskType::Height &&
                         tasks[t].type != TaskType::Posture && tasks[t].type != TaskType::Torque;
    if (by_axes) rows -= static_cast<int>(std::count(tasks[t].axes.begin(), tasks[t].axes.end(), false));
    rows_[t] = {count, rows, std::numeric_limits<double>::quiet_NaN()};
    count += rows;
  }
  if (motion_.J.rows() < most) {
    motion_.Reserve(most, model_.nv());
    motion_ahead_.Reserve(most, model_.nv());
  }
  problem_.Resize(count, static_cast<int>(robot_.motors.size()), static_cast<int>(contacts.size()), QpccKind::Ncp);
  FillContacts(contacts, h);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    if (rows_[t].count == 0) continue;
    if (IsMotionTask(tasks[t].type)) FillMotion(state, tasks[t], h, &rows_[t]);
    if (tasks[t].type == TaskType::Force) FillForce(tasks[t], contacts, state.time, h, rows_[t]);
    if (tasks[t].type == TaskType::Torque) FillTorque(tasks[t], state.time, h, rows_[t]);
  }
  return problem_.b.allFinite() && problem_.g.allFinite();
}

void RigidInverse::CalcNextVelocity(const QpccSolution& solution, VectorX* v_next) const {
  const auto na = static_cast<Eigen::Index>(robot_.motors.size());
  *v_next = v_free_;
  v_next->noalias() += N_.leftCols(na) * solution.actuation;
  v_next->noalias() += N_.rightCols(N_.cols() - na) * solution.contact;
}

double RigidInverse::CalcTaskError(const std::vector<TaskTerm>& tasks, std::size_t task,
                                   const QpccSolution& solution) const {
  const TaskRows& rows = rows_[task];
  if (rows.count == 0 || IsMotionTask(tasks[task].type)) return rows.error;
  double sum = 0;
  for (int k = rows.first; k < rows.first + rows.count; ++k) {
    const double r =
        problem_.A.row(k).dot(solution.actuation) + problem_.B.row(k).dot(solution.contact) + problem_.b[k];
    sum += r * r;
  }
  return std::sqrt(sum) / tasks[task].weight;
}

}  // namespace tactus
