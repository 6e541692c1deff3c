#include "tactus/scene/goals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/scene/compile_deformables.h"

namespace tactus {

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// How far a place is out of the box.
double DistanceOutside(const SceneGoal& goal, const Vector3& p) {
  return (goal.low - p).cwiseMax(p - goal.high).cwiseMax(0).norm();
}

// What rests against a wall at the border of the box is there up to the solver's tolerance, in or out by chance.
bool IsInside(const SceneGoal& goal, const Vector3& p) {
  constexpr double kRounding = 1e-8;  // [m]
  return DistanceOutside(goal, p) <= kRounding;
}

const char* TypeName(SceneGoalType type) {
  switch (type) {
    case SceneGoalType::Inside: return "inside";
    case SceneGoalType::AtRest: return "at rest";
    case SceneGoalType::Turned: return "turned";
    case SceneGoalType::Moved: return "moved";
    case SceneGoalType::Upright: return "upright";
    case SceneGoalType::Penetration: return "penetration";
    case SceneGoalType::TaskError: return "task error";
    case SceneGoalType::ContactForce: return "contact force";
    case SceneGoalType::ContactMode: return "contact mode";
  }
  return "";
}

int FindBody(const Model& model, const std::string& name, const std::string& where) {
  if (name == "world") return -1;
  const int link = model.FindLink(name);
  Require(link >= 0, where, "there is no body '" + name + "'", "an object, or a link as model/link");
  return link;
}

// Whether a name is meant by a text that may end in '*'.
bool Matches(const std::string& name, const std::string& text) {
  return text.ends_with('*') ? name.starts_with(text.substr(0, text.size() - 1)) : name == text;
}

}  // namespace

GoalJudge::GoalJudge(const SceneDescription& scene, const Simulator& simulator) {
  for (const SceneGoal& goal : scene.goals) {
    Tracked tracked;
    tracked.goal = goal;
    if (goal.name.empty()) tracked.goal.name = TypeName(goal.type);
    const std::string where = "goal '" + tracked.goal.name + "'";
    tracked.of = FindBody(simulator.model(), goal.of, where);
    for (const std::string& name : goal.bodies) AddBodies(scene, simulator, name, &tracked);
    watched_.emplace_back();
    if (WatchedGoal::Watches(goal.type)) {
      std::vector<int> links;
      for (const Body& body : tracked.bodies) {
        Require(body.link >= 0, where, "its forces are known of rigid bodies only", "objects or links");
        links.push_back(body.link);
      }
      watched_.back() = WatchedGoal(scene, tracked.goal, links, simulator);
    }
    tracked_.push_back(std::move(tracked));
  }
}

void GoalJudge::AddBodies(const SceneDescription& scene, const Simulator& simulator, const std::string& name,
                          Tracked* tracked) {
  const SceneGoal& goal = tracked->goal;
  const std::string where = "goal '" + goal.name + "'";
  const std::size_t before = tracked->bodies.size();
  const auto add = [&](int link, int deformable, int item) {
    Body body;
    body.link = link;
    body.deformable = deformable;
    body.item = item;
    body.last = RelativePose(simulator, *tracked, body);
    body.start = CalcPose(simulator, body).p;
    tracked->bodies.push_back(body);
  };
  Require(name != "world", where, "the world does not move", "objects, links or deformables");
  const std::vector<ModelLink>& links = simulator.model().links();
  for (std::size_t l = 0; l < links.size(); ++l) {
    if (Matches(links[l].name, name)) add(static_cast<int>(l), -1, 0);
  }
  for (int k = 0; k < simulator.deformables().size(); ++k) {
    if (!Matches(simulator.deformables().setup(k).name, name)) continue;
    const SceneDeformable& d = scene.deformables[static_cast<std::size_t>(k)];
    Require(d.type == SceneDeformableType::Rod ||
                (goal.type != SceneGoalType::Turned && goal.type != SceneGoalType::Upright),
            where, "nodes of '" + d.name + "' do not turn", "bodies, or a rod");
    if (goal.items.items.empty() && !goal.items.low) {
      for (int i = 0; i < simulator.deformables().body(k).num_items(); ++i) add(-1, k, i);
    } else {
      for (const int i : FindItems(d, goal.items, where)) add(-1, k, i);
    }
  }
  Require(tracked->bodies.size() > before, where, "there is no body '" + name + "'",
          "an object, a link as model/link, or a deformable");
}

Pose GoalJudge::CalcPose(const Simulator& simulator, const Body& body) {
  if (body.deformable < 0) return simulator.LinkPose(body.link);
  return CalcItemPose(simulator.deformables().body(body.deformable),
                      simulator.state().deformables[static_cast<std::size_t>(body.deformable)].q, body.item);
}

Vector6 GoalJudge::CalcVelocity(const Simulator& simulator, const Body& body) {
  if (body.deformable < 0) return simulator.LinkVelocity(body.link);
  return CalcItemVelocity(simulator.deformables().body(body.deformable),
                          simulator.state().deformables[static_cast<std::size_t>(body.deformable)], body.item);
}

Pose GoalJudge::RelativePose(const Simulator& simulator, const Tracked& tracked, const Body& body) const {
  const Pose X_WB = CalcPose(simulator, body);
  return tracked.of < 0 ? X_WB : simulator.LinkPose(tracked.of).Inverse() * X_WB;
}

