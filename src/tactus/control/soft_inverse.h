// One control step of a soft robot as a problem of contact-implicit inverse dynamics (QpccProblem; paper 004, Table I).
//
// The step is the simulator's own (docs/deformables.md), linearised where it begins: with A and b of all that moves,
// deformables and rigid bodies alike, over the control period h,
//
//     A v = b + G x_a + J_c^T x_c.
//
// x_a   one number an actuator: h times tension or pressure [N s, Pa s], or the way of a motor in the step [m].
// G     J_a^T of cables and cavities at the start of the step; of motors, what the nodes they move do to the others.
//
// Compliances are W_ij = J_i A^{-1} J_j^T, with several right-hand sides a pass over the factor of A. The task asks for
// places of effectors at the end of the step, p = p_0 + h J_e v [m]:
//
//     A = h W_ea,  B = h W_ec,  b = p_0 + h J_e v_free - goal,   C = W_ca,  D = W_cc,  g = J_c v_free + (0, 0, gap/h).
//
// The goal of a step is where the task's target is at its end or, with a finite gain alpha, target + e/(1 + alpha h)
// with the present error e: the error decays exponentially (the paper's scheme divided by 1 + alpha h; its A and B lack
// the factor h).
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tactus/contact/delassus_matrix.h"
#include "tactus/control/soft_contacts.h"
#include "tactus/inverse/qpcc_problem.h"
#include "tactus/inverse/qpcc_solution.h"
#include "tactus/simulation/controllers.h"
#include "tactus/simulation/simulator.h"

namespace tactus {

/// A place that is to go somewhere: a mean of nodes of a deformable, or a point of a rigid body.
struct SoftTask {
  std::string name = "task";
  int deformable = -1;                            ///< Simulator::deformables(); -1: a link
  std::vector<int> items;                         ///< of the deformable: nodes, or segments
  int link = -1;                                  ///< Model::links(), if not of a deformable
  Vector3 point = Vector3::Zero();                ///< in the link's frame [m]
  std::array<bool, 3> axes = {true, true, true};  ///< world axes that count
  double weight = 1;                              ///< of its rows, > 0
  /// alpha, how fast an error decays [1/s], > 0; infinite: the target is to be met at the end of every step.
  double gain = std::numeric_limits<double>::infinity();
  Timeline target;  ///< three values a time: a place [m]

  void Validate(const Simulator& simulator) const;  ///< throws InputError
};

/// Where the effector of a task is [m].
Vector3 CalcEffectorPlace(const Simulator& simulator, const SoftTask& task);

struct SoftInverseSettings {
  double period = 0.01;    ///< h, of control [s], > 0
  double margin = 5e-3;    ///< contacts are looked for this far ahead [m], >= 0
  int max_contacts = 400;  ///< after filtering the nearest are kept, >= 0
  bool filter = true;      ///< one contact a tetrahedron (SoftContactFilter)
  /// Rows that ask for small inputs, each relative to its range (infinite ranges: to one): what weighs as much as an
  /// error of so many metres [m], >= 0.
  double effort_weight = 0;
  /// The same of the change of inputs since the last step; not of motors, whose inputs are velocities.
  double change_weight = 0;

  void Validate() const;  ///< throws InputError
};

class SoftInverse {
 public:
  /// For a simulator that is set up (deformables, actuators); it must outlive this. Throws InputError.
  SoftInverse(const Simulator& simulator, const SoftInverseSettings& settings, std::vector<SoftTask> tasks);

  /// The problem of a control step from the simulator's state. `last`: inputs of the step before (change_weight), one
  /// an actuator. False if A is not positive definite or something is not finite.
  [[nodiscard]] bool Assemble(const State& state, const VectorX& last);

  const QpccProblem& problem() const { return problem_; }
  /// Contact i of the problem.
  const std::vector<ContactState>& contacts() const { return contacts_; }
  /// The contact problem of the step with no actuation, whose first contacts are those of the inverse problem; a
  /// further one a task is the effector's place.
  const ContactProblem& contact_problem() const { return contact_problem_; }
  /// G: what x_a adds to b.
  const MatrixX& actuation_matrix() const { return G_; }

  /// Inputs for Control::soft out of an answer.
  void CalcInputs(const QpccSolution& solution, VectorX* inputs) const;
  /// Where the effector of a task is now, and where an answer takes it.
  Vector3 CalcEffector(std::size_t task) const { return effectors_[task].place; }
  Vector3 CalcNextEffector(std::size_t task, const QpccSolution& solution) const;
  /// Where the task's target is at a time.
  Vector3 CalcTarget(std::size_t task, double time) const;

  /// From now on the task's effector is to be there at the end of every step.
  void SetGoal(std::size_t task, const Vector3& goal);

  const SoftInverseSettings& settings() const { return settings_; }
  const std::vector<SoftTask>& tasks() const { return tasks_; }

 private:
  struct Effector {
    Vector3 place = Vector3::Zero();  ///< at the start of the step [m]
    Vector3 held = Vector3::Zero();   ///< velocity by items that are held [m/s]
    int contact = 0;                  ///< where its rows are in the contact problem
  };
  void FindContacts(const State& state);
  void AddContact(const ContactState& contact, std::size_t index);
  void AddEffector(std::size_t task);
  BodyIndex AddSide(int object, const DeformablePoint& point);
  Vector3 SideVelocity(int object, const DeformablePoint& point, const Vector3& p) const;
  bool FillActuation();
  bool FillMotorColumn(int actuator);
  void FillMotorDirect(int actuator);
  void FillProblem(const State& state, const VectorX& last);
  void FillTask(std::size_t task, const State& state, int* row);
  void FillInputRows(const VectorX& last, int row);

  const Simulator& simulator_;
  SoftInverseSettings settings_;
  std::vector<SoftTask> tasks_;
  DiscreteDynamics dynamics_;
  DeformableSet deformables_;
  ContactFinder finder_;
  std::vector<std::unique_ptr<SurfaceElements>> elements_;
  std::unique_ptr<SoftContactFilter> filter_;
  std::unique_ptr<ThreadPool> pool_;
  ContactProblemBuilder builder_;
  ContactProblem contact_problem_;
  DelassusMatrix delassus_;
  std::vector<ContactState> contacts_;
  std::vector<double> compliance_;  // of contacts, along their normals
  std::vector<Effector> effectors_;
  std::vector<ActuatorRow> rows_;                      // of actuators
  std::vector<std::unique_ptr<DeformableData>> data_;  // of motor columns, by deformable
  MatrixX G_, Z_;                                      // G; A^{-1} G
  MatrixX direct_;  // what held items of motors do to rows of the contact problem without any detour
  MatrixX W_, Wa_;  // rows of the contact problem by rows, and by actuators
  VectorX y_free_, held_, b_, y_;
  SparseMatrix A_;
  QpccProblem problem_;
};

}  // namespace tactus
