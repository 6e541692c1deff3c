// A box is thrown flat on a floor: which impulses stop it, and how does it slide on?
//
// One step of semi-implicit Euler, with everything in SI units and world axes: A is the box's inertia, b its momentum
// after gravity has acted for h seconds, and every corner of the lower face is a contact with the floor.

#include <cstdio>

#include <tactus/contact/contact_problem.h>
#include <tactus/solvers/hybrid/hybrid_solver.h>

namespace {

const char* ToText(tactus::ContactMode mode) {
  switch (mode) {
    case tactus::ContactMode::Open: return "open";
    case tactus::ContactMode::Stick: return "stick";
    case tactus::ContactMode::Slip: return "slip";
  }
  return "?";
}

tactus::ContactProblem MakeProblem() {
  const double mass = 2, size = 0.2, h = 0.01, gravity = 9.81, mu = 0.4;
  const tactus::Vector3 centre(0, 0, 0.5 * size);

  tactus::Matrix6 inertia = tactus::Matrix6::Zero();  // about the centre, for V = [velocity; angular velocity]
  inertia.diagonal().head<3>().setConstant(mass);
  inertia.diagonal().tail<3>().setConstant(mass * size * size / 6);
  tactus::Vector6 velocity;
  velocity << 1.5, 0, -0.5, 0, 0, 2;  // forward, down, and spinning about the vertical
  velocity[2] -= h * gravity;

  tactus::ContactProblemBuilder builder;
  const tactus::BodyIndex box = builder.AddFreeBody(inertia, inertia * velocity, centre, "box");
  const tactus::Matrix3 frame = tactus::Matrix3::Identity();  // rows t1, t2, n: the normal is up, from floor to box
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      const tactus::Vector3 corner(x * size, y * size, 0);
      const double gap = 0;  // the corner touches; above the floor it would be its height
      builder.AddContact(box, tactus::kWorld, corner, frame, mu, tactus::Vector3(0, 0, gap / h));
    }
  }
  return builder.Build();
}

}  // namespace

int main() {
  const tactus::ContactProblem problem = MakeProblem();
  tactus::HybridSolver solver;
  tactus::ContactSolution solution;
  const tactus::SolveReport report = solver.Solve(problem, &solution);

  std::printf("%s, natural_rho %.1e\n", tactus::ToString(report.status), report.residual.natural_rho);
  std::printf("contact  mode    impulse [N s]: t1       t2       n   velocity [m/s]: t1       t2       n\n");
  for (int i = 0; i < problem.num_contacts(); ++i) {
    const tactus::Vector3 impulse = solution.impulse.segment<3>(3 * i), sigma = solution.sigma.segment<3>(3 * i);
    std::printf("%7d  %-6s %17.4f %8.4f %7.4f %19.4f %8.4f %7.4f\n", i, ToText(solution.modes[i]), impulse[0],
                impulse[1], impulse[2], sigma[0], sigma[1], sigma[2]);
  }
  const tactus::VectorX& v = solution.velocity;
  std::printf("box: velocity (%.4f, %.4f, %.4f) m/s, angular velocity (%.4f, %.4f, %.4f) rad/s\n", v[0], v[1], v[2],
              v[3], v[4], v[5]);
  return report.solved() ? 0 : 1;
}
