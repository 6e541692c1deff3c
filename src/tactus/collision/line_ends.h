// The ends of the stretch that two round lines have in common: of capsules, of cylinders' mantles, of edges.
//
// Where lines are at a small angle they touch in one place, but their ends are only a hair apart, (s angle)^2 / 2r at a
// distance s, and they rock from one end to the other within a step. So the ends are contacts, too.
#pragma once

#include "tactus/core/types.h"

namespace tactus {

/// A straight line from middle - half * along to middle + half * along, with a mantle around it.
struct RoundLine {
  Vector3 middle, along;
  double half;
  double radius;    ///< of the mantle; 0 for an edge
  bool round_ends;  ///< half spheres (a capsule), or flat with a rim (a cylinder)
};

/// A contact there. point + gap / 2 * normal is on the surface of a, point - gap / 2 * normal on that of b.
struct LineEnd {
  Vector3 point, normal;  ///< the normal looks from b towards a
  double gap = 0;
  bool a_ends = false;  ///< it is a that ends here, or b
  int end = 0;          ///< of the line that ends: 0 at -half, 1 at +half
};

/// Fills `out` with up to two ends and returns how many: none where the lines are at an angle whose sine is 0.5 or
/// greater, or have less than `least` in common. `normal` from b to a serves where the lines meet.
int CalcLineEnds(const RoundLine& a, const RoundLine& b, const Vector3& normal, double least, LineEnd out[2]);

}  // namespace tactus
