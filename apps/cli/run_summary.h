// What `tactus run` says at the end.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/cli/json_output.h"
#include "tactus/scene/scene_description.h"
#include "tactus/simulation/simulator.h"

namespace tactus::cli {

/// What was run: the scene's name, seed, parameters and what was drawn, with the `notes` of its simulation.
Json MakeSceneJson(const SceneDescription& scene, const std::vector<std::string>& notes);

/// Gathers the reports of a run.
class RunSummary {
 public:
  void Add(const StepReport& report);
  /// Everything, for machines and for Print.
  Json MakeJson(const Simulator& simulator, double wall_seconds) const;
  static void Print(const Json& json);

  int steps() const { return static_cast<int>(residuals_.size()); }
  bool all_ok() const { return bad_ == 0; }

 private:
  StageTimes stages_;
  std::vector<double> residuals_, solver_times_, solver_cpu_times_;
  std::vector<int> contacts_;
  long long solves_ = 0, iterations_ = 0, newton_steps_ = 0, activated_ = 0, merged_ = 0;
  int bad_ = 0, retried_ = 0, implicit_ = 0, withdrawn_ = 0, uncorrected_ = 0, most_rows_ = 0;
  double worst_ = -1, worst_time_ = 0, penetration_ = 0;
  int worst_step_ = 0;
  std::string first_trouble_, last_message_;
  std::map<std::string, int> choices_;  // of a solver that chooses among others: steps
};

}  // namespace tactus::cli
