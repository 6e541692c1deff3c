// Narrow phase: two shapes in, contact points out.
#pragma once

#include <vector>

#include "tactus/collision/collision_shape.h"
#include "tactus/collision/contact_point.h"
#include "tactus/collision/convex_contact.h"
#include "tactus/collision/field_contact.h"

namespace tactus {

/// Memory of one thread for CollideShapes; nothing in it influences results.
struct CollisionScratch {
  ConvexScratch convex;
  std::vector<int> stack, triangles;  ///< of a search in a surface
  FieldScratch field;
};

/// Whether there is a way to collide these: not two surfaces (concave meshes, height fields), not two half-spaces.
bool CanCollide(CollisionKind a, CollisionKind b);

/// Replaces `out` by the points where the shapes are at most `margin` apart [m], enough of them to carry any load the
/// touching features can: all corners of the part that flat faces have in common. The point of least gap is among them,
/// and its gap is the distance between the shapes, or the least way that parts them. Nothing for pairs that cannot
/// collide. Takes no memory once scratch and manifold have grown; the same input gives the same bits.
void CollideShapes(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b, const Pose& X_WB, double margin,
                   CollisionScratch* scratch, ContactManifold* out);

}  // namespace tactus
