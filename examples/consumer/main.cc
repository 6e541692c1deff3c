// A small program that uses an installed tactus: a point mass falls on a floor and slides.

#include <cmath>
#include <cstdio>
#include <cstring>

#include <tactus/contact/contact_problem.h>
#include <tactus/solvers/registry.h>
#include <tactus/version.h>

int main() {
  std::printf("tactus %s\n", tactus::LibraryVersion());
  if (std::strcmp(tactus::LibraryVersion(), TACTUS_VERSION_STRING) != 0) return 1;  // headers of another version

  // 2 kg, falling at 1 m/s and moving along x at 3 m/s; one contact with mu = 0.5 whose frame is the world's.
  const tactus::MatrixX A = 2 * tactus::MatrixX::Identity(3, 3), J = tactus::MatrixX::Identity(3, 3);
  const tactus::VectorX b = A * tactus::Vector3(3, 0, -1);
  const auto problem = tactus::ContactProblem::FromMatrices(A, b, J, tactus::Vector3::Zero(), {0.5});

  tactus::ContactSolution solution;
  const tactus::SolveReport report = tactus::MakeSolver("hybrid")->Solve(problem, &solution);
  std::printf("%s, natural_rho %.1e\nvelocity (%.6f, %.6f, %.6f) m/s\n", tactus::ToString(report.status),
              report.residual.natural_rho, solution.velocity[0], solution.velocity[1], solution.velocity[2]);

  // By hand: the floor stops the fall with 2 N s, and friction takes half of that, 0.5 m/s, from the sliding.
  const double error = (solution.velocity - tactus::Vector3(2.5, 0, 0)).norm();
  return report.solved() && error < 1e-7 ? 0 : 1;
}
