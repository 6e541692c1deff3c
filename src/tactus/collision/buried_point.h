// A point behind a surface of triangles.
#pragma once

#include "tactus/collision/collide.h"
#include "tactus/collision/triangle_surface.h"
#include "tactus/math/spatial.h"

namespace tactus {

/// Points have no size, so that to CollideShapes one that is inside a concave mesh or below terrain is merely near.
/// If p_W is behind a one-sided surface at X_WS, at most `reach` deep [m], replaces `out` by how it gets out: the
/// nearest way, and what else is within `margin` before it [m]. Shape a is the surface, b the point (feature 0). False,
/// and nothing is changed, if it is not behind.
bool CollideBuriedPoint(const TriangleSurface& surface, const Pose& X_WS, const Vector3& p_W, double reach,
                        double margin, CollisionScratch* scratch, ContactManifold* out);

}  // namespace tactus
