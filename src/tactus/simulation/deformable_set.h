// The deformables of a simulation: each is one Sparse subsystem of the contact problem, after those of the model, or
// several that are held together by rows, if it is cut into pieces (deformable/pieces.h).
//
// Unlike those of a model, velocities of the problem are those of the state: nodes and segments move in world axes. Of
// a node that is cut each piece has a copy; the state has their mean.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tactus/constraints/constraint_rows.h"
#include "tactus/contact/contact_problem.h"
#include "tactus/deformable/deformable.h"
#include "tactus/deformable/pieces.h"
#include "tactus/geometry/material.h"
#include "tactus/model/model.h"
#include "tactus/simulation/prescribed_motion.h"
#include "tactus/simulation/step_report.h"

namespace tactus {

/// Items that are held (Deformable::first_dof -1) move with a frame, as they are in it at the start.
struct DeformableClamp {
  std::vector<int> items;                          ///< nodes or segments
  std::shared_ptr<const PrescribedMotion> motion;  ///< of the frame in the world; null: they stay
};

/// What a simulator is told about a deformable.
struct DeformableSetup {
  std::string name = "deformable";
  Material material;                           ///< of its surface; directions of friction are in world axes
  Pose pose;                                   ///< moves it from where it was made
  Vector3 linear_velocity = Vector3::Zero();   ///< at the start, of its frame's origin [m/s]
  Vector3 angular_velocity = Vector3::Zero();  ///< likewise, world axes [rad/s]
  bool self_contact = false;
  bool collides = true;                             ///< false: it touches nothing
  unsigned contact_type = 1, contact_affinity = 1;  ///< as in BroadPhaseObject
  std::vector<DeformableClamp> clamps;
  /// Subsystems that it is cut into, for solvers that treat them side by side (subadmm); 1: it stays whole.
  int pieces = 1;
};

/// Where a node is, or a segment with its axes.
Pose CalcItemPose(const Deformable& body, const VectorX& q, int item);
/// Where a point is, and how fast.
Vector3 CalcPointPlace(const Deformable& body, const VectorX& q, const DeformablePoint& point);
/// [velocity; angular velocity] of an item; those of held ones are given.
Vector6 CalcItemVelocity(const Deformable& body, const DeformableState& state, int item);
/// Velocity of what touches at p.
Vector3 CalcPointVelocity(const Deformable& body, const DeformableState& state, const DeformablePoint& point,
                          const Vector3& p);
/// All items of the point are held: no impulse moves it.
bool IsHeld(const Deformable& body, const DeformablePoint& point);

class DeformableSet {
 public:
  /// Appends one, with its state at `time`. Throws InputError if clamps name what is not held.
  int Add(std::shared_ptr<const Deformable> body, DeformableSetup setup, double time, DeformableState* state);

  int size() const { return static_cast<int>(parts_.size()); }
  bool empty() const { return parts_.empty(); }
  const Deformable& body(int k) const { return *parts_[static_cast<std::size_t>(k)].body; }
  const std::shared_ptr<const Deformable>& shared_body(int k) const { return parts_[static_cast<std::size_t>(k)].body; }
  const DeformableSetup& setup(int k) const { return parts_[static_cast<std::size_t>(k)].setup; }
  /// Dofs of all together in the problem, copies included, and where those of one begin among them.
  int num_dofs() const { return num_dofs_; }
  int first_dof(int k) const { return parts_[static_cast<std::size_t>(k)].first_dof; }

  /// What acts on one in the steps to come, until it is set again: forces on its dofs [N, N m], and velocities of what
  /// is held besides those of clamps [m/s]. Empty: none. Not for what is cut into pieces.
  VectorX& external(int k) { return parts_[static_cast<std::size_t>(k)].external; }
  VectorX& driven(int k) { return parts_[static_cast<std::size_t>(k)].driven; }

  /// A and b of a step from `state`; velocities of what is held follow from the clamps. False if something is not
  /// finite. Allocates nothing.
  [[nodiscard]] bool Update(const DeformableScheme& scheme, const State& state, const Vector3& gravity,
                            ThreadPool* pool);
  /// The same without A and b: only what the step starts from. False if something is not finite.
  [[nodiscard]] bool Begin(const DeformableScheme& scheme, const State& state, const Vector3& gravity);
  /// The same step linearised about an answer (all deformables' velocities), for fully implicit stepping.
  [[nodiscard]] bool Relinearize(const ConstVectorRef& v_hat, ThreadPool* pool);
  /// The states that the step starts from, with velocities of what is held during it.
  const std::vector<DeformableState>& start() const { return start_; }

