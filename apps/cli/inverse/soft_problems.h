// Inverse problems of the soft robots of scenes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tactus/control/soft_sampling.h"

namespace tactus::cli {

/// What a robot is made of: all deformables of its scene together.
struct SoftRobotSize {
  int nodes = 0, tets = 0, actuators = 0;
};

/// Problems along extremal actuation (SampleSoftProblems) of a scene with one controller of type `soft`, whose tasks,
/// margin and rate hold, with names and provenance. `set`: as `tactus run --set`. Throws InputError.
SoftRobotSize SampleSoftRobot(const std::string& scene, const std::vector<std::string>& set,
                              const SoftSampleSettings& settings, const std::function<void(const QpccProblem&)>& take);

}  // namespace tactus::cli
