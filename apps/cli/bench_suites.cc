// The table of suites.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "apps/cli/bench_suite.h"

namespace tactus::cli {

const std::vector<BenchSuite>& BenchSuites() {
  static const std::vector<BenchSuite> table = {
      {"solvers",
       "generated problems: how many are solved, how fast, against simpler methods",
       RunSolversSuite,
       {"100 seeds of bolts and dishes at three frictions, 20 of other families, FCLib files nine times each", 30},
       {"20 seeds of bolts and dishes at three frictions, 5 of other families, FCLib files three times each", 3}},
      {"micro",
       "hot kernels: time, accuracy, and how near they come to the machine's arithmetic and bandwidth",
       RunMicroSuite,
       {"31 rounds of 10 ms each", 15},
       {"11 rounds of 2 ms each", 4}},
      {"dynamics",
       "rigid-body dynamics: identities on random trees and robots, times of the algorithms",
       RunDynamicsSuite,
       {"200 random trees", 2},
       {"20 random trees", 1}},
      {"simulation",
       "scenes in time: known physics, momentum, reproducibility, large piles, times of the stages",
       RunSimulationSuite,
       {"240 to 480 steps of timed scenes, 300 of large ones", 100},
       {"60 to 120 steps of timed scenes, 30 of large ones", 6}},
      {"scenarios",
       "tasks of the papers: done or not, penetration, solvers under a budget, steps in dense contact",
       RunScenariosSuite,
       {"7 tasks (with several seeds also with one linearization a step), 100 single steps in dense contact, curves "
        "and "
        "ten times the hybrid's time on 25 of them",
        300, 750, 5},
       {"1 of 7 tasks, 4 single steps in dense contact (whole: 100), curves and ten times the hybrid's time on 3 "
        "(25), no tasks under a budget",
        7, 2, 1}},
      {"subadmm",
       "SubADMM: answers, splittings, baselines, growth with size, threads; what auto makes of it",
       RunSubadmmSuite,
       {"10 to 20 problems of six scenes, 8 and 27 robots, up to 9,261 spheres and 128 robots", 400},
       {"3 or 4 problems of four scenes, 8 robots, up to 343 spheres and 27 robots (whole: 9,261 and 128)", 10}},
      {"cond",
       "COND on soft mats and scenes: acceleration, stiffness, time beside other solvers, growth",
       RunCondSuite,
       {"mats of 1,477 nodes and up to 20,000; soft-gripper and cable-winding to their end", 950},
       {"mats of 300 nodes and up to 2,000 (whole: 1,477 and 20,000), smaller scenes, none to its end", 18}},
      {"baselines",
       "deformables in pieces beside other solvers (paper 002), penalty forces and XPBD (paper 001)",
       RunBaselinesSuite,
       {"cable of 640 segments over 100 steps, beam of 43 by 5 by 5 cells over 60, up to 1,280 segments", 480},
       {"cable of 160 segments and beam of 20 by 2 by 2 cells over 15 steps, 60 iterations only (whole: 640, 43 by 5 "
        "by 5, 100 and 60 steps), up "
        "to 320 segments",
        10}},
      {"inverse",
       "inverse dynamics: projections, global optima of small problems, times, other methods",
       RunInverseSuite,
       {"a million draws, 250 small problems a law, 60 of a quadruped's size, 5 seeds of controlled scenes; 150 "
        "problems of each soft robot, 20 of these by every method",
        1000},
       {"20,000 draws, 10 small problems a law (whole: 250), 10 of a quadruped's size (60), the trunk of three soft "
        "robots, 1 seed of 3 controlled "
        "scenes (5 seeds of 11)",
        16}},
      {"inverse-soft",
       "the part of inverse that is about soft robots: every method on the same problems",
       RunSoftInverseSuite,
       {"150 problems of each soft robot, ten of which every method gets, 2 seeds of controlled scenes", 400},
       {"2 problems of each soft robot (whole: 150), 1 seed of one controlled scene", 30}},
      {"deformables",
       "the papers' deformable scenes over 20 seeds: done or not, penetration, errors, times",
       RunDeformablesSuite,
       {"full meshes", 0, 210, 20},
       {"coarse meshes, the first 40 % of each scene, solvers on 2 problems a trial (6)", 0, 12, 1}},
      {"peers",
       "the same scenes in MuJoCo, Drake, Pinocchio, Bullet and DART: time a step, errors, time to an error",
       RunPeersSuite,
       {"scenes to their end, up to six time steps, at most 8 to 20 s a run", 900},
       {"one second of the smaller scenes at one time step, at most 1.5 s a run", 20}},
      {"fclib",
       "a folder of FCLib files: what every solver solves, performance profiles, Siconos beside them",
       RunFclibSuite,
       {"all problems there are", 120},
       {"at most 6 problems of all sizes up to 60 contacts, Siconos at 1e-8 only", 10}},
  };
  return table;
}

namespace {

const BenchExtent* FindExtent(const std::string& suite, bool quick) {
  const auto found =
      std::find_if(BenchSuites().begin(), BenchSuites().end(), [&](const BenchSuite& s) { return suite == s.name; });
  if (found == BenchSuites().end()) return nullptr;
  return quick ? &found->quick : &found->whole;
}

int CountTrials(const BenchExtent& extent, const BenchSettings& settings) {
  return extent.trials > 0 && settings.trials > 0 ? settings.trials : extent.trials;
}

}  // namespace

std::string DescribeBenchRun(const std::string& suite, const BenchSettings& settings) {
  const BenchExtent* extent = FindExtent(suite, settings.quick);
  if (extent == nullptr) return "";
  std::string out = fmt::format("{}: {}", settings.quick ? "quick" : "whole", extent->how);
  const int trials = CountTrials(*extent, settings), all = FindExtent(suite, false)->trials;
  if (trials > 0) out += fmt::format("; {} of each scene", trials == 1 ? "1 seed" : fmt::format("{} seeds", trials));
  if (trials > 0 && trials != all) out += fmt::format(" (by default {})", all);
  if (settings.soft_problems > 0) out += fmt::format("; {} problems of each soft robot", settings.soft_problems);
  if (settings.compared > 0) out += fmt::format("; {} of these by every method", settings.compared);
  if (!settings.only.empty()) out += fmt::format("; only '{}'", settings.only);
  return out;
}

double EstimateBenchSeconds(const std::string& suite, const BenchSettings& settings) {
  const BenchExtent* extent = FindExtent(suite, settings.quick);
  return extent == nullptr ? 0 : extent->seconds + extent->trial_seconds * CountTrials(*extent, settings);
}

}  // namespace tactus::cli
