// Inverse problems of a soft robot in many configurations of contact, for benchmarks (paper 004, section IV-B:
// "sampled along actuation trajectories that explore the robot's contact space through extremal actuation sequences").
#pragma once

#include <cstdint>
#include <functional>

#include "tactus/control/soft_inverse.h"

namespace tactus {

struct SoftSampleSettings {
  int count = 150;             ///< of problems, >= 1
  std::uint64_t seed = 1;      ///< of extremes and goals
  int ramp = 20;               ///< control steps from one extreme of the inputs to the next, >= 1
  int hold = 10;               ///< control steps for which each is held, >= 0
  int every = 3;               ///< control steps from problem to problem, >= 1
  int least_contacts = 1;      ///< configurations with fewer are passed over, >= 0
  int most_contacts = 100000;  ///< likewise with more
  /// After so many samples in a row that were passed over, the robot starts anew: what it held may have got lost; >= 1.
  int patience = 15;
  double reach = 3e-3;      ///< goals are up to this far from where the effector goes by itself [m], >= 0
  int most_steps = 100000;  ///< control steps, after which it gives up, >= 1

  void Validate() const;  ///< throws InputError
};

/// One sample; references are valid during the call.
struct SoftSample {
  int number = 0;   ///< from 0
  int step = 0;     ///< of control
  double time = 0;  ///< of the simulation [s]
  const QpccProblem& problem;
  const SoftInverse& inverse;
};

/// Drives all actuators of a simulator that has no controllers from one random corner of their bounds to the next, and
/// gives a problem every few control steps. Goals are drawn about where effectors go with the velocities they have.
/// Returns the number of samples, which is less than `count` if most_steps were not enough or a step failed.
int SampleSoftProblems(const SoftSampleSettings& settings, Simulator* simulator, SoftInverse* inverse,
                       const std::function<void(const SoftSample&)>& take);

}  // namespace tactus
