// A model in contact, step after step.
//
// One step: control -> kinematics and bias forces -> contacts -> constraint rows -> contact problem -> solver ->
// integration. The contact law is solved as it is; every step reports how well (StepReport). A world of many robots and
// objects is one Model with many trees (ComposeModels).
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tactus/constraints/constraint.h"
#include "tactus/simulation/contact_finder.h"
#include "tactus/simulation/control.h"
#include "tactus/simulation/deformable_set.h"
#include "tactus/simulation/discrete_dynamics.h"
#include "tactus/simulation/penalty.h"
#include "tactus/simulation/prescribed_motion.h"
#include "tactus/simulation/soft_actuator.h"
#include "tactus/simulation/step_report.h"
#include "tactus/simulation/warm_memory.h"
#include "tactus/simulation/xpbd.h"
#include "tactus/solvers/cond/cond_settings.h"

namespace tactus {

/// What to do when the solver misses its tolerance.
enum class FailurePolicy {
  Continue,  ///< move on with the best iterate, and report
  Retry,     ///< solve again with `retry_solver`, then as Continue
  Stop,      ///< do not move, and report
};
const char* ToString(FailurePolicy policy);

/// How a step treats contacts. The last two are baselines (docs/baselines.md): they solve no contact problem, so that
/// their steps are Inaccurate by definition, and say so.
enum class StepMethod {
  ContactLaw,  ///< by the exact law, with SimulatorSettings::solver
  Penalty,     ///< springs and dampers (penalty.h)
  Xpbd,        ///< position-based dynamics of deformables (xpbd.h), without anything else that moves freely
};
const char* ToString(StepMethod method);

struct SimulatorSettings {
  ThetaScheme scheme;
  StepMethod method = StepMethod::ContactLaw;
  PenaltySettings penalty;  ///< of StepMethod::Penalty
  XpbdSettings xpbd;        ///< of StepMethod::Xpbd
  /// Of the constraints within a step; more of them follow curved surfaces better. 0: one, or two if theta > 0, which
  /// is what the midpoint rule takes to keep energy.
  int linearizations = 0;
  ContactFinderSettings contacts;
  StabilizationSettings stabilization;
  /// Contacts that approach slower than this do not bounce [m/s].
  double rest_speed = 0.05;
  /// theta > 0: an impact or start of sticking faster than this times gravity times h makes the step one of theta = 0.
  double impact_threshold = 0.05;
  /// Deformables: at most this many Newton steps of fully implicit integration (001 eq. 10), each a contact problem,
  /// with forces and stiffness at the answer before. 0: linearised at the start of the step.
  int newton_iterations = 0;
  /// Of Newton's method: the change of velocities relative to them at which it ends, > 0.
  double newton_tolerance = 1e-8;
  std::string solver = "hybrid";
  CondSettings cond;  ///< where the solver is "cond"
  SolveSettings solve;
  bool warm_start = true;
  FailurePolicy on_failure = FailurePolicy::Continue;
  std::string retry_solver = "hybrid";
  int threads = 1;  ///< of collision detection, and of solvers that use several; results do not depend on it

  void Validate() const;  ///< throws InputError
};

/// All that influences the future of a simulation.
struct Snapshot {
  std::uint64_t world = 0;  ///< Simulator::CalcWorldHash(): what it was made of
  double time_step = 0;     ///< [s]
  State state;
  WarmMemory warm;
  Control control;
  VectorX activation;
  std::vector<std::vector<double>> controllers;
  std::vector<std::int64_t> next_update;
  std::int64_t steps = 0, first_step = 0;
  double first_time = 0;

