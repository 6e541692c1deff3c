// Contacts of a model with itself and the world.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tactus/collision/broad_phase.h"
#include "tactus/collision/collide.h"
#include "tactus/collision/contact_clustering.h"
#include "tactus/constraints/constraint.h"
#include "tactus/core/thread_pool.h"
#include "tactus/dynamics/model_data.h"
#include "tactus/simulation/deformable_contacts.h"
#include "tactus/simulation/simulator_object.h"
#include "tactus/simulation/step_report.h"

namespace tactus {

struct ContactFinderSettings {
  /// Contacts are looked for this far ahead, beyond what velocities cover in a step [m].
  double margin = 1e-3;
  /// Most points of a pair of shapes; more are merged into fewer, and the report says how many.
  int max_points = 120;
  /// More contacts than this are refused: thousands of bodies in one place would fill the memory.
  int max_contacts = 1000000;
  /// False: nothing touches anything.
  bool enabled = true;

  void Validate() const;  ///< throws InputError
};

/// Two shapes that overlap where a simulation starts.
struct InitialOverlap {
  std::string first, second;  ///< names of the shapes
  double depth = 0;           ///< [m]
  bool excluded = false;      ///< parts of one tree: they never collide
};

/// Where everything is and how fast, for a search.
struct FinderInput {
  const ModelData* data = nullptr;                            ///< positions and velocities of bodies
  const std::vector<PrescribedState>* prescribed = nullptr;   ///< of links without bodies, by link; null: all fixed
  double h = 0;                                               ///< how long they move like that [s]
  const std::vector<DeformableState>* deformables = nullptr;  ///< not null if there are any
};

class ContactFinder {
 public:
  ContactFinder(const Model& model, const ContactFinderSettings& settings, int threads);

  const std::vector<SimulatorObject>& objects() const { return objects_; }
  /// Appends a deformable as an object, before the first Find. Both must stay.
  void AddDeformable(const Deformable& body, const DeformableSetup& setup);
  /// Items of deformable k stay on a link (-1: the world), which they do not touch while SetAttached says so. Returns
  /// its number; numbers count up from 0.
  int AddAttachment(int k, const std::vector<int>& items, int link);
  void SetAttached(int attachment, bool holds) { deformable_.SetBond(attachment, holds); }
  void SetDeformablePair(const DeformablePair& pair) { deformable_.SetPair(pair); }
  const std::vector<DeformablePair>& deformable_pairs() const { return deformable_.pairs(); }
  /// Lets an object without a body move.
  void SetMoving(int object) { moving_[static_cast<std::size_t>(object)] = true; }

  /// All points that may touch within the step: those whose gap along the normal may fall below the margin. Those that
  /// velocities take there are active. Sorted by objects, then as the shapes give them. Throws InputError if there are
  /// more than max_contacts.
  void Find(const FinderInput& input, std::vector<ContactState>* contacts);
  /// Whether what moves now covers ground that the last Find did not look at.
  bool LeavesSearched(const FinderInput& input);
  /// Points that clustering merged in the last Find.
  int merged() const { return merged_; }

  /// Velocity of a's point relative to b's.
  Vector3 RelativeVelocity(const FinderInput& input, const ContactState& contact) const;
  /// Velocity of a rigid object's point where the object moves as prescribed, otherwise zero.
  Vector3 PrescribedVelocity(const FinderInput& input, int object, const Vector3& p_W) const;
  /// Of a rigid object.
  Pose ObjectPose(const FinderInput& input, int object) const;

  /// Pairs of objects of one tree that overlap in `input`, as it is before the first step, never collide. Returns all
  /// pairs that overlap, those of different trees too, which do collide.
  std::vector<InitialOverlap> ExcludeOverlapping(const FinderInput& input);

  std::size_t CalcContactMemory() const;
  std::size_t CalcObjectMemory() const;

 private:
  using Motion = ObjectMotion;
  // Memory of one thread.
  struct Worker {
    CollisionScratch scratch;
    ContactManifold manifold;
    ClusterScratch cluster;
  };
  struct Chunk {
    std::vector<ContactState> contacts;
    int merged = 0;
  };
  struct PairFriction {
    ObjectPair pair;
    double friction = 0;
  };

  void AddObject(const ShapeInstance& shape, int link, int body, const Pose& X_BS, int number, const Pose& X_WB);
  [[noreturn]] void FailTooMany() const;
  int BodyNumber(int link) const;
  void AddPairs();
  void Place(const FinderInput& input);
  Aabb SweptBox(std::size_t k, double h) const;
  void CollidePair(const ObjectPair& pair, double h, Worker* worker, Chunk* out) const;
  void SetMaterial(const ObjectPair& pair, ContactState* contact) const;
  const PairFriction* FindPairFriction(const ObjectPair& pair) const;  // null: that of the materials
  Vector6 ObjectVelocity(const FinderInput& input, int object, const Vector3& p_W) const;
  Vector3 SideVelocity(const FinderInput& input, int object, const DeformablePoint& point, const Vector3& p_W) const;
  void FindDeformable(const FinderInput& input, std::vector<ContactState>* contacts);

  const Model& model_;
  ContactFinderSettings settings_;
  std::vector<SimulatorObject> objects_;
  std::vector<bool> moving_;
  std::vector<double> radius_;  // of a shape about its middle; infinite for half-spaces
  std::vector<Pose> poses_;
  std::vector<Motion> motions_;
  std::vector<Aabb> searched_;
  BroadPhase broad_phase_;
  std::vector<PairFriction> explicit_;
  std::vector<std::pair<int, int>> overlapping_;  // pairs of objects that never collide, sorted
  ThreadPool pool_;
  std::vector<Worker> workers_;
  std::vector<Chunk> chunks_;
  int merged_ = 0;
  std::size_t rigid_ = 0;  // objects before those that deform
  DeformableContacts deformable_;
};

}  // namespace tactus