  /// One subsystem each, for a builder that has those of the model; bodies are touched where `places` are.
  void AddSubsystems(const std::vector<DeformableState>* places, ContactProblemBuilder* builder);
  /// What holds pieces together: rows of keys from `first_key` on, one a deformable.
  void AddPieceRows(int first_key, ConstraintRows* rows);
  /// Something that contacts can touch; kWorld where all of it is held. Nodes and segments once each.
  BodyIndex AddBody(int k, const DeformablePoint& point, ContactProblemBuilder* builder);

  /// Velocity of the held part of a point, 0 if all of it is free.
  Vector3 CalcHeldVelocity(int k, const DeformablePoint& point, const Vector3& p) const;

  /// places = start (+) time v_hat, at rest there. `v_hat`: of all deformables.
  void Predict(const ConstVectorRef& v_hat, double time, std::vector<DeformableState>* places) const;
  /// v of one out of those of all in the problem.
  void Extract(int k, const ConstVectorRef& v_all, VectorX* v) const;
  /// v of all deformables in the problem, one after the other.
  void Gather(const std::vector<DeformableState>& states, Eigen::Ref<VectorX> v) const;

  /// To the end of the step. `v_momentum`: what velocities at the end are made of.
  void Advance(const ConstVectorRef& v_hat, const ConstVectorRef& v_momentum, State* state);
  /// What it takes to hold what is held, mean over the last step: Deformable::CalcHeldForces [N, N m].
  const VectorX& held_forces(int k) const { return parts_[static_cast<std::size_t>(k)].held_force; }
  /// Where something else than Advance has moved them.
  void SetHeldForces(int k, const VectorX& force) { parts_[static_cast<std::size_t>(k)].held_force = force; }

  DeformableEnergy CalcEnergy(int k, const DeformableState& state, const Vector3& gravity) const;

 private:
  // An item that is held, and its place in the frame of its clamp.
  struct Held {
    int item = 0;
    const PrescribedMotion* motion = nullptr;
    Pose offset;  // in the motion's frame; without a motion in the world
  };
  // One of several.
  struct Piece {
    int first_dof = 0, subsystem = -1;  // among those of all deformables
    std::unique_ptr<DeformableData> data;
    SparseMatrix A;
    VectorX b, inertia, v_hat;
    DeformableState state;
    std::vector<BodyIndex> bodies;
  };
  struct Part {
    std::shared_ptr<const Deformable> body;
    DeformableSetup setup;
    DeformablePieces cut;  // empty: whole
    std::vector<Piece> pieces;
    VectorX q_joints;  // where forces of joints between pieces are taken
    int first_dof = 0, subsystem = -1;
    std::unique_ptr<DeformableData> data;
    SparseMatrix A;
    VectorX b, inertia, v_hat, answer, held_force, external, driven;
    std::vector<Held> held;
    std::vector<BodyIndex> bodies;  // of items, in the builder
    bool linearized = false;        // about v_hat
  };

  bool Assemble(ThreadPool* pool, bool about_v_hat, std::size_t k);
  bool AssemblePieces(ThreadPool* pool, bool about_v_hat, Part* part, const DeformableInput& whole);
  static void CutState(const Part& part, const DeformableState& whole, std::size_t piece, DeformableState* out);
  void MakePieces(Part* part);
  void AddTies(const Part& part, int key, int first, ConstraintRows* rows);
  void AddJointRows(const Part& part, std::size_t k, int key, int first, ConstraintRows* rows);
  BodyIndex AddPieceBody(Part* part, const DeformablePoint& point, const VectorX& q, ContactProblemBuilder* builder);
  DeformableInput MakeInput(std::size_t k) const;
  static void SetHeldVelocity(const Part& part, double from, double h, DeformableState* state);

  std::vector<Part> parts_;
  std::vector<DeformableState> start_;
  const std::vector<DeformableState>* places_ = nullptr;
  DeformableScheme scheme_;
  Vector3 gravity_ = Vector3::Zero();
  int num_dofs_ = 0;
  int problem_dofs_ = 0;  // before those of deformables, in the problem being built
  RodJointRows joint_rows_;
};

}  // namespace tactus
