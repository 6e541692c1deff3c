// Models in contact, step after step.
//
// One step: kinematics and bias forces -> contacts -> constraint rows -> contact problem -> solver -> integration. The
// contact law is solved as it is; every step reports how well (StepReport::solve).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tactus/collision/broad_phase.h"
#include "tactus/collision/collide.h"
#include "tactus/simulation/discrete_dynamics.h"
#include "tactus/solvers/contact_solver.h"

namespace tactus {

/// How errors of position are corrected: a contact that overlaps by d is asked to part at
/// min(alpha d/h, sqrt(0.2 g d), max_speed), g being gravity, so that it does not jump (docs/theory.md).
struct StabilizationSettings {
  double alpha = 1;
  double max_speed = 1;  ///< [m/s]
};

struct SimulatorSettings {
  ThetaScheme scheme;
  double margin = 1e-3;  ///< contacts are looked for this far ahead, beyond what velocities cover in a step [m]
  StabilizationSettings stabilization;
  std::string solver = "hybrid";
  SolveSettings solve;
  bool warm_start = true;
};

/// A contact of the last step.
struct ContactState {
  int object_a = -1, object_b = -1;  ///< Simulator::objects()
  ContactPoint geometry;
  Matrix3 frame;                       ///< rows t1, t2, n
  Vector3 impulse = Vector3::Zero();   ///< on a, in the frame [N s]
};

/// Seconds of a step's stages.
struct StageTimes {
  double kinematics = 0, collision = 0, assembly = 0, solve = 0, integration = 0;
};

struct StepReport {
  bool ok = false;      ///< false: nothing was moved, see message
  std::string message;  ///< why
  double time = 0;      ///< of the state after the step [s]
  int contacts = 0, rows = 0;
  SolveReport solve;
  StageTimes stages;
};

/// A shape that collides.
struct SimulatorObject {
  int model = -1;  ///< -1: fixed in the world
  int body = -1;   ///< of the model; -1: fixed in the world
  std::string name;
  std::shared_ptr<const CollisionShape> shape;
  Pose X_BS;  ///< in the body's frame (the world's if fixed)
  double friction = 1;
};

class Simulator {
 public:
  explicit Simulator(const SimulatorSettings& settings = {});
  ~Simulator();

  /// Adds a model with all of its shapes that collide, at its initial configuration; returns its index. Links that hang
  /// on each other do not collide.
  int AddModel(std::shared_ptr<const Model> model);
  /// A shape fixed in the world.
  int AddWorldShape(const ShapeInstance& shape);

  int num_models() const { return dynamics_.num_models(); }
  const Model& model(int i) const { return dynamics_.model(i); }
  const State& state(int i) const { return states_[i]; }
  void SetState(int i, const State& state);
  /// Forces on a model's dofs during the steps to come [N m, N].
  void SetForce(int i, const VectorX& tau) { tau_[i] = tau; }

  StepReport Step();

  const std::vector<SimulatorObject>& objects() const { return objects_; }
  const std::vector<ContactState>& contacts() const { return contacts_; }
  /// FNV-1a over the bits of time, q, v and the impulses that the next step starts from.
  std::uint64_t CalcStateHash() const;

 private:
  struct Memory;  // impulses by feature, for warm starts

  void AddObject(int model, int body, const ShapeInstance& shape, const Pose& X_BS);
  void FindContacts();
  void AddContacts();
  void AddJointRows(int i);
  double CorrectionSpeed(double gap) const;
  Pose ObjectPose(const SimulatorObject& object) const;

  SimulatorSettings settings_;
  DiscreteDynamics dynamics_;
  std::vector<std::shared_ptr<const Model>> models_;
  std::vector<State> states_;
  std::vector<VectorX> tau_;
  std::vector<SimulatorObject> objects_;
  std::vector<Pose> poses_;  // of objects
  std::vector<int> body_number_;  // first number of a model's bodies for the broad phase
  int num_bodies_ = 1;            // 0 is the world
  BroadPhase broad_phase_;
  CollisionScratch scratch_;
  ContactManifold manifold_;
  std::vector<ContactState> contacts_;
  ContactProblemBuilder builder_;
  ContactProblem problem_;
  std::unique_ptr<ContactSolver> solver_;
  ContactSolution solution_;
  WarmStart warm_;
  std::unique_ptr<Memory> memory_;
  std::vector<int> columns_;
  std::vector<double> values_;
};

}  // namespace tactus
