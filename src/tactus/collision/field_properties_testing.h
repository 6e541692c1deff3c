// Properties of pairs with fields in random poses, from apart to deep in each other: points are where they say, and a
// reference that samples the surfaces finds nothing lower.
#pragma once

#include <string>

namespace tactus {

/// The worst of some poses.
struct FieldPairFigures {
  int touching = 0, shallow = 0, failed = 0;
  double normal = 0;       ///< length of a normal off 1
  double place = 0;        ///< of a point's side off the surface it is on [m]
  double missed = 0;       ///< by how much the reference was lower than the manifold where that is shallow [m]
  double missed_deep = 0;  ///< the same where it is deep
  double swapped = 0, moved = 0;
};

/// Of dish_box, dish_sphere, dish_dish, nut_bolt (every other pose next to that in which the thread fits) or grid_box.
/// Each pose has a seed of its own, its number. All are judged; those that fail are told by number, so that they can be
/// tried alone.
FieldPairFigures JudgeFieldPair(const std::string& name, int first, int count);

}  // namespace tactus
