// What a solve that was cut off may do to the bodies.
#pragma once

#include <vector>

#include "tactus/solvers/contact_solver.h"

namespace tactus {

/// Impulses of a solve that was cut off may be far too large, and would throw bodies about. Those of contacts, limits
/// and welds are scaled down until they do no work, lambda . sigma <= 0: then they take energy, lambda . sigma - lambda
/// . W lambda / 2, as the exact ones do, and stay within their cones. Springs and drives may give energy and are left
/// as they are. Each island of subsystems that touch is scaled by itself: a grasp that jams does not let a pile sink
/// that the hand does not touch.
class PassiveImpulses {
 public:
  void Limit(const ContactProblem& problem, VectorX* lambda, SolveReport* report);

 private:
  /// Islands of subsystems into root_; of a Delassus pair all constraints are one.
  void FindIslands(const ContactProblem& problem);
  int Find(int subsystem);
  /// The island of constraint i.
  int IslandOf(const ContactProblem& problem, int i);
  /// Work of the impulses to limit, by island, in the motion that `impulses` make.
  void CalcWork(const ContactProblem& problem, const VectorX& lambda, const VectorX& impulses,
                std::vector<double>* work);

  VectorX kept_, sigma_;
  std::vector<int> root_;  // of each subsystem; islands are named by theirs
  std::vector<double> with_, without_;
};

}  // namespace tactus
