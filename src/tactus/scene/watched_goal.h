// Goals that are watched step by step during a part of a run: errors of tasks, forces and modes of contacts. They look
// at the simulation alone, not at what a controller believes.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "tactus/control/soft_inverse.h"
#include "tactus/control/task.h"
#include "tactus/scene/scene_description.h"
#include "tactus/simulation/simulator.h"

namespace tactus {

struct GoalResult {
  std::string name;
  bool met = false;
  std::string detail;  ///< what was measured, and what was wanted
  /// TaskError, ContactForce: least and greatest of what was measured [m, rad, N]; NaN: nothing.
  double least = std::numeric_limits<double>::quiet_NaN(), most = least;
};

class WatchedGoal {
 public:
  static bool Watches(SceneGoalType type);

  /// Watches nothing.
  WatchedGoal() = default;
  /// `links` are the goal's bodies. Throws InputError where its task does not exist.
  WatchedGoal(const SceneDescription& scene, const SceneGoal& goal, const std::vector<int>& links,
              const Simulator& simulator);

  /// After every step.
  void Observe(const Simulator& simulator);
  GoalResult Judge() const;

 private:
  void ObserveValue(double value);
  double CalcTaskError(const Simulator& simulator);
  bool HasMode(const Simulator& simulator, int link) const;

  bool watches_ = false;
  SceneGoal goal_;
  std::vector<int> links_;
  TaskTerm term_;
  TaskMotion motion_;
  SoftTask soft_;  // of a soft controller, in place of term_
  bool is_soft_ = false;
  std::vector<bool> robot_;   // bodies
  std::vector<double> sums_;  // ContactForce: of the window so far, by link
  int in_window_ = 0;
  long long seen_ = 0, good_ = 0;
  double least_ = 0, most_ = 0, total_ = 0, squares_ = 0;
};

}  // namespace tactus
