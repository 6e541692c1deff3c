#include "apps/cli/report/claims.h"

namespace tactus::cli {

namespace {

using enum Claim::Test;

constexpr const char* kMeshes = "our robots are built anew, with meshes, walls and samples of their own";
constexpr const char* kUnits = "measures of ours are relative, the paper's in mm and N s";
constexpr const char* kGoals =
    "a run counts if it met all goals of its scene, some of which are ours; bars that were missed are listed";
constexpr const char* kCycle = "the slowest hundredth of the solves, on one thread of a machine that others share";
constexpr const char* kTrack =
    "the scene is built anew, with friction, gains and a path of its own, and the worst moment is judged";
constexpr const char* kSolveTime = "another machine; meshes and contacts of our robots are not the paper's";
constexpr const char* kIpopt = "our problems are not the paper's, and Ipopt has exact derivatives of them";
constexpr const char* kActiveSet =
    "our active-set method is a heuristic that solves over the actuators alone, and is very fast";

}  // namespace

PaperClaims MakeClaims004() {
  return {
      "004",
      {
          {"Fig. 6", "sanding in simulation: the force while sliding is kept (read as 5 %) [%]", "inverse",
           "franka-sanding: worst error of the force while sliding", "", 5, AtMost, kTrack},
          {"Fig. 6", "sanding: runs that met all goals", "inverse", "franka-sanding: runs that met all goals", "", 1,
           AtLeast, kGoals},
          {"Fig. 6", "sanding: a solve fits into the control cycle of 1 ms, 99 % [ms]", "inverse",
           "franka-sanding: solve of a control step, 99 %", "", 1, AtMost, kCycle},
          {"Fig. 6", "sanding on the real robot", "", "", "", 0, Laboratory, "the arm, its force sensor and the table"},
          {"Fig. 7", "jump: runs that met all goals (contact is broken by itself)", "inverse",
           "go2-jump: runs that met all goals", "", 1, AtLeast, kGoals},
          {"Fig. 7", "jump: a solve fits into the control cycle of 1 ms, 99 % [ms]", "inverse",
           "go2-jump: solve of a control step, 99 %", "", 1, AtMost, kCycle},

          {"Table II", "trunk: contacts, median", "inverse", "trunk (*): contacts, median", "", 57, Near, kMeshes},
          {"Table II", "trunk: contacts, most", "inverse", "trunk (*): contacts, max", "", 65, Near, kMeshes},
          {"Table II", "tower: contacts, median", "inverse", "tower (*): contacts, median", "", 101, Near, kMeshes},
          {"Table II", "tower: contacts, most", "inverse", "tower (*): contacts, max", "", 305, Near, kMeshes},
          {"Table II", "quadrupod: contacts, median", "inverse", "quadrupod (*): contacts, median", "", 119, Near,
           kMeshes},
          {"Table II", "quadrupod: contacts, most", "inverse", "quadrupod (*): contacts, max", "", 181, Near, kMeshes},

          {"Fig. 9", "trunk, no friction: task error below 1 mm, median [mm]", "inverse",
           "trunk lcp by alm-activate, *: task error of its actuation, median", "", 1, AtMost, kMeshes},
          {"Fig. 9", "tower, no friction: task error below 1 mm, median [mm]", "inverse",
           "tower lcp by alm-activate, *: task error of its actuation, median", "", 1, AtMost, kMeshes},
          {"Fig. 9", "quadrupod, no friction: task error below 1 mm, median [mm]", "inverse",
           "quadrupod lcp by alm-activate, *: task error of its actuation, median", "", 1, AtMost, kMeshes},
          {"Fig. 9", "trunk: time over that of the active-set method", "inverse",
           "trunk lcp by alm-activate, *: time, median", "trunk lcp by active-set, *: time, median", 1, AtMost,
           kActiveSet},
          {"Fig. 9", "tower: time over that of the active-set method", "inverse",
           "tower lcp by alm-activate, *: time, median", "tower lcp by active-set, *: time, median", 1, AtMost,
           kActiveSet},
          {"Fig. 9", "quadrupod: time over that of the active-set method", "inverse",
           "quadrupod lcp by alm-activate, *: time, median", "quadrupod lcp by active-set, *: time, median", 1, AtMost,
           kActiveSet},

          {"Table III", "trunk: primal feasibility", "inverse", "trunk lcp by alm-activate, *: primal, mean", "", 0.737,
           OtherUnits, kUnits},
          {"Table III", "tower: primal feasibility", "inverse", "tower lcp by alm-activate, *: primal, mean", "", 0.947,
           OtherUnits, kUnits},
          {"Table III", "quadrupod: primal feasibility", "inverse", "quadrupod lcp by alm-activate, *: primal, mean",
           "", 0.817, OtherUnits, kUnits},
          {"Table III", "trunk: dual feasibility", "inverse", "trunk lcp by alm-activate, *: dual, mean", "", 0.259,
           OtherUnits, kUnits},
          {"Table III", "tower: dual feasibility", "inverse", "tower lcp by alm-activate, *: dual, mean", "", 0.133,
           OtherUnits, kUnits},
          {"Table III", "quadrupod: dual feasibility", "inverse", "quadrupod lcp by alm-activate, *: dual, mean", "",
           0.323, OtherUnits, kUnits},
          {"Table III", "trunk: complementarity", "inverse", "trunk lcp by alm-activate, *: complementarity, mean", "",
           0.0554, OtherUnits, kUnits},
          {"Table III", "tower: complementarity", "inverse", "tower lcp by alm-activate, *: complementarity, mean", "",
           0.00599, OtherUnits, kUnits},
          {"Table III", "quadrupod: complementarity", "inverse",
           "quadrupod lcp by alm-activate, *: complementarity, mean", "", 0.0862, OtherUnits, kUnits},
          {"Table III",
           "trunk: the active-set method has the smaller primal measure, its own over that of alm-activate", "inverse",
           "trunk lcp by active-set, *: primal, mean", "trunk lcp by alm-activate, *: primal, mean", 1.52e-5 / 0.737,
           AtMost, "our answers end with a forward solve, and obey the dynamics to rounding as well"},
          {"Table III", "Gurobi violates the constraints", "", "", "", 0, NotRebuilt,
           "Gurobi is a commercial program; `miqp`, branch and bound of our own, stands in its place in the suite"},

          {"Table IV", "trunk, tolerance a hundredth: primal measure, ratio", "inverse",
           "trunk lcp, * problems, sweeps alone to 0.0001: primal, mean",
           "trunk lcp, * problems, sweeps alone to 0.01: primal, mean", 8.91e-3 / 0.737, AtMost,
           "sweeps end at their greatest number on some problems"},
          {"Table IV", "trunk, tolerance a hundredth: time, ratio", "inverse",
           "trunk lcp, * problems, sweeps alone to 0.0001: time, mean",
           "trunk lcp, * problems, sweeps alone to 0.01: time, mean", 96.1 / 1.82, AtMost,
           "sweeps end at their greatest number on some problems"},
          {"Table IV", "trunk, to 1 mm: time [ms]", "inverse",
           "trunk lcp, * problems, sweeps alone to 0.01: time, mean", "", 1.82, AtMost, "another machine"},

          {"Fig. 10", "trunk with friction: task error below 1 mm, median [mm]", "inverse",
           "trunk ncp by alm-activate, *: task error of its actuation, median", "", 1, AtMost, kMeshes},
          {"Fig. 10", "tower with friction: task error below 1 mm, median [mm]", "inverse",
           "tower ncp by alm-activate, *: task error of its actuation, median", "", 1, AtMost, kMeshes},
          {"Fig. 10", "quadrupod with friction: task error below 1 mm, median [mm]", "inverse",
           "quadrupod ncp by alm-activate, *: task error of its actuation, median", "", 1, AtMost, kMeshes},
          {"Fig. 10", "trunk: a solve takes 0.1 to 0.2 s [ms]", "inverse", "trunk ncp, *: ours alone: time, median", "",
           150, AtMost, kSolveTime},
          {"Fig. 10", "tower: a solve takes 0.1 to 0.2 s [ms]", "inverse", "tower ncp, *: ours alone: time, median", "",
           150, AtMost, kSolveTime},
          {"Fig. 10", "quadrupod: a solve takes 0.1 to 0.2 s [ms]", "inverse",
           "quadrupod ncp, *: ours alone: time, median", "", 150, AtMost, kSolveTime},
          {"Fig. 10", "trunk: time over that of Ipopt", "inverse",
           "trunk ncp, * problems: time of ours over that of ipopt, medians", "", 1, AtMost, kIpopt},
          {"Fig. 10", "tower: time over that of Ipopt", "inverse",
           "tower ncp, * problems: time of ours over that of ipopt, medians", "", 1, AtMost, kIpopt},
          {"Fig. 10", "quadrupod: time over that of Ipopt", "inverse",
           "quadrupod ncp, * problems: time of ours over that of ipopt, medians", "", 1, AtMost, kIpopt},

          {"Fig. 12", "sliding cube, on its way: error below 1 mm [mm]", "inverse",
           "sliding-cube: greatest error of the task", "", 1, AtMost, kTrack},
          {"Fig. 12", "sliding cube, exponential: no overshoot, runs that met all goals", "inverse",
           "sliding-cube, exponential: runs that met all goals", "", 1, AtLeast, kGoals},
          {"Fig. 14", "quadrupod moves a ball: error below 1 mm [mm]", "inverse",
           "soft-quadrupod: greatest error of the task while judged", "", 1, AtMost,
           "the ball rolls on our legs; goals are judged at their own bars"},
          {"Fig. 14", "quadrupod, exponential: error below 1 mm [mm]", "inverse",
           "soft-quadrupod, exponential: greatest error of the task while judged", "", 1, AtMost,
           "the ball rolls on our legs; goals are judged at their own bars"},
          {"Fig. 15", "finger: free, sticking, sliding; runs that met all goals", "inverse",
           "soft-finger: runs that met all goals", "", 1, AtLeast, kGoals},
      },
  };
}

}  // namespace tactus::cli
