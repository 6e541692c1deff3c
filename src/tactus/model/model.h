// A mechanism ready for dynamics: a forest of moving frames, each moved by one joint.
//
// "Body" here means such a frame with the mass of everything welded to it. A link with several joints (MJCF) becomes
// as many bodies, all but the last without mass; links without joints are welded into their parents. Bodies are in
// depth-first order, parents first. Links keep their names and their poses on bodies.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tactus/model/free_body_batch.h"
#include "tactus/model/model_description.h"

namespace tactus {

/// Everything about one body. Frames: the joint's frame J at q = 0 is X_PJ in the parent's body frame; the body's frame
/// is where the joint moves it.
struct ModelBody {
  int parent = -1;  ///< -1: the world
  int root = 0;     ///< first body of its tree
  const JointKind* kind = nullptr;
  int q = 0, v = 0;  ///< first entries in q and v
  int nv = 0;
  int linear_dofs = 0;  ///< how many of the first dofs are translations that come before rotations
  Pose X_PJ;
  SpatialInertia inertia;  ///< about the body's origin, in its axes
  int joint = 0;           ///< index in Model::joints()
  int angle = -1;          ///< Revolute, Continuous: index in Model::angles()
};

/// Joint data that dynamics does not need in its inner loops.
struct ModelJoint {
  JointDescription description;
  int body = 0;
  int link = 0;    ///< the link it moves
  int mimic = -1;  ///< joint that it follows
};

struct ModelLink {
  std::string name;
  int parent = -1;      ///< link; -1: the world
  int body = -1;        ///< -1: welded to the world
  Pose X_BL;            ///< in the body's frame (in the world's if body is -1)
  bool moving = false;  ///< has joints of its own
};

/// Immutable. Throws InputError where the description does not make sense.
class Model {
 public:
  Model() = default;
  explicit Model(const ModelDescription& description);

  int nq() const { return nq_; }
  int nv() const { return nv_; }
  int num_bodies() const { return static_cast<int>(bodies_.size()); }
  const ModelBody& body(int b) const { return bodies_[b]; }
  const std::vector<ModelBody>& bodies() const { return bodies_; }
  const std::vector<ModelJoint>& joints() const { return joints_; }
  const std::vector<ModelLink>& links() const { return links_; }
  const std::vector<int>& roots() const { return roots_; }
  /// Entries of q that are angles of revolute joints.
  const std::vector<int>& angles() const { return angles_; }
  /// Bodies that float alone, in fours; and all other bodies, as ranges [first, second).
  const std::vector<FreeBodyBatch>& free_batches() const { return free_batches_; }
  const std::vector<std::pair<int, int>>& tree_ranges() const { return tree_ranges_; }
  const ModelDescription& description() const { return description_; }
  const std::string& name() const { return description_.name; }
  const Vector3& gravity() const { return description_.gravity; }

  /// -1 if there is none of that name.
  int FindLink(std::string_view name) const;
  int FindJoint(std::string_view name) const;

  /// Mass of everything, what is welded to the world included.
  double total_mass() const { return total_mass_; }
  /// False where some dof moves no mass: then dynamics refuses the model (see CheckDynamics).
  bool has_dynamics() const { return massless_joint_ < 0; }
  /// Throws InputError that names the joint that moves no mass.
  void CheckDynamics() const;

  /// Per dof.
  int dof_body(int d) const { return dof_body_[d]; }
  /// The dof before d on the way to the root, -1 at a root.
  int dof_parent(int d) const { return dof_parent_[d]; }
  const VectorX& armature() const { return armature_; }
  const VectorX& damping() const { return damping_; }

  /// Matrices with branch sparsity store, for each dof d, the entries of row d at d and its ancestors, in that order:
  /// branch_start(d) is where row d begins, branch_length(d) how many there are.
  int branch_start(int d) const { return branch_start_[d]; }
  int branch_length(int d) const { return branch_start_[d + 1] - branch_start_[d]; }
  int branch_size() const { return branch_start_.back(); }

  VectorX MakeNeutral() const;
  /// Where the description puts everything: references of joints, initial poses of floating links.
  VectorX MakeInitial() const;
  VectorX MakeRandom(Random* random) const;
  /// q (+) v dt.
  void Integrate(const ConstVectorRef& q, const ConstVectorRef& v, double dt, VectorX* out) const;
  /// v such that q0 (+) v = q1.
  void Difference(const ConstVectorRef& q0, const ConstVectorRef& q1, VectorX* v) const;

 private:
  // Names to indices, looked up without making a string.
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  using NameMap = std::unordered_map<std::string, int, NameHash, std::equal_to<>>;

  void AddLink(int index);
  void FinishDofs();
  void FindFreeBodies();

  ModelDescription description_;
  NameMap link_numbers_, joint_numbers_;
  int nq_ = 0, nv_ = 0, massless_joint_ = -1;
  double total_mass_ = 0;
  std::vector<ModelBody> bodies_;
  std::vector<ModelJoint> joints_;
  std::vector<ModelLink> links_;
  std::vector<int> roots_, angles_, dof_body_, dof_parent_;
  std::vector<FreeBodyBatch> free_batches_;
  std::vector<std::pair<int, int>> tree_ranges_;
  std::vector<int> branch_start_ = {0};
  VectorX armature_, damping_;
};

/// Of something that deforms (deformable/deformable.h): places, velocities of what is free to move, and of what is
/// held.
struct DeformableState {
  VectorX q, v, held_velocity;
};

/// q, v and time of a model, and of what deforms beside it.
struct State {
  VectorX q, v;
  double time = 0;
  std::vector<DeformableState> deformables = {};
};

}  // namespace tactus
