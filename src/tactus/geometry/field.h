// Solids as signed distance fields.
#pragma once

#include <memory>

#include "tactus/core/types.h"
#include "tactus/geometry/aabb.h"
#include "tactus/geometry/mesh.h"

namespace tactus {

/// A function f of space that is negative inside a solid, zero on its surface and positive outside, and that nowhere
/// changes faster than distance: |f(p) - f(q)| <= |p - q|. So |f| never exceeds the distance from the surface, and a
/// ball around p of radius less than |f(p)| does not reach the surface. Each field says where |f| is that distance
/// ("exact") and where only such a bound.
///
/// Immutable; share it between shapes and threads.
class SignedDistanceField {
 public:
  virtual ~SignedDistanceField() = default;
  SignedDistanceField(const SignedDistanceField&) = delete;
  SignedDistanceField& operator=(const SignedDistanceField&) = delete;

  /// f(p) [m], and its gradient if that is not null: of unit length where f is exact, some one-sided gradient where f
  /// has a kink.
  virtual double Evaluate(const Vector3& p, Vector3* gradient) const = 0;

  /// The point of the solid farthest along d; false if the field does not know.
  virtual bool CalcSupport(const Vector3& /*d*/, Vector3* /*point*/) const { return false; }

  /// Around the solid.
  const Aabb& box() const { return box_; }
  /// Triangles whose corners are on the surface, counterclockwise seen from outside.
  const TriangleMesh& surface() const { return surface_; }
  /// No point of a triangle is farther from the true surface [m].
  double surface_error() const { return surface_error_; }

 protected:
  SignedDistanceField() = default;
  /// The box follows from it.
  void SetSurface(TriangleMesh surface, double error);

 private:
  TriangleMesh surface_;
  double surface_error_ = 0;
  Aabb box_;
};

using FieldPointer = std::shared_ptr<const SignedDistanceField>;

}  // namespace tactus
