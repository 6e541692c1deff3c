#include "tactus/control/task.h"

#include <algorithm>
#include <cmath>

#include "tactus/core/error.h"
#include "tactus/dynamics/kinematics.h"

namespace tactus {

namespace {

bool HasLink(TaskType type) {
  return type != TaskType::CenterOfMass && type != TaskType::Posture && type != TaskType::Torque;
}

// Values that a row of the target has.
std::size_t CountTargets(const TaskTerm& term) {
  switch (term.type) {
    case TaskType::Height: return 1;
    case TaskType::Posture:
    case TaskType::Torque: return term.dofs.size();
    case TaskType::AngularVelocity:
    case TaskType::CenterOfMass:
    case TaskType::Force: return 3;
    default: return 0;
  }
}

// Values of a target at t - h, t and t + h.
struct Three {
  double before, at, after;
};
Three Sample(const Timeline& target, std::size_t k, double time, double h) {
  double slope = 0;
  return {target.Evaluate(k, time - h, &slope), target.Evaluate(k, time, &slope), target.Evaluate(k, time + h, &slope)};
}

// Appends rows to a motion.
struct Rows {
  const TaskTerm& term;
  double h;
  TaskMotion* out;

  void Add(double weight, double error, double now, double next) {
    const int r = out->rows++;
    out->weight[r] = weight;
    out->error[r] = error;
    out->now[r] = now;
    out->next[r] = next;
  }
  // Three rows of world axes, those that count; `J` has the first of them at row `first`.
  template <typename Jacobian>
  void AddAxes(const Jacobian& J, double weight, const Vector3& error, const Vector3& now, const Vector3& next,
               const std::array<bool, 3>& axes) {
    for (int k = 0; k < 3; ++k) {
      if (!axes[static_cast<std::size_t>(k)]) continue;
      out->J.row(out->rows) = J.row(k);
      Add(weight, error[k], now[k], next[k]);
    }
  }
};

Vector3 RotationBetween(const Matrix3& from, const Matrix3& to) {
  return LogRotation(Quaternion(Matrix3(to * from.transpose())));
}

// Position, Orientation, Pose.
void AddPath(const Model& model, const ModelData& data, double time, Rows* rows) {
  Matrix6X* J = &rows->out->body;
  const TaskTerm& term = rows->term;
  const double h = rows->h;
  const ModelLink& link = model.links()[static_cast<std::size_t>(term.path.link)];
  const Pose X_WF = data.BodyPose(link.body) * link.X_BL * term.path.X_LF;
  const Pose before = term.path.Evaluate(time - h), at = term.path.Evaluate(time), after = term.path.Evaluate(time + h);
  CalcPointJacobian(model, data, link.body, X_WF.p, J);
  if (term.type != TaskType::Orientation) {
    rows->AddAxes(J->topRows<3>(), term.weight, at.p - X_WF.p, (at.p - before.p) / h, (after.p - at.p) / h, term.axes);
  }
  if (term.type == TaskType::Position) return;
  const bool pose = term.type == TaskType::Pose;
  rows->AddAxes(J->bottomRows<3>(), pose ? term.rotation_weight : term.weight, RotationBetween(X_WF.R, at.R),
                RotationBetween(before.R, at.R) / h, RotationBetween(at.R, after.R) / h,
                pose ? std::array<bool, 3>{true, true, true} : term.axes);
}

void AddCenterOfMass(const Model& model, const ModelData& data, const std::vector<bool>& robot, double time,
                     Rows* rows) {
  Matrix6X* J = &rows->out->body;
  Matrix3X& sum = rows->out->sum;
  double mass = 0;
  Vector3 moment = Vector3::Zero();
  sum.setZero(3, model.nv());
  for (int b = 0; b < model.num_bodies(); ++b) {
    const SpatialInertia& inertia = data.inertia[static_cast<std::size_t>(b)];
    if (!robot[static_cast<std::size_t>(b)] || !(inertia.m > 0)) continue;
    const Vector3 p = data.origin[static_cast<std::size_t>(b)] + inertia.com();
    CalcPointJacobian(model, data, b, p, J);
    sum += inertia.m * J->topRows<3>();
    moment += inertia.m * p;
    mass += inertia.m;
  }
  if (!(mass > 0)) return;
  Vector3 error, now, next;
  for (int k = 0; k < 3; ++k) {
    const Three x = Sample(rows->term.target, static_cast<std::size_t>(k), time, rows->h);
    error[k] = x.at - moment[k] / mass;
    now[k] = (x.at - x.before) / rows->h;
    next[k] = (x.after - x.at) / rows->h;
  }
  sum /= mass;
  rows->AddAxes(sum, rows->term.weight, error, now, next, rows->term.axes);
}

void AddPosture(const Model& model, const ConstVectorRef& q, double time, Rows* rows) {
  const TaskTerm& term = rows->term;
  for (std::size_t k = 0; k < term.dofs.size(); ++k) {
    const int d = term.dofs[k];
    const Three x = Sample(term.target, k, time, rows->h);
    rows->out->J.row(rows->out->rows).setZero();
    rows->out->J(rows->out->rows, d) = 1;
    rows->Add(term.weight, x.at - q[model.body(model.dof_body(d)).q], (x.at - x.before) / rows->h,
              (x.after - x.at) / rows->h);
  }
}

}  // namespace

const char* ToString(TaskType type) {
  switch (type) {
    case TaskType::Position: return "position";
    case TaskType::Orientation: return "orientation";
    case TaskType::Pose: return "pose";
    case TaskType::AngularVelocity: return "angular_velocity";
    case TaskType::CenterOfMass: return "center_of_mass";
    case TaskType::Height: return "height";
    case TaskType::Attitude: return "attitude";
    case TaskType::Posture: return "posture";
    case TaskType::Force: return "force";
    case TaskType::Torque: return "torque";
  }
  return "?";
}

bool FollowsPath(TaskType type) {
  return type == TaskType::Position || type == TaskType::Orientation || type == TaskType::Pose;
}

bool IsMotionTask(TaskType type) { return type != TaskType::Force && type != TaskType::Torque; }

int CountTaskRows(const TaskTerm& term) {
  switch (term.type) {
    case TaskType::Pose: return 6;
    case TaskType::Height: return 1;
    case TaskType::Attitude: return 2;
    case TaskType::Posture:
    case TaskType::Torque: return static_cast<int>(term.dofs.size());
    default: return 3;
  }
}

void TaskTerm::Validate(const Model& model) const {
  const std::string where = "task '" + name + "'";
  Require(std::isfinite(weight) && weight > 0, where, "its weight is " + std::to_string(weight), "a number > 0");
  Require(std::isfinite(rotation_weight) && rotation_weight > 0, where,
          "its rotation_weight is " + std::to_string(rotation_weight), "a number > 0");
  Require(std::isfinite(gain) && gain >= 0, where, "its gain is " + std::to_string(gain), "a number >= 0 [1/s]");
  Require(damping > 0, where, "its damping is " + std::to_string(damping), "a number > 0, or inf [1/s]");
  Require(from < to, where, "it ends before it begins", "from < to");
  Require(axes[0] || axes[1] || axes[2], where, "no axis counts", "one or more of x, y, z");
  if (HasLink(type)) {
    Require(path.link >= 0 && path.link < static_cast<int>(model.links().size()), where, "it has no link",
            "a link of the model");
    Require(model.links()[static_cast<std::size_t>(path.link)].body >= 0, where, "its link does not move",
            "a link that moves");
  }
  if (FollowsPath(type)) path.Validate();
  if (CountTargets(*this) > 0) target.Validate(CountTargets(*this));
  for (const int d : dofs) {
    Require(d >= 0 && d < model.nv() && model.body(model.dof_body(d)).nv == 1, where,
            "dof " + std::to_string(d) + " is not that of a joint with one dof", "joints of one dof");
  }
}

void TaskMotion::Reserve(int most_rows, int nv) {
  J.resize(most_rows, nv);
  for (VectorX* v : {&error, &now, &next, &weight}) v->resize(most_rows);
}

void CalcTaskMotion(const Model& model, const ModelData& data, const ConstVectorRef& q, const std::vector<bool>& robot,
                    const TaskTerm& term, double time, double h, TaskMotion* out) {
  out->rows = 0;
  Rows rows{term, h, out};
  if (FollowsPath(term.type)) {
    AddPath(model, data, time, &rows);
    return;
  }
  if (term.type == TaskType::CenterOfMass) {
    AddCenterOfMass(model, data, robot, time, &rows);
    return;
  }
  if (term.type == TaskType::Posture) {
    AddPosture(model, q, time, &rows);
    return;
  }
  if (!IsMotionTask(term.type)) return;
  const ModelLink& link = model.links()[static_cast<std::size_t>(term.path.link)];
  const Pose X_WF = data.BodyPose(link.body) * link.X_BL * term.path.X_LF;
  Matrix6X& J = out->body;
  CalcPointJacobian(model, data, link.body, X_WF.p, &J);
  if (term.type == TaskType::Height) {
    const Three z = Sample(term.target, 0, time, h);
    out->J.row(0) = J.row(2);
    rows.Add(term.weight, z.at - X_WF.p[2], (z.at - z.before) / h, (z.after - z.at) / h);
  } else if (term.type == TaskType::Attitude) {
    // The turn that takes the frame's z axis to the world's is level.
    const Vector3 error = X_WF.R.col(2).cross(Vector3::UnitZ());
    rows.AddAxes(J.bottomRows<3>(), term.weight, error, Vector3::Zero(), Vector3::Zero(), {true, true, false});
  } else {  // AngularVelocity
    Vector3 now, next;
    for (int k = 0; k < 3; ++k) {
      const Three w = Sample(term.target, static_cast<std::size_t>(k), time, h);
      now[k] = w.at;
      next[k] = w.after;
    }
    rows.AddAxes(J.bottomRows<3>(), term.weight, Vector3::Zero(), now, next, term.axes);
  }
}

double CalcTaskVelocity(const TaskTerm& term, const TaskMotion& motion, int r, double v, double h) {
  const double beta = std::min(1.0, term.damping * h);
  return motion.next[r] + beta * term.gain * motion.error[r] + (1 - beta) * (v - motion.now[r]);
}

}  // namespace tactus
