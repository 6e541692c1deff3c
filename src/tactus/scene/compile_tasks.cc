#include "tactus/scene/compile_tasks.h"

#include "tactus/core/error.h"
#include "tactus/dynamics/kinematics.h"

namespace tactus {

namespace {

int FindBody(const Model& model, const std::string& name, const std::string& where) {
  const int link = model.FindLink(name);
  Require(link >= 0, where, "there is no body '" + name + "'", "an object, or a link as model/link");
  return link;
}

// Of all trees with motors.
Vector3 CalcRobotCenter(const Simulator& simulator, const std::vector<int>& motors) {
  const Model& model = simulator.model();
  ModelData data(model);
  CalcPositions(model, simulator.state().q, &data);
  double mass = 0;
  Vector3 moment = Vector3::Zero();
  for (int b = 0; b < model.num_bodies(); ++b) {
    bool robot = false;
    for (const int d : motors) robot = robot || model.body(model.dof_body(d)).root == model.body(b).root;
    const SpatialInertia& inertia = data.inertia[static_cast<std::size_t>(b)];
    if (!robot) continue;
    mass += inertia.m;
    moment += inertia.m * (data.origin[static_cast<std::size_t>(b)] + inertia.com());
  }
  return moment / mass;
}

// What a task without a target holds.
void SetStart(const std::vector<int>& motors, const Simulator& simulator, TaskTerm* term) {
  const Model& model = simulator.model();
  term->target.times = {0};
  std::vector<double>& values = term->target.values.emplace_back();
  if (term->type == TaskType::CenterOfMass) {
    const Vector3 p = CalcRobotCenter(simulator, motors);
    values.assign(p.data(), p.data() + 3);
  } else if (term->type == TaskType::Height) {
    values.push_back((simulator.LinkPose(term->path.link) * term->path.X_LF).p[2]);
  } else if (term->type == TaskType::Posture) {
    for (const int d : term->dofs) values.push_back(simulator.state().q[model.body(model.dof_body(d)).q]);
  } else if (term->type == TaskType::Torque) {
    values.assign(term->dofs.size(), 0);
  }
}

}  // namespace

std::string TaskName(const SceneTask& task) { return task.name.empty() ? ToString(task.type) : task.name; }

const SceneTask* FindTask(const SceneDescription& scene, const std::string& name) {
  for (const SceneController& c : scene.controllers) {
    for (const SceneTask& task : c.tasks) {
      if (TaskName(task) == name) return &task;
    }
  }
  return nullptr;
}

std::vector<int> FindJoints(const Model& model, const std::string& name, const std::string& where) {
  std::vector<int> out;
  if (name.ends_with("/*")) {
    const std::string prefix = name.substr(0, name.size() - 1);
    for (std::size_t j = 0; j < model.joints().size(); ++j) {
      const ModelJoint& joint = model.joints()[j];
      if (joint.description.name.starts_with(prefix) && model.body(joint.body).nv == 1 && joint.mimic < 0) {
        out.push_back(static_cast<int>(j));
      }
    }
  } else if (const int j = model.FindJoint(name); j >= 0) {
    out.push_back(j);
  }
  Require(!out.empty(), where, "there is no joint '" + name + "'", "a joint as model/joint, or model/*");
  return out;
}

TaskTerm MakeTaskTerm(const SceneTask& task, const std::vector<int>& motors, const Simulator& simulator) {
  const Model& model = simulator.model();
  TaskTerm term;
  term.name = TaskName(task);
  const std::string where = "task '" + term.name + "'";
  term.type = task.type;
  term.weight = task.weight;
  term.rotation_weight = task.rotation_weight;
  term.gain = task.gain;
  term.damping = task.damping;
  term.axes = task.axes;
  term.from = task.from;
  term.to = task.to;
  if (!task.body.empty()) term.path.link = FindBody(model, task.body, where);
  term.path.X_LF = task.frame;
  const Timeline::Kind kind = task.kind == ScenePathKind::Smooth ? Timeline::Kind::Smooth : Timeline::Kind::Linear;
  term.path.kind = term.target.kind = kind;
  for (const SceneWaypoint& w : task.path) {
    term.path.waypoints.push_back({w.time, w.pose.p, Quaternion(w.pose.R), w.turn, w.radius, w.angle});
  }
  if (FollowsPath(task.type) && task.path.empty()) {
    const Pose X_WF = simulator.LinkPose(term.path.link) * task.frame;
    term.path.waypoints.push_back({0, X_WF.p, Quaternion(X_WF.R)});
  }
  if (task.type == TaskType::Posture || task.type == TaskType::Torque) {
    for (const std::string& name : task.joints) {
      for (const int j : FindJoints(model, name, where)) {
        term.dofs.push_back(model.body(model.joints()[static_cast<std::size_t>(j)].body).v);
      }
    }
    if (task.joints.empty()) term.dofs = motors;
  }
  term.target.times = task.times;
  term.target.values = task.values;
  if (task.times.empty()) SetStart(motors, simulator, &term);
  term.Validate(model);
  return term;
}

std::unique_ptr<TaskController> MakeTaskController(const SceneController& controller, const std::vector<int>& joints,
                                                   const Simulator& simulator) {
  const Model& model = simulator.model();
  TaskControllerSettings settings;
  settings.joints = joints;
  settings.period = controller.rate > 0 ? 1 / controller.rate : simulator.settings().scheme.step;
  settings.effort_share = controller.effort_share;
  settings.margin = controller.margin;
  settings.solve.time_budget = controller.time_budget;
  std::vector<int> motors;
  for (const int j : joints) motors.push_back(model.body(model.joints()[static_cast<std::size_t>(j)].body).v);
  for (const SceneTask& task : controller.tasks) settings.tasks.push_back(MakeTaskTerm(task, motors, simulator));
  return std::make_unique<TaskController>(simulator, settings);
}

}  // namespace tactus
