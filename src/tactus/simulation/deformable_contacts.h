// Contacts of what deforms: with rigid shapes, with each other, with itself.
//
// Finite elements touch by the nodes of their surface, and by points between them where something sharp or small would
// pass between nodes: an edge, a corner, a small ball. Rods touch by capsules, one a segment. Of two meshes, nodes are
// held against the other's triangles. Everything is found by trees of boxes that are refitted at every call.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tactus/collision/collide.h"
#include "tactus/collision/refit_tree.h"
#include "tactus/core/thread_pool.h"
#include "tactus/simulation/deformable_set.h"
#include "tactus/simulation/simulator_object.h"

namespace tactus {

/// What a search sees of the rigid shapes: the first of all objects.
struct RigidObjects {
  std::span<const SimulatorObject> objects;
  std::span<const Pose> poses;
  std::span<const Aabb> boxes;  ///< where they are and go
  std::span<const ObjectMotion> motions;
};

/// A triangle and a rigid shape, world coordinates. The normal is from the triangle to the shape.
struct TriangleSeparation {
  bool within = false;
  double gap = 0;  ///< the shape's rounding taken off [m]
  Vector3 normal = Vector3::UnitZ(), foot = Vector3::Zero();
  Vector3 weights = Vector3::Zero();  ///< of the foot, a point of the triangle
};

/// An exception to masks: two objects of which one deforms, or one that deforms and itself.
struct DeformablePair {
  int a = 0, b = 0;                ///< among all objects, a <= b
  std::optional<double> friction;  ///< between them; none: they never touch
};

class DeformableContacts {
 public:
  explicit DeformableContacts(int threads) : workers_(static_cast<std::size_t>(threads)) {}

  /// `object`: its number among all objects.
  void Add(const Deformable& body, const DeformableSetup& setup, int object);
  bool empty() const { return parts_.empty(); }

  /// Items of deformable k stay on a body (-1: the world, or what moves as prescribed) that has the rigid `objects`.
  /// While they do they do not touch it. Returns the number of the bond, which does not hold yet.
  int AddBond(int k, const std::vector<int>& items, int body, std::vector<bool> objects);
  /// From now on. Allocates nothing.
  void SetBond(int bond, bool holds);
  /// Of two rules for the same objects, one with a friction wins.
  void SetPair(const DeformablePair& pair);
  const DeformablePair* FindPair(int a, int b) const;  ///< null: nothing but masks
  const std::vector<DeformablePair>& pairs() const { return pairs_; }

  /// Appends all points that may touch within h, without materials and frames, sorted by objects and features.
  void Find(const RigidObjects& rigid, const std::vector<DeformableState>& states, double h, double margin,
            ThreadPool* pool, std::vector<ContactState>* contacts);
  /// Whether something now covers ground that the last Find did not look at.
  bool LeavesSearched(const std::vector<DeformableState>& states, double h) const;

  /// Velocity of the point of a contact on deformable k.
  Vector3 PointVelocity(const std::vector<DeformableState>& states, int k, const DeformablePoint& point,
                        const Vector3& p) const {
    return CalcPointVelocity(*parts_[static_cast<std::size_t>(k)].body, states[static_cast<std::size_t>(k)], point, p);
  }
  const Deformable& body(int k) const { return *parts_[static_cast<std::size_t>(k)].body; }

  std::size_t CalcMemory() const;

