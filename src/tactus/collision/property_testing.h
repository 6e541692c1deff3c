// Properties that hold for every pair of convex shapes; checked on few poses in the quick tests, on many in the long.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tactus/geometry/shape.h"

namespace tactus {

struct PropertyFigures {
  int poses = 0;
  int touching = 0;        ///< with contacts
  double gap_error = 0;    ///< worst |gap - reference| [m]
  double certificate = 0;  ///< worst |g(normal) - gap| [m]
  double outside = 0;      ///< worst distance of the deepest point's two sides from the surfaces [m]
};

/// Runs `poses` random poses of shapes of these types and expects all properties. Figures say by how much they hold.
PropertyFigures ExpectProperties(ShapeType a, ShapeType b, int poses, unsigned seed);

using TypePair = std::pair<ShapeType, ShapeType>;
/// Convex shapes against each other and the half-space.
std::vector<TypePair> ConvexPairs();
/// For the names of tests.
std::string PairName(const TypePair& pair);

}  // namespace tactus