void GoalJudge::Observe(const Simulator& simulator, const StepReport& report) {
  penetration_ = std::max(penetration_, report.max_penetration);
  for (WatchedGoal& watched : watched_) watched.Observe(simulator);
  for (Tracked& tracked : tracked_) {
    const SceneGoal& goal = tracked.goal;
    // The first of the steps that end at that time or later; a hair early, as times are sums of steps.
    const double h = simulator.settings().scheme.step;
    if (goal.type == SceneGoalType::Moved && simulator.time() - h < goal.since - 1e-6 * h) {
      for (Body& body : tracked.bodies) body.start = CalcPose(simulator, body).p;
    }
    const bool turns = goal.type == SceneGoalType::Turned;
    if (!turns && !(goal.type == SceneGoalType::Inside && goal.always)) continue;
    for (Body& body : tracked.bodies) {
      const Pose now = RelativePose(simulator, tracked, body);
      if (turns) {
        const Eigen::AngleAxisd step(Matrix3(now.R * body.last.R.transpose()));
        body.turned += step.angle() * step.axis().dot(goal.axis);
        body.last = now;
      } else {
        body.left = body.left || !IsInside(goal, now.p);
        body.farthest_out = std::max(body.farthest_out, DistanceOutside(goal, now.p));
      }
    }
  }
}

GoalResult GoalJudge::JudgeBodies(const Simulator& simulator, const Tracked& tracked) const {
  const SceneGoal& goal = tracked.goal;
  const std::size_t all = tracked.bodies.size();
  std::size_t met = 0;
  double worst = goal.type == SceneGoalType::Turned || goal.type == SceneGoalType::Moved ? kInf : 0, worst_spin = 0;
  double greatest = -kInf;  // Turned, Moved: of all bodies
  for (const Body& body : tracked.bodies) {
    switch (goal.type) {
      case SceneGoalType::Inside: {
        const Vector3 p = RelativePose(simulator, tracked, body).p;
        met += IsInside(goal, p) && !body.left ? 1 : 0;
        worst = std::max({worst, body.farthest_out, DistanceOutside(goal, p)});
        break;
      }
      case SceneGoalType::AtRest: {
        const Vector6 v = CalcVelocity(simulator, body);
        const double speed = v.head<3>().norm(), spin = v.tail<3>().norm();
        met += speed <= goal.speed && spin <= goal.spin ? 1 : 0;
        worst = std::max(worst, speed);
        worst_spin = std::max(worst_spin, spin);
        break;
      }
      case SceneGoalType::Turned:
      case SceneGoalType::Moved: {
        const double way =
            goal.type == SceneGoalType::Turned ? body.turned : (CalcPose(simulator, body).p - body.start).norm();
        met += way >= goal.least && way <= goal.most ? 1 : 0;
        worst = std::min(worst, way);
        greatest = std::max(greatest, way);
        break;
      }
      case SceneGoalType::Upright: {
        const double up = std::clamp((CalcPose(simulator, body).R * goal.axis)[2], -1.0, 1.0);
        met += std::acos(up) <= goal.most ? 1 : 0;
        worst = std::max(worst, std::acos(up));
        break;
      }
      default: break;  // judged elsewhere
    }
  }
  GoalResult result;
  result.name = goal.name;
  // A hair less than the share is enough, as 0.95 * 20 is not 19.
  result.met = static_cast<double>(met) >= goal.share * static_cast<double>(all) - 1e-9;
  const std::string count = fmt::format("{} of {}", met, all);
  switch (goal.type) {
    case SceneGoalType::Inside:
      result.detail =
          fmt::format("{} inside{}, the farthest {:.3g} m out", count, goal.always ? " all the time" : "", worst);
      break;
    case SceneGoalType::AtRest:
      result.detail = fmt::format("{} at rest: at most {:.2g} m/s and {:.2g} rad/s (wanted {:g} and {:g})", count,
                                  worst, worst_spin, goal.speed, goal.spin);
      break;
    case SceneGoalType::Turned:
      result.detail = fmt::format("{}: turned by {:.6g} to {:.6g} rad (wanted {:.6g} to {:.6g})", count, worst,
                                  greatest, goal.least, goal.most);
      break;
    case SceneGoalType::Moved:
      result.detail = fmt::format("{}: moved by {:.4g} to {:.4g} m (wanted {:g} to {:g})", count, worst, greatest,
                                  goal.least, goal.most);
      break;
    case SceneGoalType::Upright:
      result.detail = fmt::format("{} upright, at most {:.3g} rad off (wanted {:g})", count, worst, goal.most);
      break;
    default: break;
  }
  return result;
}

std::vector<GoalResult> GoalJudge::Judge(const Simulator& simulator) const {
  std::vector<GoalResult> out;
  for (std::size_t k = 0; k < tracked_.size(); ++k) {
    const Tracked& tracked = tracked_[k];
    const SceneGoal& goal = tracked.goal;
    if (WatchedGoal::Watches(goal.type)) {
      out.push_back(watched_[k].Judge());
      continue;
    }
    if (goal.type != SceneGoalType::Penetration) {
      out.push_back(JudgeBodies(simulator, tracked));
      continue;
    }
    GoalResult result;
    result.name = goal.name;
    result.met = penetration_ <= goal.most;
    result.detail = fmt::format("at most {:.3g} m (wanted {:g})", penetration_, goal.most);
    out.push_back(std::move(result));
  }
  return out;
}

}  // namespace tactus