 private:
  struct Part {
    const Deformable* body = nullptr;
    int object = 0;
    bool self_contact = false, collides = true;
    unsigned contact_type = 1, contact_affinity = 1;
    double edge = 0;     // mean length of the surface's edges; of rods the length of a segment
    int neighbours = 0;  // rods: segments this near in the rod do not touch each other
    RefitTree nodes, triangles, segments;
    std::vector<std::array<int, 3>> edges;  // of triangles: opposite to each corner
    std::shared_ptr<const CollisionShape> capsule;
    std::vector<int> carriers;  // of items: what they move with
    std::vector<int> bonds;     // those that hold
  };
  // What no body carries; bodies and -1 are as in SimulatorObject.
  static constexpr int kOwn = -2;
  struct Bond {
    int part = 0, body = -1;
    std::vector<int> items;
    std::vector<bool> beside;   // by item: those, and segments of which the capsules overlap with theirs
    std::vector<bool> objects;  // by rigid object: part of the body
    bool holds = false;
  };
  enum class Kind : std::uint8_t {
    NodeShape,        // node of a against rigid object b
    TriangleShape,    // triangle of a, likewise
    SegmentShape,     // segment of a, likewise
    SegmentSegment,   // of a and b
    SegmentTriangle,  // segment of a, triangle of b
    NodeTriangle,     // node of a, triangle of b
  };
  struct Candidate {
    Kind kind;
    int a, item_a, b, item_b;
  };
  struct Worker {
    CollisionScratch scratch;
    ContactManifold manifold;
  };
  struct Input {
    const RigidObjects* rigid;
    const std::vector<DeformableState>* states;
    double h, margin;
  };
  // Something that touches: which object, where on it.
  struct Side {
    int object;
    int part;  // -1: rigid
    DeformablePoint point;
    int carrier;       // all of the point moves with this body; -1: as prescribed; kOwn
    Vector3 velocity;  // at the place of contact
  };

  void MakeEdges(Part* part) const;
  void Place(const Input& in);
  void FindCandidates(const Input& in);
  void AddWithRigid(const Input& in, int k);
  void AddBetween(int k, int l);
  Aabb NodeBox(const Part& part, const DeformableState& state, int node, double h) const;
  Aabb SegmentBox(const Part& part, const DeformableState& state, int segment, double h) const;

  void Collide(const Candidate& c, const Input& in, Worker* worker, std::vector<ContactState>* out) const;
  void CollideNodeShape(const Candidate& c, const Input& in, Worker* worker, std::vector<ContactState>* out) const;
  void CollideTriangleShape(const Candidate& c, const Input& in, Worker* worker, std::vector<ContactState>* out) const;
  void AppendBetween(const Candidate& c, const Input& in, const TriangleSeparation& near,
                     const std::array<Vector3, 3>& corners, Worker* worker, std::vector<ContactState>* out) const;
  void AppendOnTriangle(const Candidate& c, const Input& in, const TriangleSeparation& near,
                        std::vector<ContactState>* out) const;
  void CollideSegmentShape(const Candidate& c, const Input& in, Worker* worker, std::vector<ContactState>* out) const;
  void CollideSegments(const Candidate& c, const Input& in, Worker* worker, std::vector<ContactState>* out) const;
  void CollideSegmentTriangle(const Candidate& c, const Input& in, Worker* worker,
                              std::vector<ContactState>* out) const;
  void CollideNodeTriangle(const Candidate& c, const Input& in, std::vector<ContactState>* out) const;

  std::array<Vector3, 3> Corners(const Input& in, int part, int triangle) const;
  double Margin(const Input& in, const Vector3& relative) const { return in.margin + in.h * relative.norm(); }
  Side RigidSide(const Input& in, int object, const Vector3& p) const;
  Side DeformableSide(const Input& in, int part, const DeformablePoint& point, const Vector3& p) const;
  DeformablePoint PointOnTriangle(int part, int triangle, const Vector3& weights, std::uint32_t* feature) const;
  void Append(const Input& in, const Side& a, const Side& b, const ContactPoint& point,
              std::vector<ContactState>* out) const;
  bool MayTouch(const Part& part, int object, unsigned type, unsigned affinity) const;
  bool TouchesItself(const Part& part) const;
  int FindCarrier(const Part& part, const DeformablePoint& point) const;
  bool IsBeside(const Side& soft, const Side& rigid) const;

  std::vector<Part> parts_;
  std::vector<Bond> bonds_;
  std::vector<DeformablePair> pairs_;  // sorted
  std::vector<Candidate> candidates_;
  std::vector<int> stack_;
  std::vector<Worker> workers_;
  std::vector<std::vector<ContactState>> chunks_;
};

}  // namespace tactus
