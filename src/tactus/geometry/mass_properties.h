// Volumes and inertias of shapes and meshes.
#pragma once

#include <array>
#include <optional>

#include "tactus/core/types.h"
#include "tactus/geometry/mesh.h"
#include "tactus/geometry/shape.h"

namespace tactus {

/// Of a body with density one: per volume, or per area for shells.
struct MassProperties {
  double measure = 0;                 ///< volume [m^3] or area [m^2]
  Vector3 com = Vector3::Zero();      ///< [m]
  Matrix3 central = Matrix3::Zero();  ///< about the centre of mass
};

/// Spheres, capsules, cylinders, boxes and ellipsoids; none for other types.
std::optional<MassProperties> CalcSolid(const Shape& shape);
/// The same for their surfaces, except ellipsoids, which have no closed form.
std::optional<MassProperties> CalcShell(const Shape& shape);

enum class MeshMass {
  Exact,   ///< the volume inside a closed mesh
  Legacy,  ///< pyramids over the triangles, all counted as positive (MuJoCo's `legacy`)
  Shell,   ///< the surface
};
MassProperties CalcMeshMass(const TriangleMesh& mesh, MeshMass kind);

/// A directed edge that two triangles have, so that these do not agree about where outside is.
std::optional<std::array<int, 2>> FindRepeatedEdge(const TriangleMesh& mesh);

}  // namespace tactus
