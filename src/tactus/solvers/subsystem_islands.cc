#include "tactus/solvers/subsystem_islands.h"

#include <algorithm>
#include <numeric>

namespace tactus {

int SubsystemIslands::Find(int subsystem) {
  while (root_[subsystem] != subsystem) subsystem = root_[subsystem] = root_[root_[subsystem]];
  return subsystem;
}

void SubsystemIslands::Join(int a, int b) {
  a = Find(a);
  b = Find(b);
  root_[std::max(a, b)] = std::min(a, b);
}

void SubsystemIslands::Build(const ContactProblem& problem) {
  root_.resize(problem.has_dynamics() ? problem.mass().num_subsystems() : 1);
  std::iota(root_.begin(), root_.end(), 0);
  if (!problem.has_dynamics()) return;
  int first = 0;  // that the Jacobian is needed for
  if (problem.has_geometry()) {
    first = problem.num_contacts();
    for (const ContactGeometry& g : problem.geometry()) {
      if (g.a != kWorld && g.b != kWorld) Join(problem.bodies()[g.a].subsystem, problem.bodies()[g.b].subsystem);
    }
  }
  const BlockRows& J = problem.jacobian();
  for (int i = first; i < problem.num_constraints(); ++i) {
    int last = -1;
    for (int k = 0; k < J.count(i); ++k) {
      const int subsystem = problem.mass().subsystem_of_dof(J.cols(i)[k]);
      if (subsystem == last) continue;
      if (last >= 0) Join(last, subsystem);
      last = subsystem;
    }
  }
}

}  // namespace tactus
