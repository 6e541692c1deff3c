// Compliances of a SoftInverse, and the problem made of them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tactus/control/soft_inverse.h"

namespace tactus {

namespace {

// How much of a point with weights a motor moves.
double CalcShare(const SoftActuator& motor, int deformable, const int* items, const double* weights, int count) {
  if (motor.deformable != deformable) return 0;
  double sum = 0;
  for (int k = 0; k < count; ++k) {
    if (std::find(motor.items.begin(), motor.items.end(), items[k]) != motor.items.end()) sum += weights[k];
  }
  return sum;
}

}  // namespace

// b is linear in the velocities of what is held: the column is the difference that a unit of the motor's way makes.
bool SoftInverse::FillMotorColumn(int actuator) {
  const SoftActuator& a = simulator_.soft_actuators()[static_cast<std::size_t>(actuator)];
  const auto k = static_cast<std::size_t>(a.deformable);
  const Deformable& body = deformables_.body(a.deformable);
  const DeformableState& start = deformables_.start()[k];
  held_ = start.held_velocity;
  for (const int item : a.items) held_.segment<3>(body.first_held_dof(item)) += a.axis / settings_.period;
  DeformableInput input;
  input.q = &start.q;
  input.v = &start.v;
  input.gravity = simulator_.model().gravity();
  input.held_velocity = &held_;
  A_ = body.pattern();
  b_.resize(body.nv());
  if (!body.Assemble({settings_.period, 0}, input, pool_.get(), data_[k].get(), &A_, &b_)) return false;
  const Eigen::Index first = dynamics_.num_dofs() + deformables_.first_dof(a.deformable);
  G_.col(actuator).segment(first, body.nv()) = b_ - contact_problem_.b().segment(first, body.nv());
  return true;
}

void SoftInverse::FillMotorDirect(int actuator) {
  const SoftActuator& a = simulator_.soft_actuators()[static_cast<std::size_t>(actuator)];
  const double h = settings_.period;
  const auto side = [&](int object, const DeformablePoint& p) {
    const int k = finder_.objects()[static_cast<std::size_t>(object)].deformable;
    return k < 0 ? 0 : CalcShare(a, k, p.items.data(), p.weights.data(), p.count);
  };
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const ContactState& c = contacts_[i];
    const double share = side(c.object_a, c.point_a) - side(c.object_b, c.point_b);
    direct_.col(actuator).segment<3>(static_cast<Eigen::Index>(3 * i)) = share / h * (c.frame * a.axis);
  }
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    double share = 0;
    for (const int item : tasks_[t].items) {
      const double weight = 1 / static_cast<double>(tasks_[t].items.size());
      share += CalcShare(a, tasks_[t].deformable, &item, &weight, 1);
    }
    direct_.col(actuator).segment<3>(3 * effectors_[t].contact) = share / h * a.axis;
  }
}

bool SoftInverse::FillActuation() {
  const std::vector<SoftActuator>& actuators = simulator_.soft_actuators();
  const auto count = static_cast<Eigen::Index>(actuators.size());
  const Eigen::Index rows = contact_problem_.size();
  G_.setZero(contact_problem_.num_dofs(), count);
  direct_.setZero(rows, count);
  for (std::size_t i = 0; i < actuators.size(); ++i) {
    const SoftActuator& a = actuators[i];
    if (a.is_motor()) {
      if (!FillMotorColumn(static_cast<int>(i))) return false;
      FillMotorDirect(static_cast<int>(i));
      continue;
    }
    a.force->CalcRow(deformables_.start()[static_cast<std::size_t>(a.deformable)].q, &rows_[i]);
    const int first = dynamics_.num_dofs() + deformables_.first_dof(a.deformable);
    for (std::size_t k = 0; k < rows_[i].dof.size(); ++k) {
      G_(first + rows_[i].dof[k], static_cast<Eigen::Index>(i)) = rows_[i].value[k];
    }
  }
  Z_ = G_;
  const MassMatrix& mass = contact_problem_.mass();
  for (int j = 0; j < mass.num_subsystems(); ++j) {
    mass.SolveSubsystem(j, Z_.middleRows(mass.subsystem(j).dof, mass.subsystem(j).size));
  }
  Wa_.resize(rows, count);
  for (Eigen::Index c = 0; c < count; ++c) {
    contact_problem_.MultiplyJ(Z_.col(c), &y_);
    Wa_.col(c) = y_ + direct_.col(c);
  }
  contact_problem_.MultiplyJ(contact_problem_.free_velocity(), &y_free_);
  y_free_ += contact_problem_.e();
  W_.setZero(rows, rows);
  for (int i = 0; i < delassus_.num_constraints(); ++i) {
    for (int k = delassus_.row_begin(i); k < delassus_.row_end(i); ++k) {
      W_.block<3, 3>(3 * i, 3 * delassus_.column(k)) =
          Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(delassus_.block(k));
    }
  }
  return true;
}

