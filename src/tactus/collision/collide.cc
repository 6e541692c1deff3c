#include "tactus/collision/collide.h"

#include <utility>

#include "tactus/collision/pairs/pairs.h"

namespace tactus {

namespace {

// Row a, column b, in the order of CollisionKind; below the diagonal the pair is swapped.
constexpr CollidePair kPairs[kCollisionKinds][kCollisionKinds] = {
    // clang-format off
    // Sphere
    {CollideSphereSphere, CollideSphereCapsule, CollideSphereBox, CollideSphereCylinder, CollideConvex, CollideConvex,
     CollideConvexSurface, CollideSphereField, CollideSphereHalfSpace},
    // Capsule
    {nullptr, CollideCapsuleCapsule, CollideConvex, CollideConvex, CollideConvex, CollideConvex,
     CollideConvexSurface, CollideCapsuleField, CollideCapsuleHalfSpace},
    // Box
    {nullptr, nullptr, CollideBoxBox, CollideConvex, CollideConvex, CollideConvex,
     CollideConvexSurface, CollideProbeField, CollideBoxHalfSpace},
    // Cylinder
    {nullptr, nullptr, nullptr, CollideConvex, CollideConvex, CollideConvex,
     CollideConvexSurface, CollideProbeField, CollideCylinderHalfSpace},
    // Ellipsoid
    {nullptr, nullptr, nullptr, nullptr, CollideConvex, CollideConvex,
     CollideConvexSurface, CollideProbeField, CollideEllipsoidHalfSpace},
    // ConvexMesh
    {nullptr, nullptr, nullptr, nullptr, nullptr, CollideConvex,
     CollideConvexSurface, CollideProbeField, CollidePointsHalfSpace},
    // Surface
    {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
     nullptr, CollideProbeField, CollidePointsHalfSpace},
    // Field
    {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
     nullptr, CollideProbeField, CollideFieldHalfSpace},
    // HalfSpace
    {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
     nullptr, nullptr, nullptr},
    // clang-format on
};

CollidePair Find(CollisionKind a, CollisionKind b) {
  return kPairs[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}

}  // namespace

bool CanCollide(CollisionKind a, CollisionKind b) { return Find(a, b) != nullptr || Find(b, a) != nullptr; }

void CollideShapes(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b, const Pose& X_WB, double margin,
                   CollisionScratch* scratch, ContactManifold* out) {
  out->Clear();
  if (const CollidePair collide = Find(a.kind(), b.kind()); collide != nullptr) {
    collide({a, X_WA, b, X_WB, margin}, scratch, out);
  } else if (const CollidePair swapped = Find(b.kind(), a.kind()); swapped != nullptr) {
    swapped({b, X_WB, a, X_WA, margin}, scratch, out);
    for (ContactPoint& contact : out->points) {
      contact.normal = -contact.normal;
      contact.feature = (contact.feature << 32) | (contact.feature >> 32);
    }
  }
}

}  // namespace tactus
