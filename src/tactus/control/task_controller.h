// A controller that finds, at its own rate, the torques that serve a list of tasks best, together with what every
// contact then does: stick, slide or break is not told but found (docs/control.md).
#pragma once

#include <memory>
#include <vector>

#include "tactus/control/contact_memory.h"
#include "tactus/control/rigid_inverse.h"
#include "tactus/inverse/qpcc_solver.h"
#include "tactus/simulation/simulator.h"

namespace tactus {

struct TaskControllerSettings {
  std::vector<int> joints;      ///< motors: Model::joints(), of one dof each
  double period = 1e-3;         ///< h, of control [s], > 0
  double effort_share = 1;      ///< of the joints' effort limits that may be used, (0, 1]
  double margin = 5e-3;         ///< contacts are looked for this far ahead [m], >= 0
  int max_contacts = 60;        ///< the nearest are kept, >= 0
  std::vector<TaskTerm> tasks;  ///< one or more
  QpccSettings solve = MakeControlSolve();
  /// Where the first found no answer that obeys the contact law, or one much worse than the last.
  QpccSettings retry = MakeControlRetry();

  /// What is fast enough for control: one start, from the last answer, and bounded work.
  static QpccSettings MakeControlSolve();
  /// More starts and more work.
  static QpccSettings MakeControlRetry();
  void Validate(const Model& model) const;  ///< throws InputError
};

/// What the last update found.
struct TaskReport {
  double time = 0;  ///< of the update [s]
  QpccReport solve;
  VectorX torque;                          ///< of motors [N m, N]
  std::vector<ContactCandidate> contacts;  ///< all that were looked at
  std::vector<ContactMode> modes;          ///< of them
  VectorX force;                           ///< of them, expected: three values each, in their frames [N]
  std::vector<double> errors;              ///< of tasks (RigidInverse::CalcTaskError)
  double assembly_cpu_time = 0;            ///< collision and dynamics [s]
};

class TaskController : public Controller {
 public:
  /// For a simulator whose model, state and drives are set up: joints that drives or mimics hold are taken as held, and
  /// shapes of one tree that overlap now never touch. Throws InputError.
  TaskController(const Simulator& simulator, const TaskControllerSettings& settings);

  double period() const override { return settings_.period; }
  void Update(const Simulator& simulator, Control* control) override;
  void Save(std::vector<double>* state) const override;
  void Load(const std::vector<double>& state) override;

  const TaskControllerSettings& settings() const { return settings_; }
  const RobotDescription& robot() const { return inverse_.robot(); }
  /// How often it was updated, and what the last update found.
  std::int64_t updates() const { return updates_; }
  const TaskReport& report() const { return report_; }
  /// The problem of the last update.
  const QpccProblem& problem() const { return inverse_.problem(); }
  const QpccSolution& solution() const { return solution_; }

 private:
  void FindContacts(const Simulator& simulator);
  /// The contact of that key in ahead_, or `now`.
  const ContactState& FindAhead(const ContactState& now) const;
  void Solve(bool warm);

  TaskControllerSettings settings_;
  RigidInverse inverse_;
  ContactFinder finder_;
  std::vector<bool> touches_;                // trees' roots whose contacts count
  std::vector<ContactState> found_, ahead_;  // now, and where velocities lead
  ModelData places_;                         // there
  VectorX q_ahead_;
  ContactMemory memory_;
  QpccWorkspace workspace_;
  QpccSolution warm_, solution_;
  TaskReport report_;
  double last_loss_ = 0;
  std::int64_t updates_ = 0;
};

}  // namespace tactus
