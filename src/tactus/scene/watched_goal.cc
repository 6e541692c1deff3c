#include "tactus/scene/watched_goal.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/scene/compile_soft.h"
#include "tactus/scene/compile_tasks.h"
#include "tactus/simulation/sensors.h"

namespace tactus {

namespace {

const char* ModeName(ContactMode mode) {
  return mode == ContactMode::Open ? "open" : mode == ContactMode::Stick ? "stick" : "slip";
}

}  // namespace

bool WatchedGoal::Watches(SceneGoalType type) {
  return type == SceneGoalType::TaskError || type == SceneGoalType::ContactForce || type == SceneGoalType::ContactMode;
}

WatchedGoal::WatchedGoal(const SceneDescription& scene, const SceneGoal& goal, const std::vector<int>& links,
                         const Simulator& simulator)
    : watches_(true), goal_(goal), links_(links), sums_(links.size(), 0) {
  if (goal.type != SceneGoalType::TaskError) return;
  if (const SceneSoftTask* soft = FindSoftTask(scene, goal.task); soft != nullptr) {
    soft_ = MakeSoftTask(*soft, scene, simulator);
    is_soft_ = true;
    return;
  }
  const std::string where = "goal '" + goal.name + "'";
  const Model& model = simulator.model();
  robot_.assign(static_cast<std::size_t>(model.num_bodies()), false);
  for (const SceneController& c : scene.controllers) {
    const auto task =
        std::find_if(c.tasks.begin(), c.tasks.end(), [&](const SceneTask& t) { return TaskName(t) == goal.task; });
    if (task == c.tasks.end()) continue;
    std::vector<int> motors;
    for (const std::string& name : c.joints) {
      for (const int j : FindJoints(model, name, where)) {
        motors.push_back(model.body(model.joints()[static_cast<std::size_t>(j)].body).v);
      }
    }
    term_ = MakeTaskTerm(*task, motors, simulator);
    for (int b = 0; b < model.num_bodies(); ++b) {
      for (const int d : motors) {
        if (model.body(model.dof_body(d)).root == model.body(b).root) robot_[static_cast<std::size_t>(b)] = true;
      }
    }
  }
  Require(!term_.name.empty(), where, "no controller has a task '" + goal.task + "'", "the name of a task");
  Require(IsMotionTask(term_.type) && term_.type != TaskType::AngularVelocity, where,
          fmt::format("task '{}' is one of {}", goal.task, ToString(term_.type)),
          "a task of positions; contact_force judges forces");
  motion_.Reserve(CountTaskRows(term_), model.nv());
}

double WatchedGoal::CalcTaskError(const Simulator& simulator) {
  if (is_soft_) {
    const Vector3 place = CalcEffectorPlace(simulator, soft_);
    double squares = 0, slope = 0;
    for (std::size_t r = 0; r < 3; ++r) {
      const double e = place[static_cast<Eigen::Index>(r)] - soft_.target.Evaluate(r, simulator.time(), &slope);
      if (soft_.axes[r]) squares += e * e;
    }
    return std::sqrt(squares);
  }
  CalcTaskMotion(simulator.model(), simulator.kinematics(), simulator.state().q, robot_, term_, simulator.time(),
                 simulator.settings().scheme.step, &motion_);
  return motion_.error.head(motion_.rows).norm();
}

bool WatchedGoal::HasMode(const Simulator& simulator, int link) const {
  bool touches = false;
  for (const ContactState& c : simulator.contacts()) {
    const bool mine = simulator.objects()[static_cast<std::size_t>(c.object_a)].link == link ||
                      simulator.objects()[static_cast<std::size_t>(c.object_b)].link == link;
    if (!mine || !c.active || !(c.impulse[2] > 0)) continue;
    touches = true;
    if (c.mode != goal_.mode) return false;
  }
  return touches == (goal_.mode != ContactMode::Open);
}

void WatchedGoal::ObserveValue(double value) {
  least_ = seen_ == 0 ? value : std::min(least_, value);
  most_ = seen_ == 0 ? value : std::max(most_, value);
  total_ += value;
  squares_ += value * value;
  ++seen_;
  good_ += value >= goal_.least && value <= goal_.most ? 1 : 0;
}

void WatchedGoal::Observe(const Simulator& simulator) {
  const double h = simulator.settings().scheme.step, t = simulator.time();
  if (!watches_ || t <= goal_.from + 1e-6 * h || t > goal_.to + 1e-6 * h) return;
  if (goal_.type == SceneGoalType::TaskError) {
    ObserveValue(CalcTaskError(simulator));
    return;
  }
  if (goal_.type == SceneGoalType::ContactMode) {
    const auto count = std::count_if(links_.begin(), links_.end(), [&](int link) { return HasMode(simulator, link); });
    ++seen_;
    good_ += static_cast<double>(count) >= goal_.share * static_cast<double>(links_.size()) - 1e-9 ? 1 : 0;
    return;
  }
  for (std::size_t k = 0; k < links_.size(); ++k) {
    sums_[k] += CalcContactWrench(simulator, links_[k]).head<3>().dot(goal_.axis);
  }
  if (static_cast<double>(++in_window_) * h < goal_.window - 0.5 * h) return;
  for (double& sum : sums_) {
    ObserveValue(sum / in_window_);
    sum = 0;
  }
  in_window_ = 0;
}

GoalResult WatchedGoal::Judge() const {
  GoalResult result;
  result.name = goal_.name;
  const auto seen = static_cast<double>(seen_), good = static_cast<double>(good_);
  result.met = seen_ > 0 && good >= goal_.part * seen - 1e-9;
  if (seen_ == 0) {
    result.detail = "nothing was seen in its time";
    return result;
  }
  if (goal_.type != SceneGoalType::ContactMode) {
    result.least = least_;
    result.most = most_;
  }
  const double share = 100 * good / seen, mean = total_ / seen;
  switch (goal_.type) {
    case SceneGoalType::TaskError:
      result.detail = fmt::format("error of '{}' at most {:.3g}, root mean square {:.3g} (wanted {:g}), so in {:.4g} %",
                                  goal_.task, most_, std::sqrt(squares_ / seen), goal_.most, share);
      break;
    case SceneGoalType::ContactForce:
      result.detail = fmt::format("{:.5g} to {:.5g} N, mean {:.5g} N (wanted {:g} to {:g}), so in {:.4g} %", least_,
                                  most_, mean, goal_.least, goal_.most, share);
      break;
    default:
      result.detail =
          fmt::format("{} in {:.4g} % of the steps (wanted {:g} %)", ModeName(goal_.mode), share, 100 * goal_.part);
  }
  return result;
}

}  // namespace tactus