  /// As bytes, and back; throws InputError for bytes that are not a snapshot.
  std::vector<std::uint8_t> Serialize() const;
  static Snapshot Deserialize(const std::vector<std::uint8_t>& bytes);
};

/// A constraint holds in steps that begin at from <= t < to [s].
struct ConstraintTimes {
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();
};

/// Items of a deformable stay where they are on a link: nodes by their place, segments of rods turned as they are, too.
struct Attachment {
  int deformable = 0;
  std::vector<int> items;  ///< none of them held
  int link = -1;           ///< Model::links(); -1: the world
  /// Where the items are in the link's frame; empty: as at the moment of AddAttachment.
  std::vector<Pose> places;
  ConstraintTimes times;
};

class Simulator {
 public:
  /// The model starts at its initial configuration, at rest. Everything its description asks for is there: shapes,
  /// limits, dry friction, mimics, equalities, tendons, actuators. Throws InputError where something does not fit.
  explicit Simulator(std::shared_ptr<const Model> model, const SimulatorSettings& settings = {});
  ~Simulator();
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  // To set up, before the first step.
  int AddConstraint(std::unique_ptr<const Constraint> constraint, const ConstraintTimes& times = {});
  int AddDrive(const JointDrive& drive);
  int AddController(std::unique_ptr<Controller> controller);
  /// All of them, for those who control from outside. Drives stay, with the targets that they have.
  void RemoveControllers();
  int num_controllers() const { return static_cast<int>(controllers_.size()); }
  /// Something that deforms, as one subsystem of every contact problem; returns its number.
  int AddDeformable(std::shared_ptr<const Deformable> body, const DeformableSetup& setup = {});
  /// While it holds, the items do not touch the link, nor what is welded to it.
  int AddAttachment(const Attachment& attachment);
  /// Of two of objects(), at least one of which deforms: that they never touch, or with which friction they do,
  /// whatever their masks say.
  void SetDeformablePair(const DeformablePair& pair);
  /// A cable, cavity or motor of a deformable; its input is in Control::soft. Returns its number.
  int AddSoftActuator(const SoftActuator& actuator);
  /// A force on a link for some time, besides Control::wrenches.
  void AddWrench(const WrenchScript& script);
  /// Lets a link that hangs on the world without joints move as prescribed, with all that is welded to it.
  void SetMotion(int link, std::shared_ptr<const PrescribedMotion> motion);
  /// Shapes of one tree that overlap now never collide (robots' shapes often overlap where they are joined). Returns
  /// all that overlap; those of different trees do collide.
  std::vector<InitialOverlap> ExcludeInitialOverlaps();

  const Model& model() const { return *model_; }
  const SimulatorSettings& settings() const { return settings_; }
  double time() const { return state_.time; }
  std::int64_t steps() const { return steps_; }
  const State& state() const { return state_; }
  /// Throws InputError if sizes do not fit or numbers are not finite. Forgets impulses.
  void SetState(const State& state);
  /// The same, but impulses and the count of steps stay: for small changes from outside, between steps.
  void OverwriteState(const State& state);
  Control& control() { return control_; }
  const Control& control() const { return control_; }
  /// Forces on dofs besides those of Control, which no limit clips and no controller touches [N, N m]. They stay until
  /// they are set again, and are no part of snapshots.
  VectorX& applied_force() { return applied_force_; }
  const std::vector<JointDrive>& drives() const { return drives_; }
  const std::vector<SimulatorObject>& objects() const { return finder_.objects(); }
  const std::vector<std::unique_ptr<const Constraint>>& constraints() const { return constraints_; }
  /// What was added by AddDeformable; their states are in state().
  const DeformableSet& deformables() const { return deformables_; }
  const std::vector<Attachment>& attachments() const { return attachments_; }
  const std::vector<SoftActuator>& soft_actuators() const { return soft_actuators_; }
  /// Force and moment of an attachment on item i of its list, mean over the last step, world axes [N, N m].
  Vector6 CalcAttachmentForce(int attachment, int i) const;
  /// The sum over its items, with the moment about their mean place.
  Vector6 CalcAttachmentWrench(int attachment) const;
  /// Whether a constraint holds in a step that begins now.
  bool Holds(std::size_t constraint) const;

  /// One step in time. Never throws on numerical trouble; says what became of it.
  [[nodiscard]] StepReport Step();

