// A shape prepared for collision.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tactus/collision/convex_core.h"
#include "tactus/collision/field_probe.h"
#include "tactus/collision/polytope.h"
#include "tactus/collision/triangle_surface.h"
#include "tactus/geometry/aabb.h"
#include "tactus/geometry/shape.h"
#include "tactus/math/spatial.h"

namespace tactus {

/// What the table of pairs (collide.cc) goes by.
enum class CollisionKind { Sphere, Capsule, Box, Cylinder, Ellipsoid, ConvexMesh, Surface, Field, HalfSpace };
inline constexpr int kCollisionKinds = 9;

/// Immutable; share it between bodies and threads.
class CollisionShape {
 public:
  /// InputError, with `where`, for sizes that are negative or not finite, and for missing or impossible meshes. Sizes
  /// of zero are fine.
  static std::shared_ptr<const CollisionShape> Make(const Shape& shape, const std::string& where);

  CollisionShape(const CollisionShape&) = delete;
  CollisionShape& operator=(const CollisionShape&) = delete;

  CollisionKind kind() const { return kind_; }
  /// The convex shape; not for surfaces and half-spaces.
  const ConvexCore& core() const { return core_; }
  /// Of a concave mesh or height field, otherwise null.
  const TriangleSurface* surface() const { return surface_.get(); }
  const std::shared_ptr<const TriangleSurface>& shared_surface() const { return surface_; }
  /// Of a field, otherwise null.
  const FieldPointer& field() const { return field_; }
  /// Its surface for fields to be held against; not for spheres, capsules and half-spaces. Made at the first call.
  const FieldProbe& probe() const;
  /// Shape::corners_only.
  bool corners_only() const { return corners_only_; }
  /// Points whose hull is the shape: of meshes, height fields and fields.
  const std::vector<Vector3>& hull_points() const { return hull_points_; }

  /// The middle of the shape's box, in its own frame.
  const Vector3& centre() const { return centre_; }

  /// The box around the shape at a pose; unbounded for half-spaces.
  Aabb CalcBox(const Pose& X_WS) const;

 private:
  CollisionShape() = default;
  void SetMesh(const Shape& shape, const std::string& where);
  void SetField(const Shape& shape, const std::string& where);

  CollisionKind kind_ = CollisionKind::Sphere;
  ConvexCore core_;
  std::unique_ptr<const Polytope> polytope_;
  std::shared_ptr<const TriangleSurface> surface_;
  FieldPointer field_;
  bool corners_only_ = false;
  mutable std::once_flag probe_once_;
  mutable std::unique_ptr<const FieldProbe> probe_;
  std::vector<Vector3> hull_points_;
  Vector3 centre_ = Vector3::Zero(), half_ = Vector3::Zero();  // box in its own frame
};

}  // namespace tactus
