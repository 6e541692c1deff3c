// Fields of closed meshes of any form, tabulated on a grid.
#pragma once

#include <string>

#include "tactus/geometry/field.h"

namespace tactus {

struct GridFieldSettings {
  double cell = 0;          ///< edge of a cell [m]; 0: what `cells` says
  int cells = 64;           ///< along the longest side of the mesh's box, if `cell` is 0; 4 to 1024
  double padding = 0;       ///< of the grid around the mesh [m], at least two cells; beyond, f takes longer
  double edge = 0;          ///< longest edge of surface() [m]; 0: a tenth of the longest side
  bool cached = true;       ///< keep the table on disk, and take it from there
  std::string folder = {};  ///< of the cache; empty: $XDG_CACHE_HOME/tactus, or ~/.cache/tactus
};

struct GridFieldReport {
  bool from_cache = false;
  std::string file;     ///< of the cache; empty if there is none
  std::string warning;  ///< a file that was of no use, a folder that cannot be written to; empty if all went well
  Vector3 cells = Vector3::Zero();  ///< along x, y, z
  double cell = 0;                  ///< [m]
  double surface_value = 0;         ///< greatest |f| on corners and centres of the triangles of surface() [m]
};

/// The solid inside of a closed mesh (MakeClosedMesh). At the nodes of a cubic grid f is the exact signed distance h
/// from the triangles; between them it is a product of cubic polynomials (Catmull and Rom's, Keys' convolution with a =
/// -1/2): continuously differentiable, exact where the distance is a quadratic polynomial over the 4 x 4 x 4 nodes
/// around (next to flat faces, to rounding), third order in the cell's edge where it is smooth, first order at its
/// kinks: at edges and corners, which are rounded by up to a fifth of a cell, and at the middle of walls. Walls thinner
/// than about two cells, and gaps as narrow, are lost. So f is not a bound of the distance to the last digit, and its
/// gradient may be longer than 1; value_error() bounds f - h as measured in the middle of all cells (half of that is
/// added for what is between), and collision allows for it.
///
/// Beyond the grid f is the exact distance, which takes longer (a microsecond or some); in the grid's last cell one
/// goes over into the other, continuously differentiable.
///
/// surface() is the mesh itself in triangles with edges of at most `edge`, surface_error() is 0: the triangles are the
/// solid, and f what is approximate.
///
/// The table is cached under a hash of vertices, triangles, settings and format: from the cache come the same bits. Any
/// number of threads and processes may do so at once. Files that are cut off, damaged or something else are noticed and
/// replaced; that, and a cache that cannot be used, is a `warning`, never an error. InputError, with `where`, for
/// settings out of range and meshes that are not closed.
FieldPointer MakeGridField(const TriangleMesh& mesh, const GridFieldSettings& settings, const std::string& where,
                           GridFieldReport* report = nullptr);

}  // namespace tactus
