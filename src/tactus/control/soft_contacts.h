// Which contacts of a soft robot an inverse problem keeps.
//
// A mesh that lies on something has many nodes there, and each contact is three rows of a dense problem. Of those that
// touch the same thing with the same tetrahedron, the nearest is kept (paper 004, section IV-B: "filter candidate
// contact points tetrahedron-wise, keeping only the most relevant ones").
#pragma once

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "tactus/deformable/deformable.h"
#include "tactus/simulation/step_report.h"

namespace tactus {

/// Which element a point of a deformable's surface belongs to.
class SurfaceElements {
 public:
  /// Of anything but finite elements each item is an element.
  explicit SurfaceElements(const Deformable& body);
  /// A node belongs to the first tetrahedron it is a corner of, a point of a triangle or edge to the first one that
  /// has it.
  int Find(const DeformablePoint& point) const;

 private:
  bool fem_ = false;
  std::vector<std::vector<int>> elements_;  // of nodes, ascending
};

class SoftContactFilter {
 public:
  /// One entry an object of the simulator: the elements of those that deform, null for others.
  explicit SoftContactFilter(std::vector<const SurfaceElements*> objects) : objects_(std::move(objects)) {}

  /// Goes through the contacts from the nearest on, and keeps one if no other was kept between the same two objects
  /// that has its element of either. They stay in the order they had.
  void Apply(std::vector<ContactState>* contacts);

 private:
  std::vector<const SurfaceElements*> objects_;
  std::vector<std::size_t> order_;
  std::vector<bool> keep_;
  std::vector<std::array<int, 3>> taken_;  // object, element, other object; sorted
};

}  // namespace tactus
