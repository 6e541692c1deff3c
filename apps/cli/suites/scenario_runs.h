// Runs of scenes for the suites: what became of their goals and steps, and the contact problems in them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/simulation/simulator.h"
#include "tactus/simulation/step_report.h"
#include "tactus/solvers/contact_solver.h"

namespace tactus::cli {

/// How a scene is run; what is left open is the scene's own.
struct RunPlan {
  std::vector<std::string> set = {};
  std::uint64_t seed = 0;
  int trial = 0;
  std::string solver = "hybrid";
  double time_budget = 0;  ///< [s]
  int iterations = 0;
  std::optional<double> tolerance = {}, time_step = {};
  std::optional<int> linearizations = {};
  int threads = 1;
  int steps = 0;  ///< 0: to the scene's end
};

/// What became of a run, or of several.
struct RunOutcome {
  int runs = 0, done = 0, errors = 0, steps = 0, solved = 0, paper = 0, most_contacts = 0;
  int linearizations = 0;  ///< of a step
  double penetration = 0, simulated = 0, wall_time = 0;
  std::vector<double> seconds, cpu_seconds, residuals, iterations, jitter;  ///< a step; times in ms
  std::vector<double> step_cpu_seconds;                                     ///< of whole steps [ms]

  void Add(const StepReport& report);
};

/// `observe`: called after every step, outside all times.
void RunScene(const std::string& name, const RunPlan& plan, RunOutcome* out,
              const std::function<void(const Simulator& simulator)>& observe = nullptr);

/// The contact problems of every `every`th step from step `first` on.
std::vector<ContactProblem> CollectProblems(const std::string& name, const RunPlan& plan, int first, int every);

/// So many iterations, whatever they reach.
SolveSettings Iterations(int count);

/// What a scene holds in memory after its steps: simulator, solver, problem and results, and the size of it all.
struct SceneMemory {
  double bytes = 0;  ///< NaN where the C library does not say
  double bodies = 0, dofs = 0, contacts = 0;
};
SceneMemory MeasureSceneMemory(const std::string& name, const RunPlan& plan);

}  // namespace tactus::cli
