// A model in contact, step after step.
//
// One step: control -> kinematics and bias forces -> contacts -> constraint rows -> contact problem -> solver ->
// integration. The contact law is solved as it is; every step reports how well (StepReport). A world of many robots and
// objects is one Model with many trees (ComposeModels).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tactus/constraints/constraint.h"
#include "tactus/simulation/contact_finder.h"
#include "tactus/simulation/control.h"
#include "tactus/simulation/discrete_dynamics.h"
#include "tactus/simulation/prescribed_motion.h"
#include "tactus/simulation/step_report.h"
#include "tactus/simulation/warm_memory.h"

namespace tactus {

/// What to do when the solver misses its tolerance.
enum class FailurePolicy {
  Continue,  ///< move on with the best iterate, and report
  Retry,     ///< solve again with `retry_solver`, then as Continue
  Stop,      ///< do not move, and report
};
const char* ToString(FailurePolicy policy);

struct SimulatorSettings {
  ThetaScheme scheme;
  int linearizations = 1;  ///< of the constraints within a step; more of them follow curved surfaces better
  ContactFinderSettings contacts;
  StabilizationSettings stabilization;
  /// Contacts that approach slower than this do not bounce [m/s].
  double rest_speed = 0.05;
  /// theta > 0: an impact or start of sticking faster than this times gravity times h makes the step one of theta = 0.
  double impact_threshold = 0.05;
  std::string solver = "hybrid";
  SolveSettings solve;
  bool warm_start = true;
  FailurePolicy on_failure = FailurePolicy::Continue;
  std::string retry_solver = "hybrid";
  int threads = 1;  ///< results do not depend on it

  void Validate() const;  ///< throws InputError
};

/// All that influences the future of a simulation.
struct Snapshot {
  State state;
  WarmMemory warm;
  Control control;
  VectorX activation;
  std::vector<std::vector<double>> controllers;
  std::vector<std::int64_t> next_update;
  std::int64_t steps = 0;

  /// As bytes, and back; throws InputError for bytes that are not a snapshot.
  std::vector<std::uint8_t> Serialize() const;
  static Snapshot Deserialize(const std::vector<std::uint8_t>& bytes);
};

class Simulator {
 public:
  /// The model starts at its initial configuration, at rest. Everything its description asks for is there: shapes,
  /// limits, dry friction, mimics, equalities, tendons, actuators. Throws InputError where something does not fit.
  Simulator(std::shared_ptr<const Model> model, const SimulatorSettings& settings = {});
  ~Simulator();
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  // To set up, before the first step.
  int AddConstraint(std::unique_ptr<const Constraint> constraint);
  int AddDrive(const JointDrive& drive);
  int AddController(std::unique_ptr<Controller> controller);
  /// Lets a link that hangs on the world without joints move as prescribed, with all that is welded to it.
  void SetMotion(int link, std::shared_ptr<const PrescribedMotion> motion);

  const Model& model() const { return *model_; }
  const SimulatorSettings& settings() const { return settings_; }
  double time() const { return state_.time; }
  std::int64_t steps() const { return steps_; }
  const State& state() const { return state_; }
  /// Throws InputError if sizes do not fit or numbers are not finite. Forgets impulses.
  void SetState(const State& state);
  Control& control() { return control_; }
  const Control& control() const { return control_; }
  const std::vector<JointDrive>& drives() const { return drives_; }
  const std::vector<SimulatorObject>& objects() const { return finder_.objects(); }
  const std::vector<std::unique_ptr<const Constraint>>& constraints() const { return constraints_; }

  /// One step in time. Never throws on numerical trouble; says what became of it.
  [[nodiscard]] StepReport Step();

  // What the last step left behind.
  const std::vector<ContactState>& contacts() const { return finder_.contacts(); }
  const ContactProblem& problem() const { return problem_; }
  const ContactSolution& solution() const { return solution_; }
  /// Velocity of the step as the law of contact saw it (v_hat), and of the step before.
  const VectorX& step_velocity() const { return v_hat_; }
  const VectorX& previous_velocity() const { return v_before_; }

  /// Kinematics at the present state.
  void CalcKinematics(ModelData* data) const;
  Pose LinkPose(int link) const;
  /// [velocity of the link's origin; angular velocity] in world axes.
  Vector6 LinkVelocity(int link) const;

  Snapshot MakeSnapshot() const;
  void Restore(const Snapshot& snapshot);
  /// 64 bits over q, v, t and what the next step starts from.
  std::uint64_t CalcStateHash() const;
  /// Bytes held for contacts and for bodies, about.
  std::size_t CalcMemory() const;

 private:
  class Input;
  struct Attempt;  // one solve of a step

  ...
};

}  // namespace tactus
