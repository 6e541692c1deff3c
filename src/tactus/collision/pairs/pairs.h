// One function a kind of pair; the table of them is in collide.cc. They append to `out`, with normals from b to a.
#pragma once

#include "tactus/collision/collide.h"

namespace tactus {

struct PairInput {
  const CollisionShape& a;
  const Pose& X_WA;
  const CollisionShape& b;
  const Pose& X_WB;
  double margin;
};

using CollidePair = void (*)(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);

// sphere_pairs.cc: in closed form.
void CollideSphereSphere(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
void CollideSphereCapsule(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
void CollideSphereBox(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
void CollideSphereCylinder(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
// capsule_pairs.cc
void CollideCapsuleCapsule(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
// box_pairs.cc
void CollideBoxBox(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
// half_space_pairs.cc: b is the half-space.
void CollideSphereHalfSpace(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
void CollideCapsuleHalfSpace(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
void CollideBoxHalfSpace(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
void CollideCylinderHalfSpace(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
void CollideEllipsoidHalfSpace(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
void CollideFieldHalfSpace(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
void CollidePointsHalfSpace(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
// convex_pairs.cc: any two convex shapes.
void CollideConvex(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
// surface_pairs.cc: a convex shape a and a surface of triangles b.
void CollideConvexSurface(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
// field_pairs.cc: b is the field.
void CollideSphereField(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
void CollideCapsuleField(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);
void CollideProbeField(const PairInput& in, CollisionScratch* scratch, ContactManifold* out);

}  // namespace tactus
