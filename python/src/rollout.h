// Many independent simulations of one model, on several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "python/src/python_model.h"

namespace tactus::python {

/// What to simulate. Arrays are C-contiguous; null: left out.
struct RolloutJob {
  std::int64_t count = 0, steps = 0;  ///< N, T
  const double* states = nullptr;     ///< N x width; null: the scene's start
  std::int64_t width = 0;             ///< nq + nv, or nstate: with deformables
  const double* controls = nullptr;   ///< N x T x nu, or T x nu
  bool shared_controls = false;       ///< T x nu for all
  int threads = 1;
  // Results.
  double* out_states = nullptr;       ///< N x T x width
  std::int8_t* out_status = nullptr;  ///< N x T: StepStatus, -1: not simulated
  double* out_residual = nullptr;     ///< N x T
  double* out_sensors = nullptr;      ///< N x T x nsensordata
};

/// Why a simulation ended early.
struct RolloutFailure {
  std::int64_t index = 0, step = 0;
  std::string message;
};

struct RolloutOutcome {
  std::vector<RolloutFailure> failures;  ///< sorted by index
  int refused_threads = 0;               ///< that the system did not give
};

/// Runs on the caller's thread and others, which are kept for the next call; `watch` is called by the caller every few
/// hundredths of a second and at the end with the number of steps done, and ends it all by returning false. What is
/// computed does not depend on the number of threads. What is not simulated is left as it was given.
RolloutOutcome RunRollout(const PyModel& model, const RolloutJob& job, const std::function<bool(std::int64_t)>& watch);

struct BatchOutcome {
  std::vector<StepReport> reports;  ///< of the last step of each
  int refused_threads = 0;
};

/// The same number of steps of each of several data; they are in use by the caller.
BatchOutcome StepAll(const std::vector<PyData*>& data, std::int64_t steps, int threads,
                     const std::function<bool(std::int64_t)>& watch);

}  // namespace tactus::python