  // What the last step left behind.
  const std::vector<ContactState>& contacts() const { return contacts_; }
  const ContactProblem& problem() const { return problem_; }
  const ContactSolution& solution() const { return solution_; }
  /// Where the last solve of it began; no impulses where nothing was known.
  const WarmStart& warm_start() const { return began_warm_ ? warm_start_ : cold_start_; }
  /// Velocity of the step as the law of contact saw it (v_hat).
  const VectorX& step_velocity() const { return v_hat_; }
  /// The state before it, and the wrenches on bodies during it.
  const State& previous_state() const { return before_; }
  const std::vector<Vector6>& applied_wrenches() const { return wrenches_; }
  /// What motors did at a joint of one dof: drives, actuators and Control::force together, mean over the step [N m, N].
  double CalcMotorEffort(int joint) const;

  /// Positions and velocities of bodies at the present state.
  const ModelData& kinematics() const;
  Pose LinkPose(int link) const;
  /// [velocity of the link's origin; angular velocity] in world axes.
  Vector6 LinkVelocity(int link) const;

  Snapshot MakeSnapshot() const;
  /// Throws InputError if it is of another world. Settings may differ.
  void Restore(const Snapshot& snapshot);
  /// The same of a snapshot that is known to be of this world: saves looking at all of it, which takes as long as many
  /// steps of a small one. Sizes are still checked.
  void RestoreTrusted(const Snapshot& snapshot);
  /// 64 bits over what is simulated: model, shapes, materials, drives, and what SetWorldTag says. Not over settings.
  std::uint64_t CalcWorldHash() const;
  /// Of what the simulator cannot look into, such as the parameters of constraints and controllers.
  void SetWorldTag(std::uint64_t tag) { world_tag_ = tag; }
  /// 64 bits over q, v, t and what the next step starts from.
  std::uint64_t CalcStateHash() const;
  /// Bytes held for contacts and bodies, and for contacts alone: capacities of the largest arrays, solvers' own memory
  /// apart.
  std::size_t CalcMemory() const;
  std::size_t CalcContactMemory() const;

 private:
  class Input;
  // Keys of rows of attachments; constraints, drives and actuators have smaller ones.
  static constexpr int kFirstAttachmentKey = 1 << 30;

  struct Actuator {
    std::vector<int> dofs;
    std::vector<double> gears;  // of dofs
    int activation = -1;        // index in activation_
    bool implicit = false;      // a row of the problem, otherwise a force
  };
  // The gap of a contact at the start of the step.
  struct StartGap {
    int a = 0, b = 0;
    std::uint64_t feature = 0;
    double gap = 0;
    bool operator<(const StartGap& other) const {
      if (a != other.a) return a < other.a;
      if (b != other.b) return b < other.b;
      return feature < other.feature;
    }
  };

  StepReport StepXpbd();
  void AddPenaltyRows(double theta, ContactState* contact);
  void SolvePenalty(double theta, StepReport* report);
  void StorePenalty();
  void AddActuators();
  void CheckState(const State& state) const;
  void CheckDeformables(const State& state) const;
  double ActuatorInput(int k) const;
  void AdvanceActivation(double h);
  void RunControllers();
  /// Forces on dofs and bodies, drives apart.
  void CollectForces();
  /// Control::soft as forces and velocities of deformables.
  void CollectSoftForces();
  void CalcPrescribed(double from, double to, std::vector<PrescribedState>* out) const;
  /// Of one link; `parent` is that of what carries it, if something does.
  PrescribedState CalcPrescribedLink(int link, const PrescribedState* parent, double from, double to) const;
  PrescribedState CalcPrescribedLink(int link, double from, double to) const;
  bool UpdateDynamics(double theta);
  /// Part of the problem's velocities that belongs to deformables.
  template <typename Vector>
  auto DeformablePart(const Vector& v) const {
    return v.segment(model_->nv(), deformables_.num_dofs());
  }
  BodyIndex AddSide(int object, const DeformablePoint& point);
  Vector3 SideVelocity(int object, const DeformablePoint& point, const Vector3& p) const;
  bool IsAttached(std::size_t attachment) const;
  void AddAttachmentRows();
  /// Newton's method for deformables within a linearisation: solves until velocities stay.
  void SolveImplicit(double theta, const StabilizationSettings& stabilization, StepReport* report);
  /// All linearisations of the step; leaves v_hat in v_problem_.
  void SolveStep(double theta, StepReport* report);
  /// Returns -1, or the linearisation at which the contacts contradict each other: tangent planes where the step would
  /// end may leave no way out of a narrow place where those at its beginning do, and overlaps of a jammed body cannot
  /// all be undone at once, but left as they are.
  int SolveLinearizations(double theta, int linearizations, const StabilizationSettings& stabilization,
                          StepReport* report);
  void PlaceStart();
  void PlaceAgain();
  void Assemble(double theta, const StabilizationSettings& stabilization);
  void AddContact(double theta, ContactState* contact);
  void AddDriveRows();
  void AddActuatorRows();
  void MoveToMiddle(ContactState* contact) const;
  double GapAtStart(const ContactState& contact, double velocity) const;
  double CalcSolveBudget(double used) const;
  void Solve(StepReport* report);
  /// Contacts that were left out but that v_hat drives together become active: how many. Those of the last round are
  /// only counted, as there is no solve any more that could give them impulses.
  int ActivateMissed(int round);
  void MoveDeformables();
  bool HasImpact();
  void FindStartVelocity(int solves);
  /// Impulses and velocities of the answer into contacts_.
  void StoreContacts();
  void SolveWithoutCorrection(double theta, StepReport* report);

