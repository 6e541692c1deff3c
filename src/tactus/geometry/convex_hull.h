// Convex hulls of points.
#pragma once

#include <string>
#include <vector>

#include "tactus/geometry/mesh.h"

namespace tactus {

/// The hull as a closed mesh of triangles, counterclockwise seen from outside, with the corners only, in the order of
/// `points`. InputError, with `where`, if the points span no volume (fewer than four, or in one plane to rounding) or
/// are not finite. The same points always give the same mesh.
TriangleMesh MakeConvexHull(const std::vector<Vector3>& points, const std::string& where);

/// Volume inside a closed mesh; negative if it is inside out.
double CalcVolume(const TriangleMesh& mesh);

}  // namespace tactus
