// Fields of closed meshes of any form, by a grid of nearest triangles.
#pragma once

#include <string>

#include "tactus/geometry/field.h"

namespace tactus {

struct GridFieldSettings {
  double cell = 0;          ///< edge of a cell [m]; 0: what `cells` says
  int cells = 64;           ///< along the longest side of the mesh's box, if `cell` is 0; 4 to 1024
  double padding = 0;       ///< of the grid around the mesh [m], at least two cells
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

/// The solid inside of a closed mesh (MakeClosedMesh), however concave; f is the exact signed distance from its
/// triangles (MeshDistance). The table names the triangle next to each node of a cubic grid. Between nodes the search
/// for the nearest one starts from that of the next node, so that few others have to be looked at. It is a matter of
/// time only: f does not depend on the cells.
///
/// surface() is the mesh itself in triangles with edges of at most `edge`, surface_error() is 0.
///
/// The table is cached under a hash of vertices, triangles, settings and format: from the cache come the same bits. Any
/// number of threads and processes may do so at once. Files that are cut off, damaged or something else are noticed and
/// replaced; that, and a cache that cannot be used, is a `warning`, never an error. InputError, with `where`, for
/// settings out of range and meshes that are not closed.
FieldPointer MakeGridField(const TriangleMesh& mesh, const GridFieldSettings& settings, const std::string& where,
                           GridFieldReport* report = nullptr);

}  // namespace tactus