  std::shared_ptr<const Model> model_;
  SimulatorSettings settings_;
  DiscreteDynamics dynamics_;
  State state_;
  Control control_;
  VectorX applied_force_;
  std::int64_t steps_ = 0, first_step_ = 0;
  double first_time_ = 0;  // time is counted from here, so that it does not drift
  std::uint64_t world_tag_ = 0;
  std::vector<std::unique_ptr<const Constraint>> constraints_;
  std::vector<ConstraintTimes> constraint_times_;  // for each of them
  std::vector<JointDrive> drives_;
  std::vector<Actuator> actuators_;
  VectorX activation_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  std::vector<std::int64_t> next_update_;                         // of controllers, in periods
  std::vector<std::shared_ptr<const PrescribedMotion>> motions_;  // by link, of fixed links without parents
  DeformableSet deformables_;
  std::vector<Attachment> attachments_;
  std::vector<SoftActuator> soft_actuators_;
  std::vector<ActuatorRow> soft_rows_;                                            // of them
  std::vector<DeformableState> deformed_middle_, deformed_end_, deformed_moved_;  // as places_, end_ and moved_
  ThreadPool pool_;

  ContactFinder finder_;
  std::vector<ContactState> contacts_, fresh_;
  std::vector<StartGap> start_gaps_;
  std::vector<int> prescribed_links_;  // those of no body, parents first
  std::vector<PrescribedState> prescribed_, prescribed_middle_, prescribed_step_;
  std::vector<ModelData> places_;  // where bodies are touched in a linearisation after the first
  ModelData end_, moved_;          // q_bar; and with the velocities of an answer
  VectorX q_bar_, q_middle_, v_model_, tau_;
  int linearization_ = 0;

  XpbdSystem xpbd_;
  std::vector<int> deformable_of_object_;  // of StepXpbd, as the next two
  std::vector<XpbdContactMotion> contact_motions_;
  std::vector<VectorX> held_forces_;

  ContactProblemBuilder builder_;
  ContactProblem problem_;
  ConstraintRows rows_;
  std::unique_ptr<ContactSolver> solver_, retry_solver_;
  ContactSolution solution_, retry_solution_;
  WarmStart warm_start_;
  const WarmStart cold_start_;
  bool began_warm_ = false;
  WarmMemory warm_, round_;  // of the last step, of the last solve
  VectorX y_, padded_, v_work_;
  VectorX v_start_, v_prev_, v_newton_;  // in the problem's coordinates
  VectorX v_hat_;                        // in the model's
  State before_;
  std::vector<Vector6> wrenches_;
  std::vector<WrenchScript> scripts_;
  mutable std::unique_ptr<ModelData> kinematics_;
  mutable bool kinematics_known_ = false;
  std::vector<int> columns_;
  std::vector<double> values_;
};

}  // namespace tactus
