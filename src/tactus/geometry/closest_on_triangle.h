// The point of a triangle nearest to another.
#pragma once

#include "tactus/core/types.h"

namespace tactus {

/// Weights (>= 0, sum 1) of the corners in the point of the triangle nearest to p; zero for corners it does not depend
/// on. Also for triangles without area.
Vector3 ClosestOnTriangle(const Vector3& p, const Vector3& a, const Vector3& b, const Vector3& c);

}  // namespace tactus
