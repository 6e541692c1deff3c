// What a solve that was cut off may do to the bodies.
#pragma once

#include <vector>

#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/subsystem_islands.h"

namespace tactus {

/// Impulses of a solve that was cut off may be far too large, and would throw bodies about. Those of contacts, limits
/// and welds are scaled down until they do no work, lambda . sigma <= 0: then they take energy, lambda . sigma - lambda
/// . W lambda / 2, as the exact ones do, and stay within their cones. Springs and drives may give energy and are left
/// as they are. Each island of subsystems that touch is scaled by itself: a grasp that jams does not let a pile sink
/// that the hand does not touch.
class PassiveImpulses {
 public:
  /// `work`, where it is known: lambda . sigma by constraint. If no island's is positive nothing else is computed.
  void Limit(const ContactProblem& problem, VectorX* lambda, SolveReport* report, const VectorX* work = nullptr);

 private:
  bool AddsEnergy(const ContactProblem& problem, const VectorX& work);
  /// The island of constraint i.
  int IslandOf(const ContactProblem& problem, int i);
  /// Work of the passive impulses by island, lambda . (J v + e), in the motion with them or with the others only.
  void CalcWork(const ContactProblem& problem, const VectorX& lambda, bool with_passive, std::vector<double>* work);

  VectorX passive_, others_;  // the impulses to limit, and those that are left as they are
  VectorX momentum_;          // J^T passive_
  VectorX motion_;            // v, of a Delassus pair sigma
  bool has_others_ = false;
  SubsystemIslands islands_;
  std::vector<double> with_, without_;
};

}  // namespace tactus
