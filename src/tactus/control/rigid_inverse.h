// One control step of a rigid robot as a problem of contact-implicit inverse dynamics (QpccProblem; paper 004, Table I,
// where J_e must read J_c in C, D and g).
//
// With semi-implicit Euler over the control period h, (M + h D_j) v_next = M v - h c + S^T x_a + J_c^T x_c, c = C v +
// g, D_j the damping of joints, S the selection of motors and x_a = h tau. So with N = (M + h D_j)^{-1}
//
//     v_free = N (M v - h c),   C = J_c N S^T,   D = J_c N J_c^T,   g = J_c v_free + (0, 0, gap/h),
//
// where J_c is taken at q_a = q (+) h v, where the step ends as far as is known: J(q_a) v_next = 0 is then the velocity
// with which a contact stays closed at the end of the step, J' v included. With J(q) a ball that slides at 0.4 m/s was
// pressed with 5 % too much force. A task of motion with rows w (J v_next - v_d) gives A = w J N S^T, B = w J N J_c^T,
// b = w (J v_free - v_d), J at q_a too. A target of forces on a link is B = w/h (sum of its contacts), one of torques
// is A = w/h. Floating bases are dofs without motor.
#pragma once

#include <vector>

#include "tactus/control/task.h"
#include "tactus/inverse/qpcc_problem.h"
#include "tactus/inverse/qpcc_solution.h"
#include "tactus/simulation/step_report.h"

namespace tactus {

/// A place where the robot, or something it acts on, touches or may touch.
struct ContactCandidate {
  int link_a = -1, link_b = -1;         ///< Model::links(), -1: the world
  int body_a = -1, body_b = -1;         ///< of the model, -1: fixed
  Vector3 point = Vector3::Zero();      ///< at q_a [m]
  Matrix3 frame = Matrix3::Identity();  ///< at q_a: rows t1, t2, n in world axes, n from b towards a
  double gap = 0;                       ///< at q [m]; overlaps count as none
  double friction = 0;
};

/// The robot in a world.
struct RobotDescription {
  std::vector<int> motors;     ///< dofs of joints of one dof
  std::vector<double> effort;  ///< of motors, > 0, may be infinite [N m, N]
  /// Dofs that something else holds where they are (grippers on drives): they count as heavy.
  std::vector<int> held;

  void Validate(const Model& model) const;  ///< throws InputError
};

class RigidInverse {
 public:
  /// The model must outlive this. Throws InputError.
  RigidInverse(const Model& model, const RobotDescription& robot);

  /// The problem of a control step of length h from `state`. Tasks that do not count at the state's time are left out.
  /// False if M is not positive definite or something is not finite. Allocates nothing once it has seen as many
  /// contacts and tasks.
  [[nodiscard]] bool Assemble(const State& state, double h, const std::vector<TaskTerm>& tasks,
                              const std::vector<ContactCandidate>& contacts);

  const QpccProblem& problem() const { return problem_; }
  /// v_next of an answer to the problem.
  void CalcNextVelocity(const QpccSolution& solution, VectorX* v_next) const;
  /// Length of the task's error at the state of the last Assemble: [m, rad], for forces those of the answer [N]; NaN
  /// if the task did not count.
  double CalcTaskError(const std::vector<TaskTerm>& tasks, std::size_t task, const QpccSolution& solution) const;

  const RobotDescription& robot() const { return robot_; }

 private:
  struct TaskRows {
    int first = 0, count = 0;
    double error = 0;
  };
  bool CalcDynamics(const State& state, double h);
  void FillContacts(const std::vector<ContactCandidate>& contacts, double h);
  void FillMotion(const State& state, const TaskTerm& term, double h, TaskRows* rows);
  void FillForce(const TaskTerm& term, const std::vector<ContactCandidate>& contacts, double time, double h,
                 const TaskRows& rows);
  void FillTorque(const TaskTerm& term, double time, double h, const TaskRows& rows);

  const Model& model_;
  RobotDescription robot_;
  std::vector<bool> of_robot_;  // bodies
  ModelData data_, ahead_;      // at q, and at q_a
  VectorX bias_, v_free_, momentum_, v_;
  RowMatrixX J_c_;  // 3 contacts x nv
  MatrixX N_;       // nv x (motors + rows): N [S^T, J_c^T]
  Matrix6X J_, J_b_;
  TaskMotion motion_, motion_ahead_;
  VectorX q_ahead_;
  std::vector<TaskRows> rows_;  // of tasks
  double h_ = 0;
  QpccProblem problem_;
};

}  // namespace tactus
