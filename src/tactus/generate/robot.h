// A robot that touches its surroundings and itself: a tree of joints with its mechanism known, drives and limits.
#pragma once

#include "tactus/generate/generator.h"

namespace tactus {

struct RobotSettings {
  int dofs = 30;
  bool floating = true;  ///< the first six dofs are those of a body that moves freely; else it stands on the world
  double branch = 0.2;   ///< chance that a link hangs on any other link instead of the last; 0: a chain
  int contacts = 12;     ///< with the ground
  int self = 2;          ///< contacts between two of its links
  int ties = 0;          ///< links held by a spring along a random screw
  int couplings = 0;     ///< equalities of two joints' velocities
  bool drives = true;    ///< at every joint
  bool limits = true;    ///< at every third joint
  double mu = 0.5;
  double speed = 0.3;     ///< scale of random velocities [m/s, rad/s]
  double dt = 1.0 / 240;  ///< [s]
};

ContactProblem MakeRobot(const RobotSettings& settings, std::uint64_t seed);
GeneratorEntry MakeRobotEntry();

}  // namespace tactus
