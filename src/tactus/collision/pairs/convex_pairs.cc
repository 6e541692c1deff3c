#include "tactus/collision/pairs/pairs.h"

namespace tactus {

void CollideConvex(const PairInput& in, CollisionScratch* scratch, ContactManifold* out) {
  CollideCores(in.a.core(), in.X_WA, in.b.core(), in.X_WB, in.margin, &scratch->convex, out);
}

}  // namespace tactus
