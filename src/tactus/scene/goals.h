// Whether a scene's task was done.
#pragma once

#include <string>
#include <vector>

#include "tactus/scene/scene_description.h"
#include "tactus/scene/watched_goal.h"
#include "tactus/simulation/simulator.h"

namespace tactus {

/// Watches a simulation for the goals of its scene.
class GoalJudge {
 public:
  /// At the start, before the first step. Throws InputError where bodies do not exist.
  GoalJudge(const SceneDescription& scene, const Simulator& simulator);

  /// After every step.
  void Observe(const Simulator& simulator, const StepReport& report);
  /// At the end, one for each goal in the scene's order.
  std::vector<GoalResult> Judge(const Simulator& simulator) const;

 private:
  // A link, or a node or segment of a deformable.
  struct Body {
    int link = -1;
    int deformable = -1, item = 0;
    Pose last;                        // in the frame of `of`
    Vector3 start = Vector3::Zero();  // in the world, at the time `since`
    double turned = 0;
    bool left = false;        // the box, in some step
    double farthest_out = 0;  // then
  };
  struct Tracked {
    SceneGoal goal;
    int of = -1;
    std::vector<Body> bodies;
  };
  static Pose CalcPose(const Simulator& simulator, const Body& body);
  static Vector6 CalcVelocity(const Simulator& simulator, const Body& body);
  void AddBodies(const SceneDescription& scene, const Simulator& simulator, const std::string& name, Tracked* tracked);
  Pose RelativePose(const Simulator& simulator, const Tracked& tracked, const Body& body) const;
  GoalResult JudgeBodies(const Simulator& simulator, const Tracked& tracked) const;

  std::vector<Tracked> tracked_;
  std::vector<WatchedGoal> watched_;  // beside tracked_, empty where the goal is not of that kind
  double penetration_ = 0;
};

}  // namespace tactus
