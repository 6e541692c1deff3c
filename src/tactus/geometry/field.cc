#include "tactus/geometry/field.h"

#include <utility>

namespace tactus {

void SignedDistanceField::SetSurface(TriangleMesh surface, double error) {
  surface_ = std::move(surface);
  surface_error_ = error;
  Aabb box;
  for (const Vector3& p : surface_.vertices) box.Extend(p);
  box_ = box.Padded(error);
}

}  // namespace tactus
