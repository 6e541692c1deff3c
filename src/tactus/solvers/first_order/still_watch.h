// The stopping test of paper 001, for comparisons with its tables.
#pragma once

#include "tactus/contact/contact_problem.h"

namespace tactus {

/// What a solve that ended so says.
inline constexpr const char* kStoppedStill =
    "stopped where an iteration moved velocities by less than `still`, which says nothing of the error";

/// Whether an iteration has moved the velocities A^{-1} J^T lambda by less than a threshold [m/s, norm over all dofs].
/// It says nothing of the error, as small steps pass for convergence. Each look solves with A.
class StillWatch {
 public:
  /// `threshold` 0: never.
  void Start(const ContactProblem& problem, double threshold, const VectorX& lambda);
  /// True if they moved by less since Start or the last call.
  bool Check(const ContactProblem& problem, const VectorX& lambda);

 private:
  double threshold_ = 0;
  VectorX last_, change_;
};

}  // namespace tactus
