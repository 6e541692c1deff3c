// What a step says about itself.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tactus/collision/contact_point.h"
#include "tactus/solvers/contact_solver.h"

namespace tactus {

/// Seconds of a step's stages.
struct StageTimes {
  double control = 0, kinematics = 0, collision = 0, assembly = 0, solve = 0, integration = 0;
  double total() const { return control + kinematics + collision + assembly + solve + integration; }
  void operator+=(const StageTimes& other);
};

enum class StepStatus {
  Ok,            ///< the contact problem was solved to the tolerance
  Inaccurate,    ///< it was not: the state moved on with the best iterate, see StepReport::solve
  SolverFailed,  ///< nothing moved: the solver was cancelled, or it failed and the policy says stop
  InvalidState,  ///< nothing moved: numbers are not finite or the mass matrix not positive definite
};
const char* ToString(StepStatus status);

struct StepReport {
  StepStatus status = StepStatus::InvalidState;
  std::string message;          ///< why it is not Ok
  double time = 0;              ///< at the end of the step [s]
  int contacts = 0;             ///< given to the solver
  int candidates = 0;           ///< found; the others cannot act in this step
  int merged = 0;               ///< points that clustering merged into others
  int rows = 0;                 ///< of constraints
  int solves = 0;               ///< contact problems solved: relinearisation, activated contacts, retries, Newton steps
  int newton_steps = 0;         ///< of fully implicit integration of deformables
  int activated = 0;            ///< contacts that were left out at first, then turned out to act
  int missed = 0;               ///< contacts that turned out to act too late to be solved for
  bool retried = false;         ///< with the stronger solver
  bool implicit_step = false;   ///< the midpoint rule gave way to theta = 0 because of an impact
  int withdrawn = 0;            ///< linearisations that were given up: their contacts contradicted each other
  bool uncorrected = false;     ///< overlaps were left as they are: undoing them contradicted itself
  double max_penetration = 0;   ///< deepest overlap at the start of the step [m]
  SolveReport solve;            ///< of the last solve
  int solver_iterations = 0;    ///< outer iterations of all solves
  int solver_newton_steps = 0;  ///< linear systems solved by all of them, 0 for first-order methods
  double solver_time = 0;       ///< of all solves, judging left out [s]
  double solver_cpu_time = 0;   ///< processor time of the same [s]
  StageTimes stages;

  /// Adds a solve to those of the step.
  void Count(const SolveReport& report) {
    ++solves;
    solver_iterations += report.iterations;
    solver_newton_steps += report.newton_steps;
    solver_time += report.time;
    solver_cpu_time += report.cpu_time;
  }
  bool moved() const { return status == StepStatus::Ok || status == StepStatus::Inaccurate; }
};

/// Which point of a deformable: a node, a rod's segment (the point goes with it), or a place between nodes.
struct DeformablePoint {
  int count = 0;  ///< of items, 1 to 3; 0: no deformable
  std::array<int, 3> items{};
  std::array<double, 3> weights{};  ///< sum 1
};

/// A contact of the last step.
struct ContactState {
  int object_a = -1, object_b = -1;  ///< Simulator::objects()
  DeformablePoint point_a, point_b;  ///< of objects that deform
  ContactPoint geometry;
  Matrix3 frame = Matrix3::Identity();  ///< rows t1, t2, n in world axes
  double friction1 = 0, friction2 = 0;  ///< along t1 and t2
  double restitution = 0;
  double stiffness = kInfinity, damping = 0;  ///< infinite: rigid [N/m, N s/m]
  Vector3 impulse = Vector3::Zero();          ///< on a, in the frame [N s]; divided by the step it is the mean force
  Vector3 velocity = Vector3::Zero();         ///< of a's surface relative to b's, in the frame [m/s]
  bool active = false;                        ///< given to the solver
  ContactMode mode = ContactMode::Open;       ///< ContactSolution::modes

  Vector3 impulse_W() const { return frame.transpose() * impulse; }
};

}  // namespace tactus
