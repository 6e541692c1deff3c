// Shapes of bodies: what collides, and what inertia may be taken from.
#pragma once

#include <memory>
#include <string>

#include "tactus/core/types.h"
#include "tactus/geometry/field.h"
#include "tactus/geometry/height_field.h"
#include "tactus/geometry/material.h"
#include "tactus/geometry/mesh.h"
#include "tactus/math/spatial.h"

namespace tactus {

enum class ShapeType {
  Sphere,       ///< size[0] = radius
  Capsule,      ///< size[0] = radius, size[1] = half length of the cylindrical part, along z
  Cylinder,     ///< size[0] = radius, size[1] = half length, along z
  Box,          ///< half lengths along x, y, z
  Ellipsoid,    ///< semi-axes along x, y, z
  HalfSpace,    ///< z <= 0
  Mesh,         ///< `mesh`; its convex hull unless `concave`
  HeightField,  ///< `height_field`
  Field,        ///< `field`
};

const char* ToString(ShapeType type);

struct Shape {
  ShapeType type = ShapeType::Sphere;
  Vector3 size = Vector3::Zero();  ///< [m], see ShapeType
  std::shared_ptr<const TriangleMesh> mesh;
  std::string mesh_file;  ///< where the mesh came from, or should have
  bool concave = false;
  std::shared_ptr<const HeightField> height_field;
  FieldPointer field;
  /// Against fields, only the corners of its triangles count: fewer evaluations, but what touches between them is
  /// missed.
  bool corners_only = false;
};

/// A shape on a link.
struct ShapeInstance {
  std::string name;
  Shape shape;
  Pose X_LS;  ///< pose in the link's frame
  Material material;
  unsigned contact_type = 1;  ///< collides with affinity masks that share a bit, either way round
  unsigned contact_affinity = 1;
  bool collides = true;  ///< false: for show only
};

}  // namespace tactus
