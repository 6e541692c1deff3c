// Dishes as bodies of revolution (paper 000, appendix B): all points within d of the revolved polyline O-A-B.
#pragma once

#include <vector>

#include "tactus/core/types.h"

namespace tactus {

/// The profile in the (r, z) half plane; O is the origin.
struct DishProfile {
  Vector2 A;     ///< end of the base
  Vector2 B;     ///< rim
  double d = 0;  ///< half of the thickness, and the radius of all roundings
};

/// Distance from the dish's surface (negative inside) and its gradient, eq. (46).
double CalcDishDistance(const DishProfile& dish, const Vector2& p, Vector2* gradient);

/// Points of the lower (outer) surface from the axis to the rim, at most `step` apart, the rounding at A included.
std::vector<Vector2> SampleUnderside(const DishProfile& dish, double step);

/// How high `upper` must be lifted so that it just touches `lower`, both upright on one axis.
double CalcStackHeight(const DishProfile& lower, const DishProfile& upper);

/// Mass properties of the thin shell O-A-B of unit mass: height of its centre and principal moments about it.
struct DishInertia {
  double center = 0;
  double transverse = 0, axial = 0;
};
DishInertia CalcDishInertia(const DishProfile& dish);

}  // namespace tactus