Vector3 SoftInverse::CalcTarget(std::size_t task, double time) const {
  Vector3 out;
  double slope = 0;
  for (int r = 0; r < 3; ++r) out[r] = tasks_[task].target.Evaluate(static_cast<std::size_t>(r), time, &slope);
  return out;
}

void SoftInverse::SetGoal(std::size_t task, const Vector3& goal) {
  tasks_[task].gain = std::numeric_limits<double>::infinity();
  tasks_[task].target.times = {0};
  tasks_[task].target.values = {{goal[0], goal[1], goal[2]}};
}

void SoftInverse::FillTask(std::size_t t, const State& state, int* row) {
  const SoftTask& task = tasks_[t];
  const Effector& effector = effectors_[t];
  const double h = settings_.period;
  Vector3 goal = CalcTarget(t, state.time + h);
  if (std::isfinite(task.gain)) goal += (effector.place - CalcTarget(t, state.time)) / (1 + task.gain * h);
  for (int r = 0; r < 3; ++r) {
    if (!task.axes[static_cast<std::size_t>(r)]) continue;
    const Eigen::Index from = 3 * effector.contact + r;
    problem_.A.row(*row) = task.weight * h * Wa_.row(from);
    problem_.B.row(*row) = task.weight * h * W_.row(from).head(problem_.num_rows());
    problem_.b[*row] = task.weight * (effector.place[r] + h * y_free_[from] - goal[r]);
    ++*row;
  }
}

// Small inputs, and small changes of them, each relative to its range.
void SoftInverse::FillInputRows(const VectorX& last, int row) {
  const std::vector<SoftActuator>& actuators = simulator_.soft_actuators();
  for (std::size_t i = 0; i < actuators.size(); ++i) {
    const SoftActuator& a = actuators[i];
    const auto c = static_cast<Eigen::Index>(i);
    const double range = std::isfinite(a.upper - a.lower) && a.upper > a.lower ? a.upper - a.lower : 1;
    const double input = 1 / (range * settings_.period);  // of x_a, relative
    if (settings_.effort_weight > 0) problem_.A(row++, c) = settings_.effort_weight * input;
    if (settings_.change_weight > 0 && !a.is_motor()) {
      problem_.A(row, c) = settings_.change_weight * input;
      problem_.b[row++] = -settings_.change_weight * last[c] / range;
    }
  }
}

void SoftInverse::FillProblem(const State& state, const VectorX& last) {
  const std::vector<SoftActuator>& actuators = simulator_.soft_actuators();
  const double h = settings_.period;
  const int contacts = static_cast<int>(contacts_.size()), m = 3 * contacts;
  int rows = 0;
  for (const SoftTask& task : tasks_) rows += static_cast<int>(std::count(task.axes.begin(), task.axes.end(), true));
  int inputs = settings_.effort_weight > 0 ? static_cast<int>(actuators.size()) : 0;
  for (const SoftActuator& a : actuators) inputs += settings_.change_weight > 0 && !a.is_motor() ? 1 : 0;
  problem_.Resize(rows + inputs, static_cast<int>(actuators.size()), contacts, QpccKind::Ncp);
  int row = 0;
  for (std::size_t t = 0; t < tasks_.size(); ++t) FillTask(t, state, &row);
  FillInputRows(last, row);
  problem_.C = Wa_.topRows(m);
  problem_.D = 0.5 * (W_.topLeftCorner(m, m) + W_.topLeftCorner(m, m).transpose());
  problem_.g = y_free_.head(m);
  problem_.compliance.setZero(0);
  if (std::any_of(compliance_.begin(), compliance_.end(), [](double c) { return c > 0; })) {
    problem_.compliance.setZero(m);
    for (int i = 0; i < contacts; ++i) problem_.compliance[3 * i + 2] = compliance_[static_cast<std::size_t>(i)];
  }
  for (int i = 0; i < contacts; ++i) problem_.mu[i] = contact_problem_.friction(i).mu1;
  for (std::size_t i = 0; i < actuators.size(); ++i) {
    const SoftBounds bounds =
        CalcSoftBounds(actuators[i], CalcSoftTravel(simulator_.deformables(), actuators[i], state), h);
    problem_.lower[static_cast<Eigen::Index>(i)] = h * bounds.lower;
    problem_.upper[static_cast<Eigen::Index>(i)] = h * bounds.upper;
  }
}

void SoftInverse::CalcInputs(const QpccSolution& solution, VectorX* inputs) const {
  *inputs = solution.actuation / settings_.period;
}

Vector3 SoftInverse::CalcNextEffector(std::size_t task, const QpccSolution& solution) const {
  const Eigen::Index from = 3 * effectors_[task].contact;
  Vector3 v = y_free_.segment<3>(from) + Wa_.middleRows<3>(from) * solution.actuation;
  v += W_.block(from, 0, 3, problem_.num_rows()) * solution.contact;
  return effectors_[task].place + settings_.period * v;
}

}  // namespace tactus
