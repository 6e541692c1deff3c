// A quadruped lands on its feet and stands: a model from a file, its time steps as contact problems, contacts by hand.
// (Collision detection will find the contacts; here the feet are spheres above a plane.)
#include <algorithm>
#include <cstdio>
#include <exception>

#include "tactus/dynamics/kinematics.h"
#include "tactus/io/data_folder.h"
#include "tactus/io/urdf.h"
#include "tactus/model/model.h"
#include "tactus/simulation/discrete_dynamics.h"
#include "tactus/solvers/hybrid/hybrid_solver.h"

namespace {

int Run() {
  tactus::UrdfSettings settings;
  settings.base = tactus::BaseType::Floating;
  const tactus::Model model(tactus::LoadUrdf(tactus::FindDataFolder("models") / "go2.urdf", settings));

  // Start in the air with bent legs. A floating joint's q is position and quaternion (w first), then come the joints.
  tactus::State state{model.MakeNeutral(), tactus::VectorX::Zero(model.nv()), 0};
  state.q[2] = 0.40;
  for (int leg = 0; leg < 4; ++leg) state.q.segment<3>(7 + 3 * leg) << 0.0, 0.8, -1.6;
  const tactus::VectorX wanted = state.q.tail(12);

  const double h = 1.0 / 240, foot_radius = 0.022, mu = 0.6;
  tactus::DiscreteDynamics dynamics({.step = h});
  const int robot = dynamics.AddModel(model);
  tactus::HybridSolver solver;
  tactus::ContactProblemBuilder builder;
  tactus::ContactSolution solution;
  double worst = 0;
  for (int step = 0; step <= 480; ++step) {
    // Joint torques of a spring and damper; the first six dofs are the body's and have no motor.
    tactus::VectorX tau = tactus::VectorX::Zero(model.nv());
    tau.tail(12) = 60 * (wanted - state.q.tail(12)) - 2 * state.v.tail(12);
    if (!dynamics.Update(robot, state, {.tau = &tau})) return 1;

    dynamics.AddSubsystems(&builder);
    for (const char* foot : {"FL_foot", "FR_foot", "RL_foot", "RR_foot"}) {
      const int link = model.FindLink(foot);
      const tactus::Vector3 centre = dynamics.data(robot).LinkPose(model, link).p;
      const double gap = centre[2] - foot_radius;
      const tactus::BodyIndex body = dynamics.AddBody(robot, model.links()[link].body, &builder);
      // Rows of the frame: two tangents, then the normal, up. A gap may close within the step, overlap opens slowly.
      builder.AddContact(body, tactus::kWorld, {centre[0], centre[1], 0}, tactus::Matrix3::Identity(), mu,
                         {0, 0, gap > 0 ? gap / h : 0.1 * gap / h});
    }
    const tactus::ContactProblem problem = builder.Build();
    const tactus::SolveReport report = solver.Solve(problem, &solution);
    if (!report.solved()) return 1;
    worst = std::max(worst, report.residual.natural_rho);
    if (step % 60 == 0) {
      double force = 0;
      for (int i = 0; i < problem.num_contacts(); ++i) force += solution.impulse[3 * i + 2] / h;
      std::printf("%5.2f s  height %.4f m, sinking at %7.4f m/s, feet carry %6.1f N\n", state.time, state.q[2],
                  -state.v[2], force);
    }
    dynamics.Advance(robot, solution.velocity, &state);
  }
  std::printf("it weighs %.1f N; worst residual of 481 steps %.1e\n", model.total_mass() * 9.81, worst);
  return 0;
}

}  // namespace

int main() {
  try {
    return Run();
  } catch (const std::exception& error) {  // files that are not there or not right
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
