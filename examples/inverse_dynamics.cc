// Which motor torques do a task through contacts, if nobody says which contacts stick, slide or open?
//
// Here: a block of 2 kg on a table, friction 0.5, that a robot holds by two motors, one pushing along x, one along z.
// We ask for velocities and let the solver find out what the contact does. With your own robot the matrices come from
// its mass matrix M and Jacobians (docs/inverse.md): A = J_e M^-1 J_a^T, B = J_e M^-1 J_c^T, C = J_c M^-1 J_a^T, D =
// J_c M^-1 J_c^T, b = J_e v_free - target, g = J_c v_free + (0, 0, gap/h).

#include <cstdio>

#include <tactus/inverse/qpcc_solver.h>

namespace {

constexpr double kStep = 0.001, kMass = 2, kGravity = 9.81;

// Wanted: velocities of the block along x and z [m/s], after one step from rest.
tactus::QpccProblem MakeProblem(double along_x, double along_z) {
  tactus::QpccProblem p;
  p.Resize(2, 2, 1, tactus::QpccKind::Ncp);  // two task rows, two motors, one contact
  p.A.diagonal().setConstant(1 / kMass);
  p.B(0, 0) = p.B(1, 2) = 1 / kMass;  // x_c = [t1, t2, n]: t1 acts along x, n along z
  p.b << -along_x, -kStep * kGravity - along_z;
  p.C(0, 0) = p.C(2, 1) = 1 / kMass;
  p.D.diagonal().setConstant(1 / kMass);
  p.g[2] = -kStep * kGravity;  // the gap is 0
  p.mu[0] = 0.5;
  p.lower.setConstant(-60 * kStep);  // motors of 60 N, as impulses
  p.upper.setConstant(60 * kStep);
  return p;
}

const char* Describe(tactus::ContactMode mode) {
  return mode == tactus::ContactMode::Open ? "opens" : mode == tactus::ContactMode::Stick ? "sticks" : "slides";
}

}  // namespace

int main() {
  tactus::QpccWorkspace workspace;  // memory, reused from solve to solve
  tactus::QpccSolution solution;
  bool good = true;
  const double wanted[3][2] = {{0.01, 0}, {0, 0.02}, {0, 0}};
  for (const auto& [along_x, along_z] : wanted) {
    const tactus::QpccProblem problem = MakeProblem(along_x, along_z);
    // In a control loop: QpccSettings::RealTime(), and the last solution in place of nullptr.
    const tactus::QpccReport report = tactus::SolveQpcc(problem, {}, nullptr, &workspace, &solution);
    std::printf("wanted %.3f, %.3f m/s: the contact %s, motors %.2f and %.2f N, task missed by %.1e (%s)\n", along_x,
                along_z, Describe(solution.modes[0]), solution.actuation[0] / kStep, solution.actuation[1] / kStep,
                report.loss, tactus::ToString(report.status));
    good = good && report.feasible() && report.loss < 1e-12;
  }
  return good ? 0 : 1;
}
