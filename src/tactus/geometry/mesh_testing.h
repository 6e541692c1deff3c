// Meshes for tests of what is made of meshes.
#pragma once

#include "tactus/core/random.h"
#include "tactus/geometry/mesh.h"

namespace tactus {

TriangleMesh MakeCuboidMesh(const Vector3& low, const Vector3& high);
/// Corners on a sphere; 2 (rings - 1) * around triangles.
TriangleMesh MakeSphereMesh(double radius, int rings, int around);
/// Corners on a torus around z; 2 around * across triangles.
TriangleMesh MakeTorusMesh(double major, double minor, int around, int across);
/// An L from 0 to 1 in x and y, `thick` wide, from 0 to `height` in z.
TriangleMesh MakeLMesh(double thick, double height);

/// The distance of p from the L, from the two boxes it is made of; the sign is exact, inside it is a bound.
double CalcLDistance(double thick, double height, const Vector3& p);

/// From a look at all triangles; without sign.
double CalcMeshDistanceSlowly(const TriangleMesh& mesh, const Vector3& p);

/// Uniform in the mesh's box, enlarged by `share` of its size on each side.
Vector3 MakeRandomPointAround(const TriangleMesh& mesh, double share, Random* random);

}  // namespace tactus
