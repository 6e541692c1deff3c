// Fills closed surfaces with tetrahedra by the external program gmsh. It is run, never linked: its licence is not ours,
// and a mesher may hang or crash on surfaces that pass through themselves.
#pragma once

#include <string>

#include "tactus/deformable/mesh/tet_mesh.h"
#include "tactus/geometry/mesh.h"

namespace tactus {

struct GmshSettings {
  double edge = 0.01;            ///< target length of edges [m], > 0; shorter ones of the surface stay
  double seconds = 120;          ///< time it may take [s], > 0
  std::string program = "gmsh";  ///< looked for in PATH unless it has a slash
};
/// Throws InputError.
void Validate(const GmshSettings& settings);

/// Whether the program is there and says its version.
bool HasGmsh(const GmshSettings& settings = {});

/// The solid inside a closed surface (MakeClosedMesh says what that is). Vertices of the surface are kept; its edges
/// that are too long are halved first, as gmsh leaves them as they are. Throws InputError, with `where`, if the surface
/// is not closed, or the program is not there, takes too long, or fails.
TetMesh FillWithTets(const TriangleMesh& surface, const GmshSettings& settings, const std::string& where);

}  // namespace tactus
