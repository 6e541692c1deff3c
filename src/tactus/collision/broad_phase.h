// Broad phase: which objects of many may touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tactus/collision/dynamic_tree.h"
#include "tactus/geometry/aabb.h"

namespace tactus {

/// What decides whether two objects may touch at all.
struct BroadPhaseObject {
  int body = 0;               ///< objects of one body do not touch each other
  unsigned contact_type = 1;  ///< a and b may touch if type and affinity share a bit, either way round
  unsigned contact_affinity = 1;
  bool fixed = false;  ///< does not move: no pairs of two fixed ones
};

struct ObjectPair {
  int a = 0, b = 0;  ///< a < b
  bool operator==(const ObjectPair&) const = default;
};

/// Objects keep their numbers; boxes may be unbounded (half-spaces). Which pairs are found, and their order, depends on
/// the boxes of the moment only, never on how they got there. Takes no memory once it has seen as many objects and
/// pairs.
class BroadPhase {
 public:
  /// Numbers count up from 0.
  int Add(const BroadPhaseObject& object, const Aabb& box);
  void Remove(int object);
  void SetBox(int object, const Aabb& box);

  /// Never any objects of these two bodies, such as a link and its parent.
  void ExcludeBodies(int a, int b);
  /// Always these two objects if their boxes overlap, whatever masks, bodies and exclusions say.
  void AddPair(int a, int b);

  /// More pairs than this are refused: thousands of objects in one place would fill the memory.
  void SetMaxPairs(std::size_t most) { max_pairs_ = most; }
  /// All pairs that may touch and whose boxes overlap, sorted. Valid until the next call. Throws InputError if there
  /// are too many.
  const std::vector<ObjectPair>& FindPairs();

  int count() const { return static_cast<int>(entries_.size()); }
  const Aabb& box(int object) const { return entries_[static_cast<std::size_t>(object)].box; }

 private:
  struct Entry {
    BroadPhaseObject object;
    Aabb box;
    int leaf = -1;  ///< in the tree; -1: unbounded or removed
    bool removed = false;
  };

  Entry& at(int object) { return entries_[static_cast<std::size_t>(object)]; }
  void Place(int object);
  void Leave(int object);
  bool MayTouch(const Entry& a, const Entry& b) const;
  void Consider(int a, int b);

  std::size_t max_pairs_ = std::size_t{1} << 30;
  std::vector<Entry> entries_;
  DynamicTree tree_;
  std::vector<int> unbounded_;
  std::vector<std::uint64_t> excluded_;  // pairs of bodies, sorted
  std::vector<std::uint64_t> explicit_;  // pairs of objects, sorted
  std::vector<std::uint64_t> keys_;
  std::vector<ObjectPair> pairs_;
  std::vector<std::pair<int, int>> stack_;
};

}  // namespace tactus
