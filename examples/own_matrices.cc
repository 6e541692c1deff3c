// Your own dynamics library gives you A (or M), b, J and e as matrices; tactus solves the contacts.
//
// Here: two blocks of 1 kg and 3 kg, moving along x, y, z without rotation, the light one on top of the heavy one, the
// heavy one on the floor. The lower block is pulled sideways by a motor that cannot push harder than its limit.

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include <tactus/contact/contact_problem.h>
#include <tactus/contact/ncp_residual.h>
#include <tactus/solvers/registry.h>

int main() {
  using tactus::MatrixX;
  using tactus::VectorX;
  const double h = 0.01, gravity = 9.81;

  // A v = b + J^T lambda. v = [upper x y z, lower x y z]; both are at rest, so b is h times gravity's force.
  const MatrixX A = (VectorX(6) << 1, 1, 1, 3, 3, 3).finished().asDiagonal();
  const VectorX b = (VectorX(6) << 0, 0, -1 * gravity * h, 0, 0, -3 * gravity * h).finished();

  // J: three rows a contact, [t1, t2, n] with the normal last, then one row for each scalar law.
  MatrixX J = MatrixX::Zero(7, 6);
  J.block(0, 0, 3, 3).setIdentity();               // upper block relative to ...
  J.block(0, 3, 3, 3) = -MatrixX::Identity(3, 3);  // ... the lower one
  J.block(3, 3, 3, 3).setIdentity();               // lower block relative to the floor
  J(6, 3) = 1;                                     // the motor: the lower block's velocity along x
  VectorX e = VectorX::Zero(7);                    // e: gap / h for open contacts, 0 for closed ones
  e[6] = -0.5;                                     // the motor wants J v + e = 0: 0.5 m/s

  const std::vector<tactus::Friction> friction = {0.3, 0.1};                       // upper on lower, lower on floor
  const std::vector<tactus::RowLaw> laws = {tactus::RowLaw::DryFriction(30 * h)};  // rigid, but at most 30 N
  const tactus::ContactProblem problem = tactus::ContactProblem::FromMatrices(A, b, J, e, friction, laws);

  // Any solver of `tactus solvers`, by its name.
  const std::unique_ptr<tactus::ContactSolver> solver = tactus::MakeSolver("hybrid");
  tactus::ContactSolution solution;
  const tactus::SolveReport report = solver->Solve(problem, &solution);
  std::printf("%s: %s\n", report.solver.c_str(), tactus::ToString(report.status));
  std::printf("upper block %.4f m/s, lower block %.4f m/s, motor %.4f N s of %.4f N s\n", solution.velocity[0],
              solution.velocity[3], solution.impulse[6], 30 * h);

  // The judge looks at a problem and any impulses, whoever computed them: here also at those of doing nothing.
  std::printf("%s", report.residual.Summary().c_str());
  const tactus::NcpResidual nothing = tactus::CalcNcpResidual(problem, VectorX::Zero(problem.size()));
  std::printf("without any impulse natural_rho would be %.2f\n", nothing.natural_rho);

  // By hand: the upper block slides, so friction gives it 0.3 g h; the lower one gets the motor's 30 N less both
  // frictions.
  const double upper = 0.3 * gravity * h, lower = (30 - 0.3 * gravity - 0.1 * 4 * gravity) * h / 3;
  const double error = std::abs(solution.velocity[0] - upper) + std::abs(solution.velocity[3] - lower);
  std::printf("difference from the answer by hand: %s\n", error < 1e-7 ? "below 1e-7 m/s" : "too large");
  return report.solved() && error < 1e-7 ? 0 : 1;
}
