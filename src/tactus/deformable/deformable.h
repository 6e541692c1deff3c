// What a simulator needs of something that deforms, whatever it is made of: finite elements or a rod.
//
// Its state is q (places: 3 a node, or position and quaternion, w first, 7 a rod segment) and v (velocities of what is
// free to move: 3 a node, or 6 a segment: of the centre of mass and angular, in world axes). Nodes and segments that
// are held are in q but not in v: for a contact problem they are the world, moving as told, and no impulse can move
// them. (Kept as dofs with prescribed values, a contact on them would push them off.) Their velocities are an input.
//
// One step is one subsystem A v_hat = b + J^T lambda of a contact problem (docs/deformables.md):
//     A = M/(1 - theta) + c h^2 K + h D,   c = 1 - theta,
//     b = M v/(1 - theta) + h (f_external + f_gravity + f_elastic),
// then v_next = (v_hat - theta v)/(1 - theta) and q_next = q (+) h v_hat. The pattern of A never changes.
//
// Objects are immutable and may be shared by threads; what changes is in DeformableData, one per thread of simulation.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "tactus/core/thread_pool.h"
#include "tactus/core/types.h"

namespace tactus {

/// h and theta of one step: theta = 0 backward Euler, theta = 1/2 midpoint. Others in [0, 1) work as well.
struct DeformableScheme {
  double step = 0.01;  ///< h [s], > 0
  double theta = 0;    ///< in [0, 1)
};
/// Throws InputError.
void Validate(const DeformableScheme& scheme);

/// What one step starts from and what acts in it. Vectors must live as long as the call; null: zero or none.
struct DeformableInput {
  const VectorX* q = nullptr;              ///< nq, never null
  const VectorX* v = nullptr;              ///< nv, never null
  Vector3 gravity = Vector3::Zero();       ///< [m/s^2]
  const VectorX* external = nullptr;       ///< nv: forces (and moments) on dofs [N, N m]
  const VectorX* held_velocity = nullptr;  ///< num_held_dofs: of what is held [m/s, rad/s]
  /// Fully implicit stepping (001 eq. 10): forces and stiffness are taken at q (+) c h v_hat instead of q, and A and b
  /// are the linearisation there: solve, put the answer here, assemble again, until v_hat stays. Null: linearised at q.
  const VectorX* v_hat = nullptr;  ///< nv
};

/// Scratch memory and results of the last call; each kind has its own.
class DeformableData {
 public:
  virtual ~DeformableData() = default;
};

/// A rigid capsule that goes with a rod's segment, along its local x axis.
struct SegmentCapsule {
  int segment = 0;
  double half_length = 0;  ///< of the axis, without the caps [m]
  double radius = 0;       ///< [m]
};

/// What may touch others. Finite elements: nodes and triangles of the surface. Rods: capsules.
struct DeformableSurface {
  std::vector<int> nodes;                     ///< ascending
  std::vector<std::array<int, 3>> triangles;  ///< of nodes, counterclockwise seen from outside
  std::vector<SegmentCapsule> capsules;
};

struct DeformableEnergy {
  double kinetic = 0, elastic = 0, gravity = 0;  ///< [J]; gravity: -sum m g . x
  double total() const { return kinetic + elastic + gravity; }
};

struct DeformableMomentum {
  Vector3 linear = Vector3::Zero();   ///< [kg m/s]
  Vector3 angular = Vector3::Zero();  ///< about the world's origin [kg m^2/s]
};

class Deformable {
 public:
  virtual ~Deformable() = default;

  /// Sizes of q and v, and of the velocities of what is held.
  int nq() const { return static_cast<int>(initial_q_.size()); }
  int nv() const { return nv_; }
  int num_held_dofs() const { return num_held_dofs_; }
  /// Nodes or segments, and dofs of each (3 or 6). In q, item i begins at i * (nq / num_items).
  int num_items() const { return static_cast<int>(first_dof_.size()); }
  int dofs_per_item() const { return dofs_per_item_; }
  /// Where the dofs of a node or segment begin in v; -1 if it is held.
  int first_dof(int item) const { return first_dof_[static_cast<std::size_t>(item)]; }
  /// Where they begin in held_velocity; -1 if it is free.
  int first_held_dof(int item) const { return first_held_dof_[static_cast<std::size_t>(item)]; }

  /// Where it was made, at rest.
  const VectorX& initial_q() const { return initial_q_; }
  /// A with zeros for values: blocks of dofs_per_item, both triangles, columns ascending.
  const SparseMatrix& pattern() const { return pattern_; }
  const DeformableSurface& surface() const { return surface_; }

  virtual std::unique_ptr<DeformableData> MakeData() const = 0;

  /// Fills the values of A, which must have the pattern, and b. The bits are the same for any number of threads; `pool`
  /// may be null. Nothing is allocated. False if something is not finite. Throws InputError only where sizes are wrong.
  [[nodiscard]] virtual bool Assemble(const DeformableScheme& scheme, const DeformableInput& input, ThreadPool* pool,
                                      DeformableData* data, SparseMatrix* A, VectorX* b) const = 0;

  /// What it takes to hold what is held, given the answer to the last Assemble with this data: force = (A v_hat - b)/h
  /// of the held rows, num_held_dofs numbers [N, N m]. Contacts of held nodes are not in it.
  virtual void CalcHeldForces(const DeformableScheme& scheme, const DeformableInput& input, const VectorX& v_hat,
                              DeformableData* data, VectorX* force) const = 0;

  /// q <- q (+) h v_hat.
  virtual void Integrate(const VectorX& v_hat, const VectorX* held_velocity, double h, VectorX* q) const = 0;

  virtual DeformableEnergy CalcEnergy(const DeformableInput& input, DeformableData* data) const = 0;
  virtual DeformableMomentum CalcMomentum(const DeformableInput& input) const = 0;
  virtual double mass() const = 0;
  /// Diagonal of the mass matrix with consistent masses lumped, at q: nv numbers > 0 [kg, kg m^2].
  virtual void CalcInertia(const VectorX& q, VectorX* inertia) const = 0;
  /// Finite elements: von Mises stress per element. Rods: the largest stress of the cross section per joint. [Pa]
  virtual void CalcStress(const VectorX& q, DeformableData* data, VectorX* stress) const = 0;

  /// v_next = (v_hat - theta v)/(1 - theta).
  static void CalcEndVelocity(const DeformableScheme& scheme, const VectorX& v_hat, VectorX* v);

 protected:
  /// Numbers dofs of `items` nodes or segments, of which `held` (checked, any order) are held.
  void NumberDofs(int items, int dofs_per_item, const std::vector<int>& held);
  /// Throws InputError if vectors or A are not of this deformable's sizes, which is misuse.
  void CheckSizes(const DeformableInput& input, const SparseMatrix& A) const;
  /// The block pattern out of the neighbours of each item, itself included, ascending.
  void MakePattern(const std::vector<std::vector<int>>& neighbours);

  VectorX initial_q_;
  SparseMatrix pattern_;
  DeformableSurface surface_;

 private:
  int nv_ = 0, num_held_dofs_ = 0, dofs_per_item_ = 0;
  std::vector<int> first_dof_, first_held_dof_;
};

}  // namespace tactus
